"""The official placing of a stored tournament, by the rules of its format."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from msgspec.structs import replace

from splito_arena.blocks.ledger import parts, placings, version_id
from splito_arena.blocks.placings import mean_places
from splito_arena.formats import Experiment, Figures, Ladder, Past, Placing, named, placing
from splito_arena.formats.placing import UNPLAYED
from splito_arena.stats.standings import Line
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.past_rounds import AT_ONCE, BY_PLACES, Results, entrants_of
from splito_service.tournaments.store import Tournaments

KEPT = 64
"""Number of placings that a process keeps."""


class Known(NamedTuple):
    """A placing with the facts that it depends on."""

    facts: tuple[object, ...]
    source: object
    """Lines of the standings, which are the same object until they are computed again; or True while a round is
    open.
    """
    placing: Placing


class PlacingReader:
    """Reader of placings. Used in one event loop.

    It keeps the last placings, because many spectators read them and few blocks change them.
    """

    def __init__(self, tournaments: Tournaments, ledger: Ledger, results: Results) -> None:
        self._tournaments, self._ledger, self._results = tournaments, ledger, results
        self._known: dict[str, Known] = {}

    async def of(self, kept: StoredTournament, lines: Sequence[Line]) -> Placing:
        """Return the placing, which is provisional before the end. `lines` are those of the standings."""
        by_places = isinstance(kept.format, BY_PLACES)
        source = (await self._ledger.counts(kept.id)).open > 0 if by_places else lines
        facts = (kept.state, kept.round, kept.extra, kept.entrants)
        known = self._known.pop(kept.id, None)
        if known is None or known.facts != facts or known.source is not source:
            past = await self._past(kept) if by_places else Past((), kept.round)
            known = Known(facts, source, official(kept, past, None if by_places else figures_of(kept, lines)))
        self._known[kept.id] = known
        if len(self._known) > KEPT:
            del self._known[next(iter(self._known))]
        return known.placing

    async def winners(self, kept: StoredTournament) -> list[StoredEntrant]:
        """Return the winners of a tournament; none if it has not finished, and for ladders and experiments."""
        if kept.state != "finished" or isinstance(kept.format, Experiment | Ladder):
            return []
        if isinstance(kept.format, BY_PLACES):
            found = official(kept, await self._past(kept), None)
        else:
            found = official(kept, Past((), kept.round), await self._mean_places(kept))
        return [entrant for entrant in kept.entrants if entrant.bot in found.winners]

    async def _past(self, kept: StoredTournament) -> Past:
        """Return the finished rounds. Rounds are read before the count, so that no open one is taken for finished."""
        rounds = await self._tournaments.rounds(kept.id)
        planned = sum(len(each.tables) * each.blocks for each in rounds.values())
        if (await self._ledger.counts(kept.id)).done < planned:
            rounds.pop(kept.round - 1, None)
        return await self._results.past(kept, rounds)

    async def _mean_places(self, kept: StoredTournament) -> dict[str, Figures]:
        """Return the figures of the bots that have played, without ratings, which take long to compute."""
        places, after = defaultdict[str, list[float]](list), None
        while entries := await self._ledger.entries(kept.id, after, AT_ONCE):
            for found in (one for one in map(placings, entries) if one is not None):
                for version, place in zip(found.bots, mean_places(found), strict=True):
                    places[parts(version)[0]].append(place)
            after = entries[-1].block
        return {bot: Figures(fmean(of_bot), len(of_bot)) for bot, of_bot in places.items()}


def official(kept: StoredTournament, past: Past, figures: Mapping[str, Figures] | None) -> Placing:
    """Return the placing; `figures` decide formats that do not count tables."""
    entrants, final = entrants_of(kept, past), kept.state == "finished"
    found = placing(kept.format, kept.players, entrants, past, kept.secret, figures=figures, final=final)
    if kept.state == "cancelled" and not found.lines:
        found = replace(found, note=UNPLAYED)
    return named(found, {entrant.bot: entrant.name for entrant in kept.entrants})


def figures_of(kept: StoredTournament, lines: Sequence[Line]) -> dict[str, Figures]:
    """Return the figures of the current versions of the entrants in the standings, by bot."""
    by_version = {line.bot: (rank, line) for rank, line in zip(_ranks(lines), lines, strict=True)}
    found = ((one.bot, by_version.get(version_id(one.bot, one.version))) for one in kept.entrants)
    return {
        bot: Figures(line.place.mean, line.blocks, line.rating, rank)
        for bot, (rank, line) in ((bot, known) for bot, known in found if known is not None)
    }


def _ranks(lines: Sequence[Line]) -> list[int]:
    """Return the ranks of lines, the best first; lines of one group with the same two-sided rating share a rank."""
    ranks = list[int]()
    for number, line in enumerate(lines, 1):
        before = lines[number - 2] if number > 1 else None
        is_equal = before is not None and _strength(before) == _strength(line) and None not in _strength(line)
        ranks.append(ranks[-1] if is_equal else number)
    return ranks


def _strength(line: Line) -> tuple[float | None, ...]:
    return line.group, line.rating.mean, line.rating.low, line.rating.high
