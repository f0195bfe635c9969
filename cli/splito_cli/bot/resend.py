"""`splito bot resend`: sends a logged ask to a bot again, and compares the answers."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from splito_arena.bots.ask_log import LoggedAsk
from splito_arena.bots.lineup import is_url
from splito_arena.bots.push_client import BotClient
from splito_arena.bots.resend import Outcome, Resent, resend_to_function
from splito_arena.bots.resend import resend as send_again
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key
from splito_bot.account.session import Session, path_of, pick
from splito_bot.account.trouble import RefusedByService
from splito_cli.access import MINE, Place, session
from splito_cli.arguments import Json, read_bots
from splito_cli.ask_files import find_ask, read_fault
from splito_cli.bot_secrets import Secrets, read_secrets
from splito_cli.terminal.screen import headline, printable, screen
from splito_engine.errors import BadOption
from splito_engine.registry import find_game

EXAMPLES = (
    "splito bot resend 4f1c-12-0 --bot owl --to http://localhost:8001",
    "splito bot resend 4f1c-12-0 --from asks/owl.jsonl --to http://localhost:8001",
    "splito bot resend faults/4f1c-12-0.json --to my_bot:choose",
)
FAULTY = 1
"""The exit code if the new answer is not legal."""


def resend(  # noqa: PLR0913 (one parameter per option)
    ask: str,
    /,
    *,
    to: str,
    bot: str | None = None,
    place: Place = MINE,
    file: Annotated[Path | None, Parameter(name="--from")] = None,
    secret: Secrets = (),
    limit: float = 60.0,
    json: Json = False,
) -> int:
    """Send one ask of your bot's log again, to a bot on this machine, and compare the answers.

    The request is the same, with a new signature if there is a secret. The exit code is 0 if the new answer is
    accepted, 1 if not.

    Parameters
    ----------
    ask
        The id of the ask, as the log has it; or a file that `--save-faults` has written.
    to
        The bot that answers now: a URL, module:function, or a name as `splito bots` lists them.
    bot
        The id or name of your bot in the service that asked it; not needed if you have only one.
    file
        A file that `splito match --log` has written, instead of a service.
    limit
        Seconds to wait for the answer now, so that there is time for a debugger.
    """
    [word] = read_bots(to, 1)
    found = _find(ask, file, bot, place)
    resent = asyncio.run(_send(found, word, read_secrets(secret, [word]).get(word), limit))
    if json:
        sys.stdout.write(msgspec.json.encode({"same": resent.same, **msgspec.structs.asdict(resent)}).decode() + "\n")
    else:
        screen().print(page(resent))
    return FAULTY if resent.now.fault else 0


def _find(ask: str, file: Path | None, bot: str | None, place: Place) -> LoggedAsk:
    """Return the ask from the service, from a log, or from a file of its own."""
    if file is None and not ask.endswith(".json"):
        with session(place) as there:
            return fetch_ask(there, bot, ask)
    if bot is not None or place:
        raise BadOption("a file needs no service: leave out --bot, --url, --key and --profile", field="from")
    return find_ask(file, ask) if file is not None else read_fault(Path(ask))


async def _send(found: LoggedAsk, to: str, secret: str | None, limit: float) -> Resent:
    if not is_url(to):
        return await resend_to_function(found, to, limit)
    async with Caller() as caller:
        return await send_again(
            found, BotClient(caller, to, Key(secret) if secret else None, allow_private=True), limit
        )


def fetch_ask(there: Session, bot: str | None, ask: str) -> LoggedAsk:
    """Return the ask from the log of the service."""
    if bot is not None:
        try:
            return there.get(path_of("bots", bot, "asks", ask), LoggedAsk)
        except RefusedByService as error:
            if error.refusal != "unknown-bot":  # it may be a name
                raise
    return there.get(path_of("bots", pick(there.bots(), bot).id, "asks", ask), LoggedAsk)


def page(resent: Resent) -> RenderableType:
    ask = resent.ask
    head = headline(
        find_game(ask.game).INFO.titles["en"], f"match {printable(ask.match)}", f"turn {ask.turn}", f"seat {ask.seat}"
    )
    grid = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for heading in ("", "then", "now"):
        grid.add_column(heading, overflow="fold")
    rows = zip(_cells(resent.then), _cells(resent.now), strict=True)
    for name, (then, now) in zip(("move", "nudge", "verdict", "time", "debug", "sent back"), rows, strict=True):
        if then.plain or now.plain:
            grid.add_row(Text(name, "dim"), then, now)
    same = Text("The same decision as then.") if resent.same else Text("Not the same decision as then.", "bold")
    trace = [Text(f"{resent.now.traceback}\n")] if resent.now.traceback else []
    return Group(head, Text(), grid, Text(), *trace, same, Text(f"It had {resent.allowed_ms} ms.", "dim"))


def _cells(one: Outcome) -> tuple[Text, ...]:
    """Return move, nudge, verdict, time, debug, and the raw response if it has no readable move."""
    verdict = Text("✓ legal", "green")
    if one.fault is not None:
        verdict = Text(printable(f"✗ {one.fault.code}: {one.fault.detail}"), "red")
    bare = "" if one.move else one.response[:500]
    return (
        Text(one.move or "none", "bold"),
        Text(printable(one.nudge or "")),
        verdict,
        Text(f"{one.elapsed_ms:g} ms"),
        Text(printable(one.debug or "")),
        Text(printable(bare)),
    )
