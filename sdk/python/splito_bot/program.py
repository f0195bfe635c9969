"""The program `splito-bot`: `serve` a function to an arena that can reach it, or `connect` it to one that cannot.

Every error ends in one line on stderr, with what to do next, and in exit code 2.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from splito_bot.bot import BadBot, Bot, load_bot
from splito_bot.errors import Refused
from splito_bot.running.connect import Place, connect
from splito_bot.running.console import say
from splito_bot.running.routes import Gate
from splito_bot.serve import HOST, PORT, serve
from splito_bot.signing import BadSecret

WRONG = 2
SECRET, KEY, BOT_ID = "SPLITO_BOT_SECRET", "SPLITO_BOT_KEY", "SPLITO_BOT_ID"  # names of environment variables
EXAMPLES = """examples:
  splito-bot serve my_bot:choose
  SPLITO_BOT_SECRET=whsec_... splito-bot serve my_bot:choose --host 0.0.0.0 --port 8080
  SPLITO_BOT_KEY=... splito-bot connect my_bot:choose --url https://arena.example --bot owl

A bot is a function that gets an ask and returns one of ask.moves. Its module may define INFO = BotInfo(...)."""
INFO = {
    "name": ("--name", str, "the name of the bot; by default the name of its module"),
    "author": ("--author", str, "the name of its author"),
    "version": ("--bot-version", str, "the version of the bot; a new version is a new bot for the ratings"),
    "concurrency": ("--concurrency", int, "the number of asks that the bot answers at the same time, each in a thread"),
    "batch": ("--batch", int, "the number of asks that the bot accepts in one request, at most 64"),
}
"""The fields of the info of a bot, and their options."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return the exit code."""
    wanted = _parser().parse_args(arguments)
    try:
        wanted.run(wanted, _load(wanted))
    except (BadBot, BadSecret) as error:
        return _complain(str(error), "`splito-bot --help` shows the usage")
    except ModuleNotFoundError as error:
        return _complain(str(error), "pip install 'splito-bot[ed25519]'")
    except Refused as error:
        return _complain(f"the service refuses this bot: {error}", "check --url, --bot and --key")
    except OSError as error:
        return _complain(f"the bot cannot listen at this address: {error}", "choose another --host or --port")
    except KeyboardInterrupt:
        say("stopped")
    return 0


def _serve(wanted: argparse.Namespace, bot: Bot) -> None:
    secrets = [secret.strip() for secret in (wanted.secret or os.environ.get(SECRET, "")).split(",") if secret.strip()]
    bot_id = wanted.bot_id or os.environ.get(BOT_ID, "")
    if wanted.public_key and not bot_id:
        raise BadBot(
            f"--public-key needs the id of the bot, because the arena has one key for all: --bot-id or {BOT_ID}"
        )
    serve(bot, Gate(secrets, wanted.public_key, bot_id=bot_id), wanted.host, wanted.port)


def _connect(wanted: argparse.Namespace, bot: Bot) -> None:
    key = wanted.key or os.environ.get(KEY)
    if not key:
        raise BadBot(f"the key of the bot's owner is missing: give it with --key, or set {KEY}")
    if not wanted.url.startswith(("http://", "https://")):
        raise BadBot(f"{wanted.url!r} is not an address: it must begin with http:// or https://")
    connect(bot, Place(wanted.url, wanted.bot, key))


def _load(wanted: argparse.Namespace) -> Bot:
    given = {name: getattr(wanted, name) for name in INFO if getattr(wanted, name) is not None}
    if wanted.games is not None:
        given["games"] = wanted.games.split(",")
    if getattr(wanted, "public_key", None):
        given["ed25519"] = True
    return load_bot(wanted.function, **given)


def _complain(message: str, advice: str) -> int:
    line = " ".join(message.split())
    say(f"{line.rstrip('.')}. Next: {advice}.")
    return WRONG


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="splito-bot",
        description="Let a Python function play in a Splito Arena.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=version("splito-bot"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_serve(_command(commands, "serve", "serve the bot over HTTP, for an arena that calls it", _serve))
    _add_connect(_command(commands, "connect", "fetch asks from the arena; works behind a router", _connect))
    return parser


def _command(commands: Any, name: str, about: str, run: Callable[[argparse.Namespace, Bot], None]) -> Any:
    command = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
    command.set_defaults(run=run)
    command.add_argument("function", metavar="MODULE:FUNCTION", help="the bot, such as my_bot:choose")
    for dest, (flag, kind, meaning) in INFO.items():
        command.add_argument(flag, dest=dest, type=kind, help=meaning)
    command.add_argument("--games", help="the games of the bot, separated by commas; by default all built-in games")
    return command


def _add_serve(command: Any) -> None:
    command.add_argument(
        "--host", default=HOST, help="the address to listen at; 0.0.0.0 for all of this machine (%(default)s)"
    )
    command.add_argument(
        "--port", default=PORT, type=int, help="the port to listen at; 0 for any free one (%(default)s)"
    )
    command.add_argument(
        "--secret", help=f"the secrets of the bot, separated by commas, the newest first. Better: set {SECRET}"
    )
    command.add_argument(
        "--public-key",
        help="the public key of the arena, whpk_...: only its Ed25519 signatures count. It needs --bot-id too",
    )
    command.add_argument(
        "--bot-id", help=f"the id of the registered bot: requests to other bots are refused. Or set {BOT_ID}"
    )


def _add_connect(command: Any) -> None:
    command.add_argument("--url", required=True, help="the address of the arena, such as http://127.0.0.1:8000")
    command.add_argument("--bot", required=True, help="the id of the registered bot")
    command.add_argument(
        "--key", help=f"the key of the bot's owner. Better: set {KEY}, because other users can see command lines"
    )
