"""The commands of `splito-bot` that work on an account: their options, and their pages as plain text."""

import argparse
import getpass
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, get_args

from splito_bot.account import bots, login, play
from splito_bot.account.access import KEY, PROFILE, URL, Given
from splito_bot.account.login import STDIN, Desk
from splito_bot.account.page import Outcome, plain
from splito_bot.account.session import Session, encoded
from splito_bot.schemas.bots import BotSummary, Check, OpenTo

Wanted: TypeAlias = argparse.Namespace
OPEN_TO: tuple[str, ...] = get_args(OpenTo)
BOT = "the id or name of your bot; not needed if you have only one"


def add_commands(commands: Any) -> None:
    """Add the commands to the program."""
    _add_accounts(commands)
    _add_bots(commands)


def add_access(command: Any) -> None:
    """Add the options that choose the service and the key."""
    command.add_argument("--url", help=f"the address of the arena, or set {URL}; by default that of your profile")
    command.add_argument(
        "--key", help=f"a key of yours. Better: log in, or set {KEY}, because other users can see command lines"
    )
    command.add_argument("--profile", help=f"a profile of `splito-bot login`, or set {PROFILE}")


def given(wanted: Wanted) -> Given:
    """Return the options that choose the service and the key."""
    return Given(wanted.url, wanted.key, wanted.profile)


def person() -> Desk:
    """Return the person at this terminal."""
    return Desk(sys.stdin.isatty() and sys.stderr.isatty(), _ask, getpass.getpass, sys.stdin.readline)


def confirmed(sure: bool, desk: Desk) -> Callable[[BotSummary], bool]:
    """Return the function that asks a person whether a bot is to be retired."""

    def confirm(bot: BotSummary) -> bool:
        if sure or not desk.is_there:
            return sure
        return desk.ask(f"Nothing brings {bot.name} back. Retire it? Type yes: ").strip().lower() == "yes"

    return confirm


def _ask(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline()


def _add_accounts(commands: Any) -> None:
    add = _adder(commands)
    command = add("login", "log in at an arena: make an owner, or take a key that you have", _login)
    command.add_argument("url", metavar="URL", help="the address of the arena, such as http://127.0.0.1:8000")
    command.add_argument("--name", help="the name of a new owner")
    command.add_argument("--key", metavar=STDIN, help=f"read the key of an owner from the input; or set {KEY}")
    command.add_argument("--profile", help="a name for this login, if you have several")
    command = add("logout", "remove a profile with its key", _logout)
    command.add_argument("--profile", help="the profile; by default the one that commands use")
    command.add_argument("--yes", action="store_true", help="do not ask")
    add_access(add("whoami", "show whose key the commands use", lambda wanted: login.whoami(given(wanted))))
    command = add("profiles", "list your profiles", lambda wanted: login.list_profiles(wanted.default))
    command.add_argument("--default", metavar="NAME", help="the profile that commands use from now on")


def _add_bots(commands: Any) -> None:
    add = _adder(commands)
    command = add("register", "register a bot at the arena", _in_session(_register))
    command.add_argument("name", metavar="NAME", help="the name of the bot")
    kind = command.add_mutually_exclusive_group(required=True)
    kind.add_argument("--push", metavar="URL", help="the address at which the arena calls the bot")
    kind.add_argument("--pull", action="store_true", help="the bot polls the arena, from behind any router")
    command.add_argument("--open-to", choices=OPEN_TO, default="organisers", help="who may enter the bot (%(default)s)")
    command.add_argument("--no-save", action="store_true", help="do not keep the secret in the profile")
    add_access(command)
    of_bot = _bot_adder(commands)
    of_bot("prove", "let a push bot prove its address, so that it is ready", _prove)
    command = of_bot("check", "let the arena check a bot, and say how to correct it", _check)
    command.add_argument("--quick", action="store_true", help="play fewer matches; it does not permit ranked games")
    of_bot("status", "show your bots, or one of them with its ratings", _status)
    command = of_bot("asks", "show the last asks of a bot, and its faults", _asks)
    command.add_argument("--faults", action="store_true", help="only asks with a fault")
    command.add_argument("--limit", type=int, default=20, help="how many asks at most (%(default)s)")
    command = of_bot("retire", "delete a bot at the arena; its past results stay", _retire)
    command.add_argument("--yes", action="store_true", help="do not ask")
    command = of_bot("enter", "enter a bot in a ladder", _enter, "tournament")
    command = of_bot("seat", "seat a bot at an open seat of a match", _seat, "match")
    command.add_argument("--seat", type=int, help="the number of the seat; by default any open one")


def _adder(commands: Any) -> Callable[[str, str, Callable[[Wanted], Outcome]], Any]:
    def add(name: str, about: str, run: Callable[[Wanted], Outcome]) -> Any:
        command = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        command.add_argument("--json", action="store_true", help="print JSON, and nothing else")
        command.set_defaults(run=partial(_run, run))
        return command

    return add


def _bot_adder(commands: Any) -> Callable[..., Any]:
    def add(name: str, about: str, run: Callable[[Session, Wanted], Outcome], first: str = "") -> Any:
        command = _adder(commands)(name, about, _in_session(run))
        if first:
            command.add_argument(first, metavar=first.upper(), help=f"the id of the {first}, or its address")
        command.add_argument("bot", metavar="BOT", nargs="?", help=BOT)
        add_access(command)
        return command

    return add


def _in_session(run: Callable[[Session, Wanted], Outcome]) -> Callable[[Wanted], Outcome]:
    def start(wanted: Wanted) -> Outcome:
        with Session.open(given(wanted)) as session:
            return run(session, wanted)

    return start


def _run(run: Callable[[Wanted], Outcome], wanted: Wanted) -> int:
    outcome = run(wanted)
    sys.stdout.write(encoded(outcome.data) + "\n" if wanted.json else plain(outcome.page))
    sys.stdout.flush()
    return outcome.code


def _login(wanted: Wanted) -> Outcome:
    return login.login(wanted.url, name=wanted.name, key=wanted.key, profile=wanted.profile, desk=person())


def _logout(wanted: Wanted) -> Outcome:
    return login.logout(wanted.profile, sure=wanted.yes, desk=person())


def _register(session: Session, wanted: Wanted) -> Outcome:
    return bots.register(session, wanted.name, wanted.push, wanted.open_to, save=not wanted.no_save)


def _prove(session: Session, wanted: Wanted) -> Outcome:
    return bots.prove(session, wanted.bot)


def _check(session: Session, wanted: Wanted) -> Outcome:
    return bots.check(session, wanted.bot, quick=wanted.quick, progress=_Steps())


def _status(session: Session, wanted: Wanted) -> Outcome:
    return bots.status(session, wanted.bot)


def _asks(session: Session, wanted: Wanted) -> Outcome:
    return bots.asks(session, wanted.bot, faults=wanted.faults, limit=wanted.limit)


def _retire(session: Session, wanted: Wanted) -> Outcome:
    return bots.retire(session, wanted.bot, confirmed(wanted.yes, person()))


def _enter(session: Session, wanted: Wanted) -> Outcome:
    return play.enter(session, wanted.tournament, wanted.bot)


def _seat(session: Session, wanted: Wanted) -> Outcome:
    return play.seat(session, wanted.match, wanted.bot, wanted.seat)


class _Steps:
    """Shows the progress of a check on a terminal."""

    def __call__(self, check: Check) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{check.done} of {check.total or '?'} steps")
            sys.stderr.flush()
            if check.done == check.total:
                sys.stderr.write("\r\x1b[K")
