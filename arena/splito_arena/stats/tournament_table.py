"""Tables of a tournament, derived from its ledger alone: the published table and the crosstable.

The order of the blocks changes no figure except the online rating and its trend, for which they are taken in the order
of their ids. The same blocks therefore always give the same table, during the tournament and at its end.
"""

from collections.abc import Iterable

from splito_arena.blocks.ledger import Entry, Game, VersionId, placings
from splito_arena.blocks.placings import Placings
from splito_arena.stats.head_to_head import Pair, head_to_head
from splito_arena.stats.online_rating import leaderboard, replayed
from splito_arena.stats.standings import BotGame, Line, bot_results, by_bot


def standings(ledger: Iterable[Entry]) -> tuple[Line, ...]:
    """Return the table group by group, the best first; empty without rated blocks. Experiments are not rated."""
    from splito_arena.stats.fitted_rating import refit  # noqa: PLC0415 (numpy takes 0.14 s, and few processes need it)

    played = _rated(ledger)
    if not played:
        return ()
    places = [found for _, found in played]
    online = {row.bot: row for row in leaderboard(replayed(places))}
    results = {bot: bot_results(blocks) for bot, blocks in _blocks_of(entry for entry, _ in played).items()}
    return tuple(
        Line(
            bot=row.bot,
            rating=row.rating,
            group=row.group,
            games=row.games,
            blocks=row.blocks,
            place=results[row.bot].place,
            points=results[row.bot].points,
            wins=results[row.bot].wins,
            faults=dict(sorted(results[row.bot].faults.items())),
            replaced=results[row.bot].replaced,
            online=online[row.bot].rating,
            trend=online[row.bot].trend,
        )
        for row in refit(places)
    )


def crosstable(ledger: Iterable[Entry]) -> tuple[Pair, ...]:
    """Return the head-to-head results of all pairs that met, each pair once."""
    return head_to_head(rateable(ledger))


def rated_entries(ledger: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries in which all bots of the table played, in the order of play."""
    return tuple(entry for entry, _ in _rated(ledger))


def rateable(ledger: Iterable[Entry]) -> tuple[Placings, ...]:
    return tuple(found for found in map(placings, ledger) if found is not None)


def games_of(ledger: Iterable[Entry]) -> dict[VersionId, list[BotGame[Game]]]:
    """Return all games of each bot."""
    return {bot: [one for block in blocks for one in block] for bot, blocks in _blocks_of(ledger).items()}


def _rated(ledger: Iterable[Entry]) -> list[tuple[Entry, Placings]]:
    found = ((entry, placings(entry)) for entry in ledger)
    return sorted(((entry, places) for entry, places in found if places), key=lambda both: both[0].block)


def _blocks_of(ledger: Iterable[Entry]) -> dict[VersionId, list[list[BotGame[Game]]]]:
    """Return the games of each bot, block by block."""
    found = dict[VersionId, list[list[BotGame[Game]]]]()
    for entry in ledger:
        for bot, games in zip(entry.bots, by_bot(entry.games, len(entry.bots)), strict=True):
            found.setdefault(bot, []).append(games)
    return found
