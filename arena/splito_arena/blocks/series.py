"""Series of local matches between any bots, without a server: many at once in one process, played by the referee.

A block is a balanced set of seatings, each a match with its own deal and its own id, as in
`splito_arena.blocks.simulate`; the same seed gives the same deals and seats as there.
"""

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import msgspec

from splito_arena.blocks.in_order import in_order
from splito_arena.blocks.results import Block, Result
from splito_arena.blocks.seatings import Seating, seatings
from splito_arena.blocks.simulate import blocks_for, deal_seed, open_salt, seated
from splito_arena.bots.find import find_bot
from splito_arena.bots.functions.path import check_path, is_path
from splito_arena.bots.lineup import Company, is_url
from splito_arena.errors import Unplayable
from splito_arena.faults import Void
from splito_arena.match.referee import Played, referee
from splito_arena.match.terms import PlayTerms, Terms, sent_only
from splito_engine.errors import BadOption
from splito_engine.match import Match, start
from splito_engine.registry import find_game

REPLAYS = 3
"""Number of times that a match is played again after an error of the arena."""
AT_ONCE = 8

log = logging.getLogger("splito.local")


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a series: game, bots, number of deals and seed, and how its matches are played."""

    game: str
    bots: tuple[str, ...]
    """Bots, one per seat, as words of `splito_arena.bots.lineup`."""
    seed: str
    deals: int
    """Least number of matches; it is rounded up to whole blocks."""
    options: dict[str, Any] = {}
    play: PlayTerms = PlayTerms()
    at_once: int = AT_ONCE
    """Number of matches played at the same time."""

    @property
    def games(self) -> int:
        """Return the number of matches of a block."""
        return len(seatings(len(self.bots)))

    @property
    def blocks(self) -> int:
        return blocks_for(self.deals, len(self.bots))


def opening(series: Series) -> Match:
    """Return the first position of the first match. Raise an error for bad settings here, before any bot is called."""
    match = start(find_game(series.game), len(series.bots), deal_seed(series.seed, 0, 0), series.options)
    check_settings(series.bots, series.play, {"deals": series.deals, "at-once": series.at_once})
    return match


def check_settings(words: Sequence[str], play: PlayTerms, counts: Mapping[str, int]) -> None:
    """Raise `BadBot` if an installed bot cannot be found, `BadOption` if a number is too small.

    Functions are not imported here, but in processes of their own.
    """
    least = {name: (value, 1) for name, value in counts.items()} | {"strikes": (play.strikes, 1)}
    clock = {"clock": (play.clock.turn_ms, 1), "bank": (play.clock.bank_ms, 0)}
    for name, (value, smallest) in (least | clock).items():
        if value < smallest:
            raise BadOption(f"{name} must be at least {smallest}, not {value}", field=name)
    for word in words:
        if is_path(word):
            check_path(word)
        elif not is_url(word):
            find_bot(word)


async def play_series(series: Series, company: Company) -> AsyncGenerator[Block]:
    """Yield the blocks in the order of their numbers. Some are played ahead, and cancelled with the generator."""
    tables = _Tables(series, company)
    ahead = 1 + -(-series.at_once // series.games)
    async with aclosing(in_order(tables.block, range(series.blocks), ahead)) as blocks:
        async for block in blocks:
            yield block


def match_id(seed: str, block: int, game: int, replays: int = 0) -> str:
    """Return the id of a match: the same for the same seed, and without revealing the block and the game."""
    return hashlib.sha256(f"splito/1/match/{seed}/{block}/{game}/{replays}".encode()).hexdigest()[:24]


class _Tables:
    """The matches of a series in play, limited to the number that may be played at once."""

    def __init__(self, series: Series, company: Company) -> None:
        self._series, self._company = series, company
        self._play_terms = msgspec.structs.replace(series.play, log=sent_only(series.play.log))
        self._game = find_game(series.game)
        self._free = asyncio.Semaphore(series.at_once)

    async def block(self, block: int) -> Block:
        games = enumerate(seated(self._series.seed, block, len(self._series.bots)))
        matches = (self._match(block, game, seating) for game, seating in games)
        return Block(block, tuple(await asyncio.gather(*matches)))

    async def _match(self, block: int, game: int, seating: Seating) -> Result:
        async with self._free:
            return _result(await self._played(block, game, seating), seating)

    async def _played(self, block: int, game: int, seating: Seating) -> Played:
        why: Void | None = None
        for replays in range(1 + REPLAYS):
            try:
                seed = self._series.seed
                return await self._play(match_id(seed, block, game, replays), deal_seed(seed, block, game), seating)
            except Void as void:
                log.warning("block %d, game %d: %s; the match does not count", block, game, void)
                why = void
        raise Unplayable(f"block {block} was given up, game {game} played {1 + REPLAYS} times: {why}") from why

    async def _play(self, match: str, seed: str, seating: Seating) -> Played:
        series = self._series
        terms = Terms(
            game=self._game,
            match=match,
            seed=seed,
            salt=open_salt(seed),
            options=series.options,
            play=self._play_terms,
        )
        at_table = [self._company.players[bot] for bot in seating]
        return await referee(terms, at_table, lambda _: self._company.stand_in)


def _result(played: Played, seating: Seating) -> Result:
    return Result(
        seating=seating,
        scores=played.record.scores,
        seconds=tuple(tuple(ms / 1000 for ms in seat.elapsed_ms) for seat in played.seats),
        record=played.record,
        faults=tuple(tuple(note.code for note in seat.faults) for seat in played.seats),
        replaced=tuple(seat.replaced for seat in played.seats),
    )
