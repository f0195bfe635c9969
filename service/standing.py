"""What a format is told of a tournament: who is in it and can play, and how the tables of its rounds ended."""

from collections.abc import Iterable, Mapping, Sequence

from arena.formats import Elimination, Entrant, Ladder, Past, Round, Swiss, TableResult, waits
from arena.ledger import Entry, parts, placings
from arena.placings import mean_places
from arena.ratings import Rating
from service.store.ledger import Ledger
from service.store.tournament_keys import BlockPlace, block_id, block_place
from service.store.tournaments import KeptEntrant, KeptTournament

NOTHING = Past()
BY_PLACES = (Swiss, Elimination)
"""The formats that ask how a table ended; the others only who sat there."""


def entrants_of(
    kept: KeptTournament, past: Past = NOTHING, ratings: Mapping[str, Rating] | None = None
) -> list[Entrant]:
    """The ratings are for a ladder; elsewhere a bot is as it was when it entered."""
    waited = waits([entrant.bot for entrant in kept.entrants], past)
    return [_entrant(entrant, waited[entrant.bot], ratings) for entrant in kept.entrants]


class Results:
    """How the tables of rounds ended that are over. What was read once is remembered: it does not change."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rounds: dict[tuple[str, int], tuple[TableResult, ...]] = {}

    async def past(self, kept: KeptTournament, rounds: Mapping[int, Round]) -> Past:
        """Of all rounds; of a ladder, of as many as it asks for."""
        numbers = [number for number in sorted(rounds) if number < kept.round]
        if isinstance(kept.format, Ladder):
            numbers = numbers[-kept.format.window :]
        played = [await self._tables(kept, number, rounds[number]) for number in numbers]
        return Past(tuple(played), numbers[0] if numbers else kept.round)

    async def _tables(self, kept: KeptTournament, number: int, planned: Round) -> tuple[TableResult, ...]:
        if not isinstance(kept.format, BY_PLACES):
            return tuple(TableResult(bots, None) for bots in planned.tables)
        known = self._rounds.get((kept.id, number))
        if known is None:
            entries = await self._entries(kept.id, number, planned)
            known = self._rounds[kept.id, number] = tuple(
                table_result(bots, entries.get(table, ()), kept) for table, bots in enumerate(planned.tables)
            )
        return known

    async def _entries(self, tournament_id: str, number: int, planned: Round) -> dict[int, list[Entry]]:
        """By table."""
        after = block_id(BlockPlace(number, 0, 0)).partition("-")[0]
        found = await self._ledger.entries(tournament_id, after, len(planned.tables) * planned.blocks)
        tables = dict[int, list[Entry]]()
        for entry in found:
            place = block_place(entry.block)
            if place.round == number:
                tables.setdefault(place.table, []).append(entry)
        return tables


def table_result(bots: Sequence[str], entries: Iterable[Entry], kept: KeptTournament) -> TableResult:
    """The mean places over the blocks that were played. Who is gone is last, behind whoever is still there."""
    gone = {entrant.bot for entrant in kept.entrants if entrant.gone is not None}
    means = [mean_places(found) for entry in entries if (found := placings(entry)) is not None]
    if not means and not gone & {*bots}:
        return TableResult(tuple(bots), None)
    mean = [sum(block) / len(means) for block in zip(*means, strict=True)] if means else [1.0] * len(bots)
    places = (float(len(bots)) if bot in gone else place for bot, place in zip(bots, mean, strict=True))
    return TableResult(tuple(bots), tuple(places))


def _entrant(entrant: KeptEntrant, waited: int, ratings: Mapping[str, Rating] | None) -> Entrant:
    rating = None if ratings is None else ratings.get(entrant.bot)
    return Entrant(
        bot=entrant.bot,
        owner=entrant.owner,
        rating=entrant.rating if rating is None else rating.mean,
        active=entrant.gone is None,
        games=rating.games if rating else 0,
        waited=waited,
    )


def latest_ratings(kept: KeptTournament, table: Mapping[str, Rating]) -> dict[str, Rating]:
    """By bot: the rating of its version, or of the best known of its others."""
    by_bot = dict[str, Rating]()
    for version, rating in table.items():
        bot, _ = parts(version)
        if bot not in by_bot or rating.blocks > by_bot[bot].blocks:
            by_bot[bot] = rating
    own = {entrant.bot: table.get(f"{entrant.bot}@{entrant.version}") for entrant in kept.entrants}
    return by_bot | {bot: rating for bot, rating in own.items() if rating is not None}
