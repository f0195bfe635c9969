"""The companion of a connected bot: a thread that has it checked, watches its ratings, and tells its info again.

It has a session of its own, and is a daemon, because nothing of it is lost when the program ends.
"""

import threading
from contextlib import suppress

from splito_bot.account.bots import verdict
from splito_bot.account.pull import describe
from splito_bot.account.ratings import Rated, ratings_of
from splito_bot.account.session import Session, path_of
from splito_bot.account.trouble import RefusedByService, Trouble
from splito_bot.contract import BotInfo
from splito_bot.running.console import say
from splito_bot.running.tally import Tally
from splito_bot.schemas.bots import Bot, Check, NewCheck

EVERY = 30.0
"""Seconds between two looks at the ratings."""
LOOK = 2.0
"""Seconds between two looks at a check."""


class Companion:
    def __init__(self, session: Session, bot: Bot, info: BotInfo, tally: Tally, *, check: bool) -> None:
        self._session, self._bot, self._info, self._tally, self._check = session, bot, info, tally, check

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with suppress(RuntimeError):  # httpx raises it when the program has closed the session at its end
            self._accompany()

    def _accompany(self) -> None:
        """Check the bot, then look at its ratings for ever. What fails is tried again at the next look."""
        while True:
            try:
                if self._check and not self._bot.checked:
                    self._check = self._have_checked()
                self._look()
            except Trouble:
                pass  # the poll for asks says it if the service is away
            if self._tally.returned.wait(EVERY):
                self._tally.returned.clear()
                self._tell_again()

    def _have_checked(self) -> bool:
        """Let the arena check the bot. Return True if another check may pass later: this one was lost."""
        path = path_of("bots", self._bot.id, "checks")
        try:
            found = self._session.send("POST", path, Check, NewCheck())
        except RefusedByService as error:
            say(f"the arena does not check the bot: {error.cause}")
            return False
        say(f"the arena checks version {found.version} for ranked games")
        while found.state == "running":
            threading.Event().wait(LOOK)
            found = self._session.get(f"{path}/{found.id}", Check)
        say(f"the check: {verdict(found)}" + ("" if found.passed else f"; `splito-bot check {self._bot.id}` says why"))
        self._bot = self._session.bot(self._bot.id)
        return found.state == "lost"

    def _look(self) -> None:
        found = ratings_of(self._session, self._bot.id, self._info.games)
        self._tally.ratings = [_text(one) for one in found if one.version == self._info.version]

    def _tell_again(self) -> None:
        """Tell the info after the service was away, because it may have lost it, or another program changed it."""
        try:
            self._bot = describe(self._session, self._session.bot(self._bot.id), self._info)
        except Trouble as error:
            say(f"the info of the bot could not be told: {error.cause}")


def _text(one: Rated) -> str:
    return f"{one.game} for {one.players}: {one.cells[4]} (rank {one.rank})"
