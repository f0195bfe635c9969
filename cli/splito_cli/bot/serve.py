"""`splito bot serve`: serves a function of this machine as a bot over HTTP."""

import asyncio
import os
import sys
from importlib.metadata import version
from typing import Annotated, TypeAlias

import msgspec
from cyclopts import Parameter
from rich.text import Text

from splito_arena.bots.direct import question
from splito_arena.bots.find import bot_names, find_bot
from splito_arena.bots.serve import as_bot
from splito_arena.errors import BadSecret
from splito_arena.gc_freeze import spare_collector
from splito_bot import signing
from splito_bot.bot import Bot
from splito_bot.contract import BotInfo
from splito_bot.running.console import stop_at_signals
from splito_bot.running.routes import Gate
from splito_bot.serve import Server
from splito_cli.arguments import Decks, Json, open_decks, read_bots
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
SECRET = "SPLITO_BOT_SECRET"  # noqa: S105 (the name of a variable)
BOT_ID = "SPLITO_BOT_ID"
OPEN = f"Without --secret or {SECRET}, every program that reaches this address may ask the bot."

Secrets: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        help=f"A secret of the bot; several are possible, the newest first. Better: set {SECRET}, with commas between "
        "several, because other users can see command lines.",
        show_default=False,
    ),
]


class Ready(msgspec.Struct, frozen=True):
    """The JSON that `--json` prints."""

    url: str
    info: BotInfo
    signed: bool
    """True if the bot answers only requests that are signed with its secret."""


def serve_bot(  # noqa: PLR0913 (one parameter per option)
    bot: str,
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 8001,
    name: str | None = None,
    author: str = "anonymous",
    bot_version: str | None = None,
    games: str | None = None,
    concurrency: int = 1,
    batch: int = 0,
    secret: Secrets = (),
    deck: Decks = (),
    bot_id: str | None = None,
    json: Json = False,
) -> None:
    """Serve a function of this machine as a bot over HTTP, until Ctrl-C or SIGTERM.

    The bot answers one ask at a time. Tracebacks are written to stderr. The JSON is one line, printed when the bot
    is ready.

    Parameters
    ----------
    bot
        A function as module:function, or a name as `splito bots` lists them.
    host
        The address to listen at; `0.0.0.0` for all addresses of this machine.
    port
        The port to listen at; 0 for any free one.
    name
        The name of the bot; by default the function or name that is served.
    author
        The name of its author.
    bot_version
        The version of the bot; a new version is a new bot for the ratings. By default, the version of this program for
        an installed bot, and 1 for a function.
    games
        The games that the bot plays, separated by commas; by default all games that it does not decline.
    concurrency
        The number of requests that the arena sends at a time. The bot answers them in turn while their clocks run.
    batch
        The number of asks in one request, at most 64; all their clocks run.
    bot_id
        The id of the registered bot, or SPLITO_BOT_ID. The bot then refuses requests that were signed for other bots.
    """
    open_decks(deck)
    [word] = read_bots(bot, 1)
    choose = find_bot(word)
    info = _info(
        name=name or word,
        author=author,
        version=bot_version or (version("splito-arena") if word in bot_names() else "1"),
        games=_games(games, choose),
        concurrency=concurrency,
        batch=batch,
    )
    gate = _gate(_secrets(secret), bot_id or os.environ.get(BOT_ID, ""))
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(as_bot(choose, info), gate, host, port, json))


async def _serve(bot: Bot, gate: Gate, host: str, port: int, json: bool) -> None:
    stop = stop_at_signals()
    try:
        async with Server(bot, gate, host, port, threads=1) as server:
            _tell(Ready(server.url, bot.info, not gate.is_open), json)
            spare_collector()
            await stop.wait()
    except OSError as error:
        reason = error.strerror or error
        raise NoPort(f"cannot listen at {host}, port {port}: {reason}", field="port") from error
    if not json:
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


def _info(**fields: object) -> BotInfo:
    try:
        return msgspec.convert(fields, BotInfo)
    except msgspec.ValidationError as error:
        raise BadOption(f"the info of the bot is wrong: {error}") from None


def _gate(secrets: list[str], bot_id: str) -> Gate:
    try:
        return Gate(secrets, bot_id=bot_id)
    except signing.BadSecret as error:
        raise BadSecret(str(error), field="secret") from None


def _secrets(given: tuple[str, ...]) -> list[str]:
    listed = given or os.environ.get(SECRET, "").split(",")
    return [secret.strip() for secret in listed if secret.strip()]
