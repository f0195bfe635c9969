"""`register`, `prove`, `check`, `status`, `asks` and `retire`: what an owner does with registered bots."""

import shlex
import time
from collections.abc import Callable, Sequence
from datetime import UTC
from typing import TypeAlias
from urllib.parse import urlsplit

from splito_bot.account.page import Outcome, Page, Table
from splito_bot.account.profiles import SavedBot
from splito_bot.account.ratings import Rated, ratings_of
from splito_bot.account.session import PAGE, Session, path_of, pick
from splito_bot.account.trouble import Trouble
from splito_bot.schemas.bots import Bot, BotRegistered, BotRegistration, BotSummary, Check, NewCheck, OpenTo
from splito_bot.schemas.logs import AskPage, AskSummary

Progress: TypeAlias = Callable[[Check], object]
LOOK = 0.5
"""Seconds between two requests for the state of a check."""
FAILED = 1
"""The exit code of a check that did not pass."""
MARKS = {"passed": "ok", "failed": "FAILED", "warned": "warning", "not-checked": "-"}

_ENTER = "enter a ladder: `splito-bot enter TOURNAMENT {}`; house ladders take the bot by themselves"

pause = time.sleep


def register(session: Session, name: str, url: str | None, open_to: OpenTo = "organisers", *, save: bool) -> Outcome:
    """Register a bot that the arena calls at this URL or, without one, a bot that polls the arena."""
    if any(bot.name == name for bot in session.bots()):
        other = "choose another name, or `splito-bot retire` the old one"
        raise Trouble("bad-name", f"you have a bot {name!r} here already", other)
    wanted = BotRegistration(name, "pull" if url is None else "push", url, open_to)
    made = session.send("POST", path_of("bots"), BotRegistered, wanted)
    bot, facts = made.bot, _facts(made.bot)
    if made.secret is not None:
        facts.append(("secret", f"{made.secret}   (shown once)"))
    file = _save(session, made) if save else None
    if file is not None:
        facts.append(("kept in", file))
    data = {"bot": bot, "secret": made.secret, "file": file}
    return Outcome(data, Page(f"{bot.name} is registered.", facts, next=_after_register(made, saved=file is not None)))


def prove(session: Session, word: str | None) -> Outcome:
    """Let a push bot prove that it knows its secret. It is ready then."""
    one = pick(session.bots(), word)
    if one.kind == "pull":
        raise Trouble(
            "wrong-kind",
            f"{one.name} is a pull bot, which the arena does not call",
            f"start it: `splito-bot connect my_bot:choose --bot {shlex.quote(one.name)}`",
        )
    bot = session.send("POST", path_of("bots", one.id, "proof"), Bot)
    return Outcome(bot, Page(f"{bot.name} has proved its address and is ready.", _facts(bot), next=advice(bot)))


def run_check(session: Session, word: str | None, *, quick: bool, progress: Progress) -> tuple[BotSummary, Check]:
    """Check a bot and return the check at its end."""
    one = pick(session.bots(), word)
    path = path_of("bots", one.id, "checks")
    found = session.send("POST", path, Check, NewCheck(quick))
    while found.state == "running":
        progress(found)
        pause(LOOK)
        found = session.get(f"{path}/{found.id}", Check)
    return one, found


def check(session: Session, word: str | None, *, quick: bool, progress: Progress) -> Outcome:
    """Check a bot, and say how to correct what is wrong."""
    one, found = run_check(session, word, quick=quick, progress=progress)
    report = found.report
    facts = [("bot", f"{one.name} {found.version} ({one.id})"), ("verdict", verdict(found))]
    rows = list[Sequence[str]]()
    for row in () if report is None else report.rows:
        rows.append((MARKS[row.outcome], row.title, row.found))
        for finding in row.findings:
            rows += [("", f"  {finding.code}", finding.what), ("", "  do", finding.advice)]
    page = Page("", facts, Table(("", "check", "found"), rows) if rows else None, next=after_check(one, found))
    return Outcome(found, page, 0 if found.passed else FAILED)


def verdict(found: Check) -> str:
    """Return the verdict of a check in a few words."""
    if found.state == "lost":
        return f"lost: {found.reason}"
    if not found.passed:
        return "not ready to play"
    return "ready to play, but only a whole check permits ranked games" if found.quick else "ready for ranked games"


def after_check(one: BotSummary, found: Check) -> str:
    """Return what to do after a check."""
    name = shlex.quote(one.name)
    if found.state == "lost":
        return f"check it again: `splito-bot check {name}`"
    if not found.passed:
        return f"correct the bot, start it again, and check it again: `splito-bot check {name}`"
    if found.quick:
        return f"a whole check: `splito-bot check {name}`"
    return _ENTER.format(name)


def status(session: Session, word: str | None) -> Outcome:
    """Return one bot with its ratings or, without a word, all bots."""
    bots = session.bots()
    if word is None and len(bots) != 1:
        return _all(bots)
    bot = session.bot(pick(bots, word).id)
    rated = ratings_of(session, bot.id, bot.games)
    table = Table(("game", "players", "version", "rank", "rating", "games", "faults"), [one.cells for one in rated])
    data = {"bot": bot, "ratings": rated}
    return Outcome(data, Page(bot.name, _facts(bot), table if rated else None, next=advice(bot, rated)))


def asks(session: Session, word: str | None, *, faults: bool, limit: int) -> Outcome:
    """Return the last asks of a bot, or its last faults."""
    one = pick(session.bots(), word)
    found, cursor, path = list[AskSummary](), "", path_of("bots", one.id, "asks")
    while len(found) < limit:
        page = session.get(path, AskPage, {"limit": PAGE, "cursor": cursor or None})
        found += [ask for ask in page.asks if ask.fault is not None or not faults]
        if page.next is None:
            break
        cursor = page.next
    found = found[:limit]
    heads = ("time (UTC)", "ask", "game", "turn", "seat", "ms", "fault")
    what = "faults" if faults else "asks"
    after = _after_asks(one, next((ask for ask in found if ask.fault is not None), None))
    title = f"The last {what} of {one.name}" if found else f"{one.name} has no {what} in its log."
    title += " Of ranked games, the log has only asks with a fault."
    table = Table(heads, [_ask_row(ask) for ask in found]) if found else None
    return Outcome(found, Page(title, table=table, next=after))


def retire(session: Session, word: str | None, confirm: Callable[[BotSummary], bool]) -> Outcome:
    """Delete a bot at the arena, and its secret here. Past results stay."""
    one = pick(session.bots(), word)
    if not confirm(one):
        raise Trouble("usage", f"{one.name} ({one.id}) was not retired", "add --yes: nothing brings it back")
    session.delete(path_of("bots", one.id))
    if session.profile is not None:
        session.profiles.drop_bot(session.profile, one.id)
    return Outcome({"bot": one.id, "retired": True}, Page(f"{one.name} is retired. Its past results stay."))


def advice(bot: Bot | BotSummary, rated: Sequence[Rated] = ()) -> str:
    """Return what the owner of a bot does next, from its state."""
    name, own = shlex.quote(bot.name), getattr(bot, "own", None)
    new, pull = bot.state == "new", bot.kind == "pull"
    port = urlsplit(own.url or "").port if own is not None else None
    prove_it, serve = f"`splito-bot prove {name}`", f"splito-bot serve my_bot:choose --bot {name}"
    serve_it = f"`{serve} --port {port}`" if port else f"`{serve}`"
    steps = (
        (own is not None and own.banned is not None, "ask the organisers of the arena about the ban"),
        (new and pull, f"start it: `splito-bot connect my_bot:choose --bot {name}`"),
        (new, f"start it with its secret, {serve_it}; then {prove_it}"),
        (bot.state == "disabled", f"start it at its address, or correct it; then {prove_it}"),
        (not bot.checked, f"let the arena check it for ranked games: `splito-bot check {name}`"),
        (not rated, _ENTER.format(name)),
        (True, f"read its faults: `splito-bot asks {name} --faults`"),
    )
    return next(text for holds, text in steps if holds)


def _save(session: Session, made: BotRegistered) -> str | None:
    if session.profile is None:
        return None
    saved = SavedBot(made.bot.id, made.bot.name, made.bot.kind, made.secret)
    return str(session.profiles.put_bot(session.profile, saved))


def _after_register(made: BotRegistered, *, saved: bool) -> str:
    if made.secret is None or saved:
        return advice(made.bot)
    return f"set SPLITO_BOT_SECRET to the secret, and {advice(made.bot)}"


def _facts(bot: Bot) -> list[tuple[str, str]]:
    facts = [("id", bot.id), ("kind", bot.kind), ("state", bot.state), ("version", bot.version or "-")]
    facts += [("games", ", ".join(bot.games) or "-"), ("checked", "yes" if bot.checked else "no")]
    facts.append(("open to", bot.open_to))
    own = bot.own
    if own is not None:
        told = {"address": own.url, "reason": own.reason, "banned": own.banned}
        facts += [(name, text) for name, text in told.items() if text is not None]
    return facts


def _all(bots: list[BotSummary]) -> Outcome:
    if not bots:
        after = "register one: `splito-bot register NAME --pull`, or --push URL"
        return Outcome(bots, Page("You have no bot here.", next=after))
    heads = ("bot", "id", "kind", "state", "version", "checked", "open to")
    rows = [
        (bot.name, bot.id, bot.kind, bot.state, bot.version or "-", "yes" if bot.checked else "no", bot.open_to)
        for bot in bots
    ]
    return Outcome(bots, Page("", table=Table(heads, rows), next="`splito-bot status BOT` shows one of them"))


def _ask_row(ask: AskSummary) -> tuple[str, ...]:
    when = f"{ask.when.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    fault = "" if ask.fault is None else f"{ask.fault.code}: {ask.fault.detail}"
    return when, ask.id, ask.game, str(ask.turn), str(ask.seat), f"{ask.elapsed_ms:.0f}", fault


def _after_asks(one: BotSummary, faulty: AskSummary | None) -> str:
    if faulty is None:
        return f"`splito-bot status {shlex.quote(one.name)}` shows its ratings"
    return (
        f"send it to the bot again: `splito bot resend {faulty.id} --bot {shlex.quote(one.name)}"
        " --to http://127.0.0.1:8001` (splito-arena)"
    )
