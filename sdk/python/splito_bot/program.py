"""The program `splito-bot`: `serve` a function to an arena that can reach it, or `connect` it to one that cannot.

The commands of an account at an arena (`login`, `register`, `status` ...) are in `splito_bot.account.commands`.

Every error ends in one line on stderr, with what to do next, and in exit code 2.
"""

import argparse
import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from splito_bot.account.commands import add_access, add_commands, given
from splito_bot.account.connecting import connect_bot
from splito_bot.account.saved_secrets import saved_secret
from splito_bot.account.trouble import Trouble
from splito_bot.bot import BadBot, Bot, load_bot
from splito_bot.running.console import say
from splito_bot.running.routes import Gate
from splito_bot.serve import HOST, PORT, serve
from splito_bot.signing import BadSecret

WRONG = 2
SECRET, BOT_ID = "SPLITO_BOT_SECRET", "SPLITO_BOT_ID"  # names of environment variables
EXAMPLES = """examples:
  splito-bot login https://arena.example --name Ada
  splito-bot connect my_bot:choose
  splito-bot register owl --push https://owl.example
  splito-bot serve my_bot:choose --bot owl --host 0.0.0.0 --port 8080
  splito-bot prove owl
  splito-bot check owl

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
        return wanted.run(wanted)
    except Trouble as trouble:
        return _complain(trouble.cause, trouble.advice)
    except (BadBot, BadSecret) as error:
        return _complain(str(error), "`splito-bot --help` shows the usage")
    except ModuleNotFoundError as error:
        return _complain(str(error), "pip install 'splito-bot[ed25519]'")
    except OSError as error:
        return _complain(f"the bot cannot listen at this address: {error}", "choose another --host or --port")
    except KeyboardInterrupt:
        say("stopped")
    return 0


def _serve(wanted: argparse.Namespace) -> int:
    bot = _load(wanted)
    secrets = [secret.strip() for secret in (wanted.secret or os.environ.get(SECRET, "")).split(",") if secret.strip()]
    bot_id = wanted.bot_id or os.environ.get(BOT_ID, "")
    if wanted.public_key and not bot_id:
        raise BadBot(
            f"--public-key needs the id of the bot, because the arena has one key for all: --bot-id or {BOT_ID}"
        )
    if not (secrets or wanted.public_key or wanted.unsigned):
        secrets, bot_id = _saved(wanted, bot, bot_id)
    serve(bot, Gate(secrets, wanted.public_key, bot_id=bot_id), wanted.host, wanted.port)
    return 0


def _saved(wanted: argparse.Namespace, bot: Bot, bot_id: str) -> tuple[list[str], str]:
    """Return the secrets and the id of the bot from a profile; no secrets if it has none for this bot."""
    saved = saved_secret(bot_id or bot.info.name, wanted.bot, wanted.profile)
    if saved is None:
        return [], bot_id
    say(f"requests must be signed with the secret of {saved.bot.name}, from {saved.file}")
    return [saved.secret], saved.bot.id


def _connect(wanted: argparse.Namespace) -> int:
    return connect_bot(_load(wanted), given(wanted), wanted.bot, check=not wanted.no_check)


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
    add_commands(commands)
    return parser


def _command(commands: Any, name: str, about: str, run: Callable[[argparse.Namespace], int]) -> Any:
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
    command.add_argument("--bot", help="the id or name of a bot that you registered: its secret is in your profile")
    command.add_argument("--profile", help="the profile that has the secret")
    command.add_argument("--unsigned", action="store_true", help="take no secret from a profile, for a local check")


def _add_connect(command: Any) -> None:
    command.add_argument(
        "--bot", help="the id or name of the bot at the arena; by default the name in its info. It is registered if new"
    )
    command.add_argument("--no-check", action="store_true", help="do not let the arena check a new version")
    add_access(command)
