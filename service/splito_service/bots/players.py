"""Registered bots at live tables: who answers for them, by which clock, and what becomes of their faults.

The rules are those of every match of the arena (`splito_arena.match.seat`): so much time for a turn, and a bank for the
match; one correction, the default move for a fault, and after some of them somebody of the house plays on. What a seat
has left is kept in the match, together with each of its moves: it outlives the process that asked.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import msgspec

from splito_arena.bots.push import Push
from splito_arena.bots.subprocess import House, Priority
from splito_arena.errors import BadAddress, LookupFailed
from splito_arena.match.messages import BotInfo, Ended, messages_of
from splito_arena.match.player import Player
from splito_arena.match.question import History, Question, question
from splito_arena.match.referee import STRIKES, places
from splito_arena.match.seat import Clock, Decided, Deciding, Exchange
from splito_engine.errors import BadBot
from splito_engine.game import Seat
from splito_engine.player import Time
from splito_service.bots.ask_claims import Claims
from splito_service.bots.ask_log import Log
from splito_service.bots.consent import Asker, check_consent
from splito_service.bots.pull import Desk, Pull
from splito_service.bots.registry import Registry, unready
from splito_service.bots.store import ID, Bots, Registered
from splito_service.errors import UnknownBot
from splito_service.matches.model import Account, Decision, Kept, Sitter

CLOCK = Clock()
"""Of every registered bot at a live table."""
FULL = Account(CLOCK.bank_ms)
STAND_IN = "planner"
"""The bot that plays on for a person who has left, or for a bot with too many faults."""
TOLD = 24 * 3600
"""Seconds for which it is remembered that the bots of a match know of its end."""

Reached = tuple[Any, Player]

log = logging.getLogger("splito.summons")


class Summons:
    """Used in one event loop."""

    def __init__(self, bots: Bots, registry: Registry, desk: Desk, claims: Claims, log: Log) -> None:
        self._bots, self._registry, self._desk = bots, registry, desk
        self._claims, self._log = claims, log
        self._reached: dict[str, Reached] = {}
        """By the id of the bot: what the player was made from, and the player. One for all that a bot is asked."""

    async def sitter(self, bot_id: str, game: str, asker: Asker) -> Sitter:
        """Return the bot as a sitter of a new match. Raise `NotAllowed`, or `BadBot` with what to do about it."""
        try:
            bot = await self._bots.get(bot_id)
        except UnknownBot:
            raise BadBot(f"there is no bot {bot_id!r}, of the house or registered", field="bot") from None
        check_consent(bot, asker, "bot")
        why = unready(bot, asker.owner)
        if why is not None:
            raise BadBot(f"bot {bot.name!r} cannot be seated: {why}", field="bot")
        if bot.info is not None and game not in bot.info.games:
            raise BadBot(f"bot {bot.name!r} does not play {game}, but {', '.join(bot.info.games)}", field="bot")
        return Sitter("bot", bot.name, bot.id)

    async def player(self, bot: Registered) -> Player | None:
        """Who answers for it; nobody, if it cannot be asked at all."""
        if bot.info is None:
            return None
        made_from = (bot.kind, bot.name, await self._registry.address(bot), bot.info)
        known = self._reached.get(bot.id)
        if known is None or known[0] != made_from:
            try:
                known = self._reached[bot.id] = (made_from, await self._reach(bot, bot.info))
            except BadAddress:
                return None
        return known[1]

    async def decide(self, kept: Kept, seat: Seat, house: House) -> Decision | None:
        """Return what the bot at that seat does; None if another process is asking it.

        A house bot decides instead of a bot that was replaced, and for one turn if its name could not be looked up.
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

    async def tell_end(self, kept: Kept) -> None:
        """To all registered bots of a match that is over. Nobody is told twice."""
        if kept.accounts and await self._claims.first(f"told:{kept.id}", TOLD):
            for seat, account in kept.accounts.items():
                player = await self._seated(kept.sitters[seat].bot)
                if player is not None and player.notices:
                    player.end(_ended(kept, seat, account))

    async def _seated(self, bot_id: str) -> Player | None:
        try:
            return await self.player(await self._bots.get(bot_id))
        except UnknownBot:
            return None

    async def _reach(self, bot: Registered, info: BotInfo) -> Player:
        if bot.kind == "pull":
            return Pull(self._desk, bot.id, bot.name)
        return Push(await self._registry.client(bot), info, bot.name)

    async def _ask(self, kept: Kept, seat: Seat, account: Account, player: Player) -> Decision:
        """Raises what is our own trouble."""
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
        if not found.done():  # nobody may be waiting any more
            found.set_result(decided)

    Deciding(player, asked, done, log).begin()
    return await found


def _charged(account: Account, decided: Decided) -> Account:
    faults = account.faults if decided.fault is None else (*account.faults, decided.fault)
    return Account(account.bank_ms - decided.cost.charged_ms, decided.cost, faults, len(faults) >= STRIKES)


def priority_of(kept: Kept) -> Priority:
    """Return the priority of a table's house bots: fair by the client that created it, urgent if people sit there."""
    return Priority(kept.client, kept.has_people)


def is_registered(bot: str) -> bool:
    """By the form of its name: those of the house are words."""
    return ID.fullmatch(bot) is not None


def _started(kept: Kept, seat: Seat) -> msgspec.Struct:
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


def _ended(kept: Kept, seat: Seat, account: Account) -> Ended:
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
