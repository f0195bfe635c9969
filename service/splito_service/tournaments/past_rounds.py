"""Past rounds as input of a format: the entrants that can play, and the results of the tables."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from splito_arena.blocks.ledger import Entry, block_place, parts, placings, round_id, version_id
from splito_arena.blocks.placings import Placings, behind, mean_places
from splito_arena.bots.find import installed_name
from splito_arena.formats import Elimination, Entrant, Experiment, Ladder, Past, Round, Swiss, TableResult, waits
from splito_arena.stats.online_rating import Rating
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredEntrant, StoredTournament

NOTHING = Past()
BY_PLACES = (Swiss, Elimination)
"""Formats that need the results of tables; the others need only the bots of each table."""
AT_ONCE = 64
"""Number of entries that are read in one call, because other tasks need their turn."""


def entrants_of(
    kept: StoredTournament, past: Past = NOTHING, ratings: Mapping[str, Rating] | None = None
) -> list[Entrant]:
    """Return the entrants for a format.

    `ratings` are for a ladder; in other formats a bot keeps its rating of the start.
    """
    waited = waits([entrant.bot for entrant in kept.entrants], past)
    return [_entrant(entrant, waited[entrant.bot], ratings) for entrant in kept.entrants]


class Ended(NamedTuple):
    """The result of a block, reduced to little memory because there may be a hundred thousand."""

    placings: Placings | None
    skipped: str | None


class Results:
    """The results of tables in finished rounds, cached because they do not change."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rounds: dict[tuple[str, int], tuple[tuple[int, int], tuple[TableResult, ...]]] = {}
        """Results by tournament and round, with the numbers of blocks per table and of regular ones among them."""

    async def past(self, kept: StoredTournament, rounds: Mapping[int, Round]) -> Past:
        """Return the past of all rounds; for a ladder, of as many rounds as it needs."""
        numbers = [number for number in sorted(rounds) if number < kept.round]
        if isinstance(kept.format, Ladder):
            numbers = numbers[-kept.format.window :]
        played = [await self._tables(kept, number, rounds[number]) for number in numbers]
        return Past(tuple(played), numbers[0] if numbers else kept.round)

    async def _tables(self, kept: StoredTournament, number: int, planned: Round) -> tuple[TableResult, ...]:
        if not isinstance(kept.format, BY_PLACES):
            return tuple(TableResult(bots, None) for bots in planned.tables)
        known, results = self._rounds.get((kept.id, number), ((0, 0), ()))
        blocks = planned.blocks, regular_blocks(kept)
        if known != blocks:
            ended = await self._ended(kept.id, number, planned.blocks)
            results = tuple(table_result(bots, ended.get(table, ()), kept) for table, bots in enumerate(planned.tables))
            self._rounds[kept.id, number] = blocks, results
        return results

    async def _ended(self, tournament_id: str, number: int, blocks: int) -> Mapping[int, Sequence[Ended]]:
        """Return the results of the first `blocks` blocks of a round, by table."""
        tables, after = defaultdict[int, list[Ended]](list), round_id(number)
        while found := await self._ledger.entries(tournament_id, after, AT_ONCE):
            for entry in found:
                place = block_place(entry.block)
                if place.round != number:
                    return tables
                if place.number < blocks:
                    tables[place.table].append(ended(entry))
            after = found[-1].block
        return tables


def regular_blocks(kept: StoredTournament) -> int:
    """Return the number of blocks per table; later blocks of a final are deciding blocks."""
    return (0 if isinstance(kept.format, Experiment) else kept.format.blocks) + kept.extra


def ended(entry: Entry) -> Ended:
    return Ended(placings(entry), entry.skipped)


def table_result(bots: Sequence[str], blocks: Sequence[Ended], kept: StoredTournament) -> TableResult:
    """Return the mean places over the played blocks, which are in order. Bots that missed a block come last."""
    missed = _missed(blocks, kept)
    gone = [bot in missed for bot in bots]
    regular = regular_blocks(kept) if isinstance(kept.format, Elimination) else len(blocks)
    played, deciding = _places(blocks[:regular], gone), _places(blocks[regular:], gone)
    places = tuple(map(fmean, zip(*played, strict=True))) if played else None
    return TableResult(tuple(bots), places, tuple(deciding))


def _places(blocks: Sequence[Ended], gone: Sequence[bool]) -> list[tuple[float, ...]]:
    return [mean_places(behind(block.placings, gone)) for block in blocks if block.placings is not None]


def _missed(blocks: Sequence[Ended], kept: StoredTournament) -> set[str]:
    """Return the bots that were gone when a block was due.

    The ledger is used, because a bot may have come back since.
    """
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
        since=entrant.since,
    )


def latest_ratings(kept: StoredTournament, table: Mapping[str, Rating]) -> dict[str, Rating]:
    """Return ratings by bot: of its version, or of the best known of its other versions.

    A copy of a house bot has the rating of that bot, for seeds and pairings only; it is not rated itself.
    """
    by_bot = dict[str, Rating]()
    for version, rating in table.items():
        bot, _ = parts(version)
        if bot not in by_bot or rating.blocks > by_bot[bot].blocks:
            by_bot[bot] = rating
    own = {entrant.bot: installed_name(entrant.bot) for entrant in kept.entrants}
    versions = {entrant.bot: version_id(own[entrant.bot], entrant.version) for entrant in kept.entrants}
    found = {bot: table.get(versions[bot]) or by_bot.get(own[bot]) for bot in own}
    return by_bot | {bot: rating for bot, rating in found.items() if rating is not None}
