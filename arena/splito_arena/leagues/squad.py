"""Squad of a league: every bot of the folder in a process of its own, imported and tried before it plays.

A new version plays one trial match against built-in bots, by the clock of the league. A bot that cannot be imported, or
that is replaced in its trial, is listed with the reason and does not play.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version as version_of

import msgspec

from splito_arena.blocks.ledger import VersionId, version_id
from splito_arena.bots.direct import house_bot
from splito_arena.bots.functions.info import check_game
from splito_arena.bots.lineup import Seated
from splito_arena.bots.names import fault_of, is_of_house
from splito_arena.bots.subprocess import BotProcesses, Housed, Loading
from splito_arena.faults import FAULTS, Void
from splito_arena.leagues.entrants import Broken, Entrant
from splito_arena.leagues.ledger import LeagueSettings
from splito_arena.match.player import Hear, Player
from splito_arena.match.question import Question
from splito_arena.match.referee import referee
from splito_arena.match.seat import Exchange
from splito_arena.match.terms import PlayTerms, Terms
from splito_engine.errors import BadBot
from splito_engine.match import start
from splito_engine.registry import find_game

TRIAL = "trial"
"""Seed of the trial matches."""


class Member(msgspec.Struct, frozen=True):
    """A bot that can play."""

    name: str
    version: VersionId
    code: str
    """Hash of its code; empty for a built-in bot."""
    player: Player


class Squad(msgspec.Struct, frozen=True):
    """The bots that can play, the stand-in, and the bots that cannot."""

    members: list[Member]
    stand_in: Player
    broken: list[Broken]


class InTurn(Housed):
    """A player that thinks only when its turn has come, so that bots do not slow each other down.

    A bot has one ask at a time, and of all bots as many think at once as there are slots. Waiting costs a bot no time.
    """

    def __init__(self, house: BotProcesses, bot: str, name: str, slots: asyncio.Semaphore) -> None:
        super().__init__(house, bot, name)
        self._slots, self._own = slots, asyncio.Lock()

    async def _ask(self, question: Question, hear: Hear) -> None:
        async with self._own, self._slots:
            await super()._ask(question, hear)


@asynccontextmanager
async def gathered(
    settings: LeagueSettings,
    entrants: Sequence[Entrant],
    anchors: Sequence[str],
    known: frozenset[VersionId],
    jobs: int,
) -> AsyncGenerator[Squad]:
    """Yield the squad. Versions in `known` have played before and get no trial."""
    slots = asyncio.Semaphore(jobs)
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(BotProcesses(jobs))
        opening = start(find_game(settings.game), settings.players, TRIAL, settings.options)
        best = house_bot(opening).name
        stand_in = InTurn(house, best, best, slots)
        homes = [await stack.enter_async_context(BotProcesses(1, anywhere=True, quiet=True)) for _ in entrants]
        loading = asyncio.Semaphore(jobs)

        async def entered(entrant: Entrant, home: BotProcesses) -> Member | Broken:
            async with loading:
                member = await _loaded(settings, entrant, home, slots)
                if isinstance(member, Broken) or member.version in known:
                    return member
                return await _tried(settings, member, stand_in) or member

        found = await asyncio.gather(*map(entered, entrants, homes))
        ours = version_of("splito-arena")
        built_in = [Member(name, version_id(name, ours), "", InTurn(house, name, name, slots)) for name in anchors]
        members = [one for one in found if isinstance(one, Member)]
        broken = [one for one in found if isinstance(one, Broken)]
        yield Squad([*members, *built_in], stand_in, broken)


async def _loaded(
    settings: LeagueSettings, entrant: Entrant, home: BotProcesses, slots: asyncio.Semaphore
) -> Member | Broken:
    """Import a bot in its process. Its version is that of its info, or the hash of its code."""
    if fault := fault_of(entrant.name):
        return Broken(entrant.name, f"{fault}: rename it")
    if is_of_house(entrant.name):
        return Broken(entrant.name, "its name is that of a built-in bot, or looks like it: rename it")
    said = await home.run(Loading(entrant.word, settings.game))
    if not said.is_ready:
        reason = f"{said.fault}: {said.words}" if said.words else said.fault
        return Broken(entrant.name, reason.removeprefix(f"bot {entrant.word!r} "), said.traceback)
    if said.info is not None:
        try:
            check_game(entrant.name, said.info, settings.game)
        except BadBot as error:
            return Broken(entrant.name, error.message)
    version = said.info.version if said.info else entrant.code
    player = Seated(entrant.name, InTurn(home, entrant.word, entrant.name, slots), log=False)
    return Member(entrant.name, version_id(entrant.name, version), entrant.code, player)


async def _tried(settings: LeagueSettings, member: Member, stand_in: Player) -> Broken | None:
    """Play a trial match. Return the bot as broken if it was replaced, with its first fault."""
    faults: list[Exchange] = []

    def log(_: str, exchange: Exchange) -> None:
        if exchange.fault is not None:
            faults.append(exchange)

    terms = Terms(
        game=find_game(settings.game),
        match=f"trial{member.code}",
        seed=TRIAL,
        salt="",
        options=settings.options,
        play=PlayTerms(clock=settings.clock, strikes=settings.strikes, log=log),
    )
    players = [member.player, *[stand_in] * (settings.players - 1)]
    try:
        played = await referee(terms, players, lambda _: stand_in)
    except Void as void:
        return Broken(member.name, f"could not be tried, by an error of the arena: {void}")
    if not played.seats[0].replaced or not faults:
        return None
    return Broken(member.name, f"replaced in its trial match: {fault_text(faults[0])}", faults[0].traceback)


def fault_text(exchange: Exchange) -> str:
    """Return a fault in words: its code and what the bot did."""
    fault = exchange.fault
    return "" if fault is None else f"{fault.code}: {fault.detail or FAULTS[fault.code].meaning}"
