"""`splito bot check`: checks whether a bot is ready to play."""

import asyncio
import sys

import msgspec
from rich.progress import Progress

from splito_arena.bots.find import bot_names
from splito_arena.bots.lineup import is_url
from splito_arena.checks import (
    LIMIT,
    Address,
    Report,
    Scope,
    Step,
    at_address,
    check,
    on_this_machine,
)
from splito_arena.errors import Unplayable
from splito_arena.faults import Void
from splito_arena.net.signing import Key
from splito_cli.access import MINE, AccountError, Place
from splito_cli.account.check import check_registered
from splito_cli.arguments import Flag, Json, read_bots
from splito_cli.bot_secrets import Secrets, read_secrets
from splito_cli.check_page import page
from splito_cli.terminal.screen import progress_bar, screen
from splito_engine.errors import BadBot, BadOption
from splito_engine.registry import find_game
from splito_engine.registry import games as all_games

EXAMPLES = (
    "splito bot check http://localhost:8001 --secret whsec_...",
    "splito bot check my_bot:choose --games splito,splitter",
    "splito bot check http://localhost:8001 --quick --json",
    "splito bot check owl",
)
NOT_READY = 1


def check_bot(  # noqa: PLR0913 (one parameter per option)
    bot: str,
    /,
    *,
    secret: Secrets = (),
    games: str | None = None,
    quick: Flag = False,
    limit: float = LIMIT,
    place: Place = MINE,
    json: Json = False,
) -> int:
    """Check whether a bot is ready to play, and say how to correct what is not.

    A bot that you have registered is checked by its arena, which permits ranked games then; any other bot is checked by
    this program, and without a secret signatures are not checked. The exit code is 0 if the bot is ready, 1 if a check
    failed.

    Parameters
    ----------
    bot
        The address of a bot, a function as module:function, the name of an installed bot, or the id or name of a bot
        that you have registered.
    games
        The games to check, separated by commas; by default all games that the bot plays.
    quick
        Play matches only with the fewest and the most players of each game.
    limit
        Seconds for all checks together.
    """
    if is_registered(bot):
        return _at_arena(bot, place, quick=quick, json=json)
    scope = _scope(games, quick=quick, limit=limit)
    [word] = read_bots(bot, 1)
    report = _checked(word, read_secrets(secret, [word]).get(word), scope)
    if json:
        sys.stdout.write(msgspec.json.encode(report).decode() + "\n")
    else:
        screen().print(page(report))
    return 0 if report.passed else NOT_READY


def is_registered(word: str) -> bool:
    """True if the word can only be a bot at an arena: no address, no function, and no installed bot."""
    return not {*":/,"} & {*word} and word not in bot_names()


def _at_arena(bot: str, place: Place, *, quick: bool, json: bool) -> int:
    """Let the arena check a bot. Raise `BadBot` for a word that is no installed bot, if the user is not logged in."""
    try:
        return check_registered(bot, place, quick=quick, json=json)
    except AccountError as error:
        if error.shown_code != "not-logged-in":
            raise
        said = f"there is no installed bot {bot!r}; a bot of yours at an arena needs `splito login URL` first"
        raise BadBot(said, field="bot") from None


def _scope(games: str | None, *, quick: bool, limit: float) -> Scope:
    """Return the scope of the checks. Raise an error for an unknown game or a limit that is not possible."""
    chosen = tuple(find_game(name.strip()).INFO.id for name in games.split(",")) if games else ()
    if limit <= 0:
        raise BadOption(f"limit must be more than 0 seconds, not {limit:g}", field="limit")
    return Scope(games=chosen, quick=quick, limit=limit)


def _checked(word: str, secret: str | None, scope: Scope) -> Report:
    """Return the report on a bot. Raise `Unplayable` if it could not be checked."""
    try:
        return asyncio.run(_at_address(word, secret, scope) if is_url(word) else _here(word, scope))
    except Void as void:
        raise Unplayable(f"the bot could not be checked: {void}") from void


async def _at_address(url: str, secret: str | None, scope: Scope) -> Report:
    """Return the report on the bot at an address, which may be in a private network, because the user names it."""
    address = Address(url, Key(secret) if secret else None, allow_private=True)
    async with at_address(address) as subject:
        with progress_bar("{task.description}") as progress:
            return await check(subject, scope, _Bar(progress).move)


async def _here(word: str, scope: Scope) -> Report:
    """Return the report on a function or an installed bot, which runs in a process of its own."""
    async with on_this_machine(word, scope.games or tuple(all_games())) as subject:
        with progress_bar("{task.description}") as progress:
            return await check(subject, scope, _Bar(progress).move)


class _Bar:
    def __init__(self, progress: Progress) -> None:
        self._progress, self._task = progress, progress.add_task("", total=None)

    def move(self, step: Step) -> None:
        self._progress.update(self._task, description=step.what, completed=step.done, total=step.total)
