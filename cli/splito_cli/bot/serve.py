"""`splito bot serve`: serves a function of this machine as a bot over HTTP."""

import asyncio
import os
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, TextIO

import msgspec
from cyclopts import Parameter
from rich.text import Text

from splito_arena.bots.direct import question
from splito_arena.bots.find import bot_names, find_bot
from splito_arena.bots.functions.info import info_of
from splito_arena.bots.serve import as_bot
from splito_arena.errors import BadSecret
from splito_arena.gc_freeze import spare_collector
from splito_bot import signing
from splito_bot.bot import Bot
from splito_bot.contract import BotInfo
from splito_bot.running.console import stop_at_signals
from splito_bot.running.routes import Gate
from splito_bot.serve import Server
from splito_cli.arguments import Decks, Host, Json, Port, open_decks, read_bots
from splito_cli.bot_secrets import VARIABLE, Secrets, bare_secrets
from splito_cli.event_loop import loop_factory
from splito_cli.terminal.screen import screen, side_screen
from splito_engine.errors import BadBot, BadOption
from splito_engine.game import AnyGame
from splito_engine.match import start
from splito_engine.player import Choose
from splito_engine.registry import find_game
from splito_engine.registry import games as all_games
from splito_service.errors import NoPort

EXAMPLES = (
    "splito bot serve greedy",
    "splito bot serve my_bots:choose --name owl --port 8002 --batch 16",
    "SPLITO_BOT_SECRET=whsec_... splito bot serve planner --port 0 --json",
)
BOT_ID = "SPLITO_BOT_ID"
OPEN = f"Without --secret or {VARIABLE}, every program that reaches this address may ask the bot."


class Ready(msgspec.Struct, frozen=True):
    """The JSON that `--json` prints."""

    url: str
    info: BotInfo
    signed: bool
    """True if the bot answers only requests that are signed with its secret."""


@Parameter(name="*")
@dataclass(frozen=True)
class InfoOptions:
    """The options that replace fields of the bot's `INFO`."""

    name: Annotated[
        str | None, Parameter(help="The name of the bot; by default the function or name that is served.")
    ] = None
    author: Annotated[str | None, Parameter(help="The name of its author.")] = None
    bot_version: Annotated[
        str | None,
        Parameter(
            help="The version of the bot; a new version is a new bot for the ratings. By default, the version of this "
            "program for an installed bot, and 1 for a function."
        ),
    ] = None
    games: Annotated[
        str | None,
        Parameter(
            help="The games that the bot plays, separated by commas; by default all games that it does not decline."
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        Parameter(
            help="The number of requests that the arena sends at a time. The bot answers them in turn while their "
            "clocks run."
        ),
    ] = None
    batch: Annotated[
        int | None, Parameter(help="The number of asks in one request, at most 64; all their clocks run.")
    ] = None

    def fields(self) -> dict[str, object]:
        """Return the fields that are given; the games are read with the bot, because it may decline some."""
        told = {
            "name": self.name,
            "author": self.author,
            "version": self.bot_version,
            "concurrency": self.concurrency,
            "batch": self.batch,
        }
        return {name: value for name, value in told.items() if value is not None}


NO_INFO = InfoOptions()
"""All fields are as the bot says: no option is given."""


def serve_bot(  # noqa: PLR0913 (one parameter per option or group)
    bot: str,
    /,
    *,
    host: Host = "127.0.0.1",
    port: Port = 8001,
    given: InfoOptions = NO_INFO,
    secret: Secrets = (),
    deck: Decks = (),
    bot_id: str | None = None,
    json: Json = False,
) -> None:
    """Serve a function of this machine as a bot over HTTP, until Ctrl-C or SIGTERM.

    The bot answers one ask at a time. Refused requests with their reasons, tracebacks, and what the bot prints, are
    written to stderr. The JSON is one line, printed when the bot is ready. The `INFO` of the function's module counts;
    the options replace its fields.

    Parameters
    ----------
    bot
        A function as module:function, or a name as `splito bots` lists them.
    bot_id
        The id of the registered bot, or SPLITO_BOT_ID. The bot then refuses requests that were signed for other bots.
    """
    open_decks(deck)
    [word] = read_bots(bot, 1)
    out = sys.stdout
    with redirect_stdout(sys.stderr):  # what the bot prints does not mix with the JSON
        choose = find_bot(word)
        info = _info(_usual(word, choose, given.games) | given.fields())
        gate = _gate(bare_secrets(secret), bot_id or os.environ.get(BOT_ID, ""))
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_serve(as_bot(choose, info), gate, host, port, json, out))


async def _serve(  # noqa: PLR0913, PLR0917 (what is served, where, and what is printed)
    bot: Bot, gate: Gate, host: str, port: int, json: bool, out: TextIO
) -> None:
    stop = stop_at_signals()
    try:
        async with Server(bot, gate, host, port, threads=1) as server:
            with redirect_stdout(out):
                _tell(Ready(server.url, bot.info, not gate.is_open), json)
            spare_collector()
            await stop.wait()
    except OSError as error:
        reason = error.strerror or error
        raise NoPort(f"cannot listen at {host}, port {port}: {reason}", field="port") from error
    if not json:
        with redirect_stdout(out):
            screen().print("Stopped.")


def _tell(ready: Ready, json: bool) -> None:
    if json:
        sys.stdout.write(msgspec.json.encode(ready).decode() + "\n")
        sys.stdout.flush()
        return
    info = ready.info
    plays = ", ".join(info.games)
    screen().print(Text.assemble((info.name, "bold"), f" {info.version} plays {plays} at {ready.url}; Ctrl-C stops it"))
    if not ready.signed:
        side_screen().print(Text(OPEN, "yellow"))


def _usual(word: str, choose: Choose, games: str | None) -> dict[str, object]:
    """Return the fields of the module's `INFO`; without one, those of a bot that says nothing about itself."""
    said = info_of(word)
    if said is not None:
        told = msgspec.to_builtins(msgspec.structs.replace(said, notices=False, ed25519=False))
        return told if games is None else {**told, "games": _games(games, choose)}
    number = version("splito-arena") if word in bot_names() else "1"
    return {"name": word, "author": "anonymous", "version": number, "games": _games(games, choose)}


def _games(named: str | None, choose: Choose) -> list[str]:
    if named:
        return [find_game(one.strip()).INFO.id for one in named.split(",")]
    return [name for name, game in all_games().items() if not _declines(choose, game)]


def _declines(choose: Choose, game: AnyGame) -> bool:
    """True if the bot raises `BadBot`, which declines the game. Other errors are left to the checks."""
    match = start(game, game.INFO.min_players, "0")
    try:
        choose(question(match, match.actors[0]))
    except BadBot:
        return True
    except (Exception, SystemExit):  # noqa: BLE001 (the code of a bot may raise anything)
        return False
    return False


def _info(fields: dict[str, object]) -> BotInfo:
    try:
        return msgspec.convert(fields, BotInfo)
    except msgspec.ValidationError as error:
        raise BadOption(f"the info of the bot is wrong: {error}") from None


def _gate(secrets: list[str], bot_id: str) -> Gate:
    try:
        return Gate(secrets, bot_id=bot_id)
    except signing.BadSecret as error:
        raise BadSecret(str(error), field="secret") from None
