"""Turns of registered bots in live matches: their clock, their faults, and the notices of a match's start and end.

The rules are those of every match of the arena (`splito_arena.match.seat`): time for each turn, a bank for the match,
one correction, the default move for a fault, and after `STRIKES` faults a house bot plays on. The rest of the clock is
stored with each move, so it outlives the process that asked.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

import msgspec

from splito_arena.bots.subprocess import BotProcesses, Priority
from splito_arena.errors import LookupFailed
from splito_arena.match.messages import Ended, messages_of
from splito_arena.match.player import Player
from splito_arena.match.question import History, Question, question
from splito_arena.match.referee import places
from splito_arena.match.seat import Clock, Decided, Exchange, PendingDecision
from splito_arena.match.terms import STRIKES
from splito_engine.errors import BadBot
from splito_engine.game import Seat
from splito_engine.player import Time
from splito_service.bots.ask_claims import Claims
from splito_service.bots.ask_log import Log
from splito_service.bots.conduct import Conduct, Played
from splito_service.bots.consent import Asker, check_consent
from splito_service.bots.model import STAND_IN, check_ban, unready
from splito_service.bots.players import BotPlayers
from splito_service.bots.store import Bots
from splito_service.errors import UnknownBot
from splito_service.matches.model import Account, Decision, Sitter, StoredMatch

CLOCK = Clock()
"""The clock of every registered bot in a live match."""
FULL = Account(CLOCK.bank_ms)
TOLD = 24 * 3600
"""Seconds for which Redis remembers that the bots of a match got the notice of its end."""

log = logging.getLogger("splito.bot_turns")


class BotTurns:
    """Asks the registered bots of live matches, in one event loop."""

    def __init__(
        self, bots: Bots, players: BotPlayers, claims: Claims, log: Log, conduct: Conduct | None = None
    ) -> None:
        """Make the turns of one event loop. Without `conduct`, a bot that begins to fail is not announced."""
        self._conduct = conduct or Conduct(bots, None)
        self._bots, self._players, self._claims, self._log = bots, players, claims, log

    async def sitter(self, bot_id: str, game: str, asker: Asker) -> Sitter:
        """Return the bot as a sitter of a new match. Raise `NotAllowed`, `Banned`, or `BadBot` with what to do."""
        try:
            bot = await self._bots.get(bot_id)
        except UnknownBot:
            raise BadBot(
                f"there is no bot {bot_id!r}: use the name of a house bot or the id of a registered bot", field="bot"
            ) from None
        check_consent(bot, asker, "bot")
        check_ban(bot, asker.owner)
        why = unready(bot, asker.owner)
        if why is not None:
            raise BadBot(f"bot {bot.name!r} cannot be seated: {why}", field="bot")
        if bot.info is not None and game not in bot.info.games:
            raise BadBot(f"bot {bot.name!r} does not play {game}, but {', '.join(bot.info.games)}", field="bot")
        return Sitter("bot", bot.name, bot.id)

    async def decide(self, kept: StoredMatch, seat: Seat, house: BotProcesses) -> Decision | None:
        """Return the decision of the bot at that seat; None if another process is asking it.

        A house bot decides instead of a replaced bot, and for one turn if the bot's host could not be looked up.
        """
        async with self._claims.holding(f"{kept.id}-{kept.turn}-{seat}") as ours:
            if not ours:
                return None
            account = kept.accounts.get(seat, FULL)
            player = None if account.replaced else await self._seated(kept.sitters[seat].bot)
            if player is not None:
                try:
                    return await self._ask(kept, seat, account, player)
                except LookupFailed as error:
                    log.warning("match %s, seat %d: %s; a house bot plays this turn", kept.id, seat, error)
            return Decision(kept.turn, seat, await house.choose(kept.match, seat, STAND_IN, priority_of(kept)))

    async def renew(self) -> None:
        await self._claims.renew()

    async def tell_end(self, kept: StoredMatch) -> None:
        """Send all registered bots of a match the notice of its end, each at most once, and report their conduct."""
        if kept.accounts and await self._claims.first(f"told:{kept.id}", TOLD):
            for seat, account in kept.accounts.items():
                player = await self._seated(kept.sitters[seat].bot)
                if player is not None and player.notices:
                    player.end(_ended(kept, seat, account))
                await self._report(kept, seat, account)

    async def _report(self, kept: StoredMatch, seat: Seat, account: Account) -> None:
        last = account.faults[-1] if account.faults else None
        codes = [fault.code for fault in account.faults]
        with suppress(UnknownBot):  # deleted during the match
            bot = await self._bots.get(kept.sitters[seat].bot)
            if bot.info is not None:
                played = Played(f"in match {kept.id}", account.replaced, codes, last)
                await self._conduct.played(bot.id, bot.info.version, played)

    async def _seated(self, bot_id: str) -> Player | None:
        try:
            return await self._players.player(await self._bots.get(bot_id))
        except UnknownBot:
            return None

    async def _ask(self, kept: StoredMatch, seat: Seat, account: Account, player: Player) -> Decision:
        """Return the decision of the bot. Raise errors of the arena itself."""
        if seat not in kept.accounts and player.notices:
            player.start(_started(kept, seat))
        time = Time(CLOCK.turn_ms + account.bank_ms, CLOCK.turn_ms, account.bank_ms)
        asked = question(kept.match, seat, kept.id, History(), time=time, last=account.last)
        decided = await _decided(player, asked, self._log.writer(kept.sitters[seat].bot, kept.deal.game))
        if decided.void is not None:
            raise decided.void
        return Decision(kept.turn, seat, decided.move, decided.nudge, account=_charged(account, decided))


async def _decided(player: Player, asked: Question, log: Callable[[Exchange], None]) -> Decided:
    found: asyncio.Future[Decided] = asyncio.get_running_loop().create_future()

    def done(_: Seat, decided: Decided) -> None:
        if not found.done():  # the waiting task may be gone
            found.set_result(decided)

    PendingDecision(player, asked, done, log).begin()
    return await found


def _charged(account: Account, decided: Decided) -> Account:
    faults = account.faults if decided.fault is None else (*account.faults, decided.fault)
    return Account(account.bank_ms - decided.cost.charged_ms, decided.cost, faults, len(faults) >= STRIKES)


def priority_of(kept: StoredMatch) -> Priority:
    """Return the priority of a table's house bots: fair by the client that created it, urgent if people sit there."""
    return Priority(kept.client, kept.has_people)


def _started(kept: StoredMatch, seat: Seat) -> msgspec.Struct:
    match = kept.match
    return messages_of(match.game).Started(
        game=kept.deal.game,
        version=kept.deal.version,
        match=kept.id,
        seat=seat,
        players=match.players,
        options=match.options,
        turn_ms=CLOCK.turn_ms,
        bank_ms=CLOCK.bank_ms,
    )


def _ended(kept: StoredMatch, seat: Seat, account: Account) -> Ended:
    scores = kept.match.scores
    replaced = [seat in kept.accounts and kept.accounts[seat].replaced for seat in range(kept.deal.players)]
    return Ended(
        game=kept.deal.game,
        match=kept.id,
        seat=seat,
        scores=[list(points) for points in scores],
        places=list(places(scores, replaced)),
        faults=list(account.faults),
        replaced=account.replaced,
    )
