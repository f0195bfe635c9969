"""Conditions under which a tournament can be held: its size, and the owners of its bots."""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil

from splito_arena.formats import Entrant, Expected, Experiment, Format, Ladder, check, expected
from splito_engine.errors import BadOption
from splito_service.errors import TooManyGames, WrongOwner
from splito_service.tournaments.ledger_store import Counts
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.past_rounds import entrants_of

MOST_GAMES = 250_000
"""Maximum number of games of a tournament; for a ladder, in one round and in its kept blocks.

The standings read all of them.
"""


def check_conditions(kept: StoredTournament, *, filled: bool = True) -> None:
    """Raise the problem of a tournament that cannot be held with its entrants.

    Without `filled` further bots can enter before the start, so only more bots than are allowed are a problem.
    """
    playing = [one for one in kept.entrants if one.gone is None]
    entrants = entrants_of(kept)
    check_owners(kept, playing, filled=filled)
    check(kept.format, kept.players, entrants, filled=filled)
    if filled or len(playing) >= kept.players:
        check_size(kept, entrants)


def check_owners(kept: StoredTournament, entrants: Sequence[StoredEntrant], *, filled: bool = True) -> None:
    """Raise `WrongOwner` for an experiment with bots of others, `BadOption` for a ranked one with a single owner.

    An owner must not raise a bot by letting it win against other bots of the same owner.
    """
    compared = {one.owner for one in entrants[:2]}
    if isinstance(kept.format, Experiment) and kept.owner not in compared and compared != {""}:
        raise WrongOwner("NEW or OLD must be a bot of yours, or both must be house bots", field="new")
    if filled and kept.ranked and not isinstance(kept.format, Ladder) and len({one.owner for one in entrants}) < 2:
        raise BadOption(
            "a ranked tournament needs bots of at least two owners; the arena counts as the owner of house bots",
            field="bots",
        )


def check_size(kept: StoredTournament, entrants: Sequence[Entrant]) -> None:
    size = whole(kept.format, kept.players, (*entrants,))
    games = size.games * (1 + kept.extra / max(1, size.blocks // max(1, size.tables)))
    if isinstance(kept.format, Ladder):
        games = max(games, kept.format.keep * size.games / max(1, size.blocks))
    if games > MOST_GAMES:
        text = f"the tournament would have {ceil(games):,} games; at most {MOST_GAMES:,} are allowed"
        raise TooManyGames(text, field="format")


@lru_cache(maxsize=64)
def whole(kind: Format, players: int, entrants: tuple[Entrant, ...]) -> Expected:
    """Return the expected size of a tournament, cached because a bracket of a thousand bots takes a second to count."""
    return expected(kind, players, entrants)


def games_left(kept: StoredTournament, counts: Counts, size: Expected) -> float:
    """Return the games that are left as far as they are known: of open blocks and of blocks not yet planned."""
    per_block = size.games / max(1, size.blocks)
    added = kept.extra * size.tables
    return per_block * max(counts.open, size.blocks + added - counts.done)
