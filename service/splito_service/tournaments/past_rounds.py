"""What a format is told of a tournament: who is in it and can play, and how the tables of its rounds ended."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from splito_arena.blocks.ledger import Entry, block_place, parts, placings, round_id
from splito_arena.blocks.placings import Placings, behind, mean_places
from splito_arena.formats import Elimination, Entrant, Ladder, Past, Round, Swiss, TableResult, waits
from splito_arena.stats.online_rating import Rating
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredEntrant, StoredTournament

NOTHING = Past()
BY_PLACES = (Swiss, Elimination)
"""The formats that ask how a table ended; the others only who sat there."""
AT_ONCE = 64
"""Entries that are read in one call: others get their turn in between."""


def entrants_of(
    kept: StoredTournament, past: Past = NOTHING, ratings: Mapping[str, Rating] | None = None
) -> list[Entrant]:
    """The ratings are for a ladder; elsewhere a bot is as it was when it entered."""
    waited = waits([entrant.bot for entrant in kept.entrants], past)
    return [_entrant(entrant, waited[entrant.bot], ratings) for entrant in kept.entrants]


class Ended(NamedTuple):
    """All that is kept of a block: there may be a hundred thousand."""

    placings: Placings | None
    skipped: str | None


class Results:
    """How the tables of rounds ended that are over. What was read once is remembered: it does not change."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rounds: dict[tuple[str, int], tuple[TableResult, ...]] = {}

    async def past(self, kept: StoredTournament, rounds: Mapping[int, Round]) -> Past:
        """Of all rounds; of a ladder, of as many as it asks for."""
        numbers = [number for number in sorted(rounds) if number < kept.round]
        if isinstance(kept.format, Ladder):
            numbers = numbers[-kept.format.window :]
        played = [await self._tables(kept, number, rounds[number]) for number in numbers]
        return Past(tuple(played), numbers[0] if numbers else kept.round)

    async def _tables(self, kept: StoredTournament, number: int, planned: Round) -> tuple[TableResult, ...]:
        if not isinstance(kept.format, BY_PLACES):
            return tuple(TableResult(bots, None) for bots in planned.tables)
        known = self._rounds.get((kept.id, number))
        if known is None:
            ended = await self._ended(kept.id, number)
            known = self._rounds[kept.id, number] = tuple(
                table_result(bots, ended.get(table, ()), kept) for table, bots in enumerate(planned.tables)
            )
        return known

    async def _ended(self, tournament_id: str, number: int) -> Mapping[int, Sequence[Ended]]:
        """How the blocks of the round ended, by table."""
        tables, after = defaultdict[int, list[Ended]](list), round_id(number)
        while found := await self._ledger.entries(tournament_id, after, AT_ONCE):
            for entry in found:
                place = block_place(entry.block)
                if place.round != number:
                    return tables
                tables[place.table].append(ended(entry))
            after = found[-1].block
        return tables


def ended(entry: Entry) -> Ended:
    return Ended(placings(entry), entry.skipped)


def table_result(bots: Sequence[str], blocks: Sequence[Ended], kept: StoredTournament) -> TableResult:
    """The mean places over the blocks that were played, if any was. Who missed one is last, behind whoever did not."""
    missed = _missed(blocks, kept)
    gone = [bot in missed for bot in bots]
    played = [mean_places(behind(block.placings, gone)) for block in blocks if block.placings is not None]
    return TableResult(tuple(bots), tuple(map(fmean, zip(*played, strict=True))) if played else None)


def _missed(blocks: Sequence[Ended], kept: StoredTournament) -> set[str]:
    """Who was gone when a block was to be played. The ledger says so, for good: they may have come back since."""
    reasons = {block.skipped for block in blocks if block.skipped is not None}
    return {one.bot for one in kept.entrants if any(why.startswith(f"{one.name}: ") for why in reasons)}


def _entrant(entrant: StoredEntrant, waited: int, ratings: Mapping[str, Rating] | None) -> Entrant:
    rating = None if ratings is None else ratings.get(entrant.bot)
    return Entrant(
        bot=entrant.bot,
        owner=entrant.owner,
        rating=entrant.rating if rating is None else rating.mean,
        active=entrant.gone is None,
        games=rating.games if rating else 0,
        waited=waited,
    )


def latest_ratings(kept: StoredTournament, table: Mapping[str, Rating]) -> dict[str, Rating]:
    """By bot: the rating of its version, or of the best known of its others."""
    by_bot = dict[str, Rating]()
    for version, rating in table.items():
        bot, _ = parts(version)
        if bot not in by_bot or rating.blocks > by_bot[bot].blocks:
            by_bot[bot] = rating
    own = {entrant.bot: table.get(f"{entrant.bot}@{entrant.version}") for entrant in kept.entrants}
    return by_bot | {bot: rating for bot, rating in own.items() if rating is not None}
