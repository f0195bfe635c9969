"""`splito arena`: your bots at an arena on one page: ratings, matches, faults and answer times, with keys to act."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Annotated, TypeAlias
from urllib.parse import quote

import msgspec
from cyclopts import Parameter
from rich.console import RenderableType
from rich.live import Live

from splito_arena.bots.ask_log import LoggedAsk
from splito_arena.bots.push_client import BotClient
from splito_arena.bots.resend import Outcome, Resent
from splito_arena.bots.resend import resend as send_again
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key
from splito_bot.account.session import pick
from splito_cli.access import MINE, Place, open_remote, session
from splito_cli.arguments import Flag, Json
from splito_cli.dashboard.model import LONGEST_HISTORY, AskPage, Bot, Leaderboard, Picture, picture
from splito_cli.dashboard.page import page
from splito_cli.remote import Remote
from splito_cli.terminal.screen import wide_screen
from splito_engine.errors import BadOption, GameError

EXAMPLES = (
    "splito arena",
    "splito arena owl --to http://127.0.0.1:8001",
    "splito arena 06gpr1k08099qgdgdpas627q --profile example --once --json",
)
MOST = 10
"""Bots that are shown if none is named: the newest ones."""
REFRESH = 5.0
"""Seconds between two readings of the service."""
ASKS = 100
"""Asks of each bot that are read: the most that the service returns at once."""
LIMIT = 60.0
"""Seconds that a bot has to answer an ask that is sent again."""
SECRET = "SPLITO_BOT_SECRET"  # noqa: S105 (the name of a variable)
PLAYERS = 3  # at the tables of an experiment: NEW, OLD and one bot of the field


class Started(msgspec.Struct, frozen=True):
    """An experiment that has begun."""

    id: str


def arena(
    *bots: str,
    place: Place = MINE,
    to: str = "http://127.0.0.1:8001",
    against: str = "greedy",
    once: Annotated[Flag, Parameter(help="Print the page once, and end; so does a pipe.")] = False,
    json: Json = False,
) -> None:
    """Show your bots at an arena: state, ratings, last matches, faults and answer times.

    On a terminal the page is read again every five seconds, until you press q. Tab chooses a bot, and the arrow keys an
    ask of its log; r sends the ask again to the bot at --to, and e starts an experiment of the bot against --against.
    The course of the rating begins when the page is opened. Your key needs the scopes `bots` and `logs`, and `play` for
    experiments.

    Parameters
    ----------
    bots
        The names or ids of your bots; without one, your ten newest.
    to
        The bot that answers asks that are sent again; SPLITO_BOT_SECRET signs them.
    against
        The bot that an experiment compares with: a house bot, or the id of another bot of yours.
    """
    with session(place) as there:
        mine = there.bots()
        ids = [pick(mine, bot).id for bot in bots] or [bot.id for bot in mine[:MOST]]
    if not ids:
        raise BadOption("you have no bot at this arena: register one with `splito bot register`", field="bots")
    with open_remote(place) as remote:
        dashboard = Dashboard(remote, ids, to, against)
        dashboard.read()
        if json:
            found = {"bots": dashboard.pictures}
            sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
        elif once or not (sys.stdin.isatty() and sys.stdout.isatty()):
            wide_screen().print(page(remote.url, dashboard.pictures, dashboard.history))
        else:
            dashboard.run()


class Dashboard:
    """The page of some bots, with what the person at the terminal has chosen."""

    def __init__(self, remote: Remote, bots: Sequence[str], to: str, against: str) -> None:
        self._remote, self._bots, self._to, self._against = remote, bots, to, against
        self.pictures: list[Picture] = []
        self.history: dict[str, list[float]] = {}
        """Ratings of each bot at each reading, by its id."""
        self._bot, self._ask, self._message = 0, 0, ""
        self._read = 0.0

    def read(self) -> None:
        """Read all bots from the service."""
        self._read = monotonic()
        bots = [self._remote.get(_path(bot), Bot) for bot in self._bots]
        games = dict.fromkeys(game for bot in bots for game in bot.games)
        boards = [self._remote.get(f"/v1/{quote(game, safe='')}/leaderboard", Leaderboard) for game in games]
        self.pictures = [
            picture(bot, self._remote.get(f"{_path(bot.id)}/asks", AskPage, ASKS).asks, boards) for bot in bots
        ]
        for one in self.pictures:
            best = max(one.ratings, key=lambda rated: rated.games, default=None)
            if best is not None:
                self.history.setdefault(one.bot.id, []).append(best.rating)
                del self.history[one.bot.id][:-LONGEST_HISTORY]

    def run(self) -> None:
        """Show the page and obey keys until q."""
        from splito_cli.dashboard.keys import Keys  # noqa: PLC0415 (POSIX alone has termios)

        with Keys() as keys, Live(self._page(), console=wide_screen(), screen=True, auto_refresh=False) as live:
            while (pressed := keys.next(max(0.0, self._read + REFRESH - monotonic()))) != "q":
                act = Dashboard.read if pressed is None else KEYS.get(pressed)
                if act is not None:
                    self._try(act)
                    live.update(self._page(), refresh=True)

    def next_bot(self) -> None:
        self._bot, self._ask, self._message = (self._bot + 1) % len(self.pictures), 0, ""

    def next_ask(self) -> None:
        self._ask = max(0, min(self._ask + 1, len(self._picture.asks) - 1))

    def previous_ask(self) -> None:
        self._ask = max(0, self._ask - 1)

    def resend(self) -> None:
        """Send the chosen ask again to the bot on this machine, and show both outcomes."""
        asks = self._picture.asks
        if not asks:
            self._message = "the log of this bot has no ask"
            return
        chosen = asks[min(self._ask, len(asks) - 1)].id
        logged = self._remote.get(f"{_path(self._picture.bot.id)}/asks/{quote(chosen, safe='')}", LoggedAsk)
        resent = asyncio.run(_send(logged, self._to))
        then, now = _words(resent.then), _words(resent.now)
        self._message = f"{chosen}: then {then}; now {now} in {resent.now.elapsed_ms:.0f} ms, from {self._to}"

    def experiment(self) -> None:
        """Start an experiment of the chosen bot in its first game."""
        bot = self._picture.bot
        if not bot.games:
            self._message = f"{bot.name} has no game yet: prove or describe it first"
            return
        wanted = {"game": bot.games[0], "players": PLAYERS, "new": bot.id, "old": self._against, "field": ["random"]}
        begun = self._remote.send("POST", "/v1/experiments", wanted, Started)
        where = f"{self._remote.url}/v1/experiments/{begun.id}"
        self._message = f"experiment {begun.id} of {bot.name} against {self._against} has begun: {where}"

    @property
    def _picture(self) -> Picture:
        return self.pictures[self._bot]

    def _try(self, act: "Act") -> None:
        """Act. An error of the service or of the bot is shown as a message, because the page stays."""
        try:
            act(self)
        except (GameError, OSError) as error:
            self._message = str(error)

    def _page(self) -> RenderableType:
        return page(self._remote.url, self.pictures, self.history, (self._bot, self._ask), self._message)


Act: TypeAlias = Callable[[Dashboard], None]
KEYS: dict[str, Act] = {
    "next": Dashboard.next_bot,
    "down": Dashboard.next_ask,
    "up": Dashboard.previous_ask,
    "r": Dashboard.resend,
    "e": Dashboard.experiment,
}


async def _send(logged: LoggedAsk, to: str) -> Resent:
    secret = os.environ.get(SECRET, "").partition(",")[0].strip()
    async with Caller() as caller:
        return await send_again(logged, BotClient(caller, to, Key(secret) if secret else None, True), LIMIT)


def _words(outcome: Outcome) -> str:
    return outcome.move or "none" if outcome.fault is None else f"{outcome.fault.code} ({outcome.fault.detail})"


def _path(bot: str) -> str:
    return f"/v1/bots/{quote(bot, safe='')}"
