"""Checks by single asks, without whole matches. Each is a function from a check run to its result.

The difficult checks ask about the opening of the smallest table, which the bot is known to answer, so that they find
only the fault they look for; `memory` alone asks about the middle of a match.
"""

from collections.abc import Awaitable, Callable

import msgspec

from splito_arena.checks.ask import Direct, Tried, Watch, about, grown, midway, tried, tried_together, where
from splito_arena.checks.report import Finding, Result, failed, judged, passed, skipped, text, warned
from splito_arena.checks.run import NO_ANSWER, CheckRun
from splito_arena.faults import Fault
from splito_arena.match.messages import CONTRACT, BotInfo
from splito_arena.match.player import Player
from splito_engine.game import AnyGame
from splito_engine.player import Time
from splito_engine.registry import games

IN_PROCESS = "nothing is sent to a function"
LATE = Time(1, 1, 0)
"""Time of 1 ms, in which hardly any bot answers, so that the ask is given up while the bot has it."""

NO_REPEATS = "answer an `id` as before: take dice from `seed`, and from no other source"
NO_MEMORY = "keep nothing from one ask to the next: `view` and `history` contain everything"
READ_REJECTED = "answer an ask with `rejected` like any other; its `code` and `detail` say what was wrong before"
NEW_FIELDS = "ignore fields that you do not know: the contract may grow"
FEWER_AT_ONCE = (
    "declare the `concurrency` that the bot has, or let it answer so many asks at once, each within `turn_ms`"
)
ALL_IN_BATCH = "answer every ask of a batch, each with the `id` of its ask in `ask`, or declare `batch` as 0"
LATE_IS_OVER = "forget an ask whose time is over or whose connection was closed, and answer the next one"
KNOWN_GAMES = "claim games by the ids that `splito games` lists"


async def info(trial: CheckRun) -> Result:
    said = trial.subject.info
    try:
        msgspec.convert(msgspec.to_builtins(said), BotInfo)
    except msgspec.ValidationError as error:
        return failed([Finding(code="wrong-schema", what=str(error), advice="correct the info of the bot")])
    if not trial.claimed:
        return failed([_not_known(said.games, "none of its games is installed here")])
    unknown = [game for game in said.games if game not in games()]
    if unknown:
        return warned(_not_known(unknown, "some of its games are not installed here"))
    ids = ", ".join(game.INFO.id for game in trial.claimed)
    return passed(f"{said.name} {said.version}, contract {CONTRACT}, plays {ids}")


async def ask(trial: CheckRun) -> Result:
    if not trial.claimed:
        return skipped("there is no game to ask about")
    findings: list[Finding] = []
    for game in trial.claimed:
        one = await tried(trial.player, trial.plain(game))
        findings += one.findings()
        if one.fault is None:
            trial.answered.append(game)
    return judged(findings, _counted(len(trial.answered), "game"))


async def duplicates(trial: CheckRun) -> Result:
    async def probe(game: AnyGame) -> list[Finding]:
        question = trial.plain(game)
        first, again = await tried(trial.direct, question), await tried(trial.direct, question)
        return first.findings(NO_REPEATS) or again.findings(NO_REPEATS) or _compare(first, again)

    return await _in_each(trial, probe)


async def memory(trial: CheckRun) -> Result:
    """Check answers without memory, over HTTP on a connection of its own, which has carried no match either."""

    async def ask_about(player: Player, game: AnyGame) -> list[Finding]:
        return [
            finding
            for match in midway(game)
            for finding in (await tried(player, about(match, trial.clock))).findings(NO_MEMORY)
        ][:1]

    remote = trial.subject.remote
    if remote is None:
        return await _in_each(trial, lambda game: ask_about(trial.player, game))
    async with remote.address.caller() as caller:
        fresh = Watch(Direct(remote.address.client(caller)), trial.timings)
        return await _in_each(trial, lambda game: ask_about(fresh, game))


async def rejected(trial: CheckRun) -> Result:
    async def probe(game: AnyGame) -> list[Finding]:
        question = trial.plain(game)
        again = question.again(Fault("illegal-move", "the move is not one of the legal moves"), question.allowed)
        return (await tried(trial.player, again)).findings(READ_REJECTED)

    return await _in_each(trial, probe)


async def unknown_fields(trial: CheckRun) -> Result:
    async def probe(game: AnyGame) -> list[Finding]:
        return (await tried(trial.player, grown(trial.plain(game)))).findings(NEW_FIELDS)

    if not trial.player.is_wired:
        return skipped(IN_PROCESS)
    return await _in_each(trial, probe)


async def concurrency(trial: CheckRun) -> Result:
    count, clock = trial.subject.info.concurrency, trial.clock
    if count == 1:
        return skipped("one at a time")
    if not trial.answered:
        return skipped(NO_ANSWER)
    within = Time(clock.turn_ms, clock.turn_ms, 0)
    questions = [trial.plain(trial.answered[0]).timed(within) for _ in range(count)]
    return _all_of(await tried_together(trial.direct, questions), FEWER_AT_ONCE, f"{count} at once")


async def batch(trial: CheckRun) -> Result:
    count = trial.subject.info.batch
    if count < 2:
        return skipped("the bot takes no batches")
    if not trial.answered:
        return skipped(NO_ANSWER)
    questions = [trial.plain(trial.answered[0]) for _ in range(count)]
    return _all_of(await tried_together(trial.player, questions), ALL_IN_BATCH, f"{count} together")


async def late(trial: CheckRun) -> Result:
    """Check the ask after one that was given up; the outcome of the latter is ignored."""

    async def probe(game: AnyGame) -> list[Finding]:
        await tried(trial.subject.player, trial.plain(game).timed(LATE))
        return (await tried(trial.player, trial.plain(game))).findings(LATE_IS_OVER)

    return await _in_each(trial, probe)


async def _in_each(trial: CheckRun, probe: Callable[[AnyGame], Awaitable[list[Finding]]]) -> Result:
    """Make the probe in each game in which the bot has answered a plain ask."""
    if not trial.answered:
        return skipped(NO_ANSWER)
    findings = [finding for game in trial.answered for finding in await probe(game)]
    return judged(findings, _counted(len(trial.answered), "game"))


def _not_known(ids: list[str], what: str) -> Finding:
    return Finding(code="unknown-game", what=f"{what}: {', '.join(ids)}", advice=KNOWN_GAMES)


def _compare(first: Tried, again: Tried) -> list[Finding]:
    if first.answer == again.answer:
        return []
    what = f"first {_shown(first)}, then {_shown(again)}"
    request, response = text(again.heard.request), text(again.heard.response)
    finding = Finding(code="differs", what=what, advice=NO_REPEATS, request=request, response=response)
    return [msgspec.structs.replace(finding, where=where(first.question))]


def _shown(one: Tried) -> str:
    move, nudge = one.answer
    words = one.question.game.move_text(move)
    return words if nudge is None else f"{words} with {nudge!r}"


def _all_of(many: list[Tried], advice: str, found: str) -> Result:
    """Return the result of many asks; the first finding represents those like it."""
    wrong = [finding for one in many for finding in one.findings(advice)]
    if not wrong:
        return passed(found)
    what = f"{len(wrong)} of {len(many)}: {wrong[0].what}"
    return failed([msgspec.structs.replace(wrong[0], what=what, count=len(wrong))])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
