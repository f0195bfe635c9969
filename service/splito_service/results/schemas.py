"""Request and response schemas of the results of a tournament: standings, crosstable, neighbours, blocks and events."""

from collections.abc import Mapping
from typing import Any

import msgspec

from splito_arena.blocks.ledger import Entry, Game, placings, version_id
from splito_arena.blocks.placings import mean_places
from splito_arena.blocks.play import commitment_of
from splito_arena.formats import Experiment, Placing
from splito_arena.reports.dump import Head
from splito_arena.reports.tables import FORMS, TABLES, Form, TableName
from splito_arena.stats.collusion import Suspicion
from splito_arena.stats.head_to_head import Pair
from splito_arena.stats.intervals import Interval
from splito_arena.stats.neighbours import Beside
from splito_arena.stats.standings import StandingLine
from splito_engine.game import read_options
from splito_engine.registry import find_game
from splito_service.matches.schemas import Points
from splito_service.schemas import BlockId, BotWord, Count, Id, VersionId
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.schemas.tournaments import Progress

FILES: dict[str, tuple[TableName, Form]] = {f"{table}.{form}": (table, form) for table in TABLES for form in FORMS}
"""Names of the exported files with their table and form: every table in every form."""


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """The standings of a tournament: its official placing, and ratings by a fit to all its games at once."""

    tournament: Id
    blocks: Count
    """Number of finished blocks that the standings are made from."""
    lines: list[StandingLine]
    """Lines of the standings by rating, best first. The ratings do not decide who has won; see `official`."""
    placing: list[list[BotWord]] | None = None
    """Final placing as groups of bots that share a place, the winner first. Null before the end, and if nothing was
    played. `official` has the reasons.
    """
    official: Placing | None = None
    """Official placing by the rules of the format, provisional before the end. Older services leave it out."""


class Crosstable(msgspec.Struct, frozen=True, kw_only=True):
    """The crosstable: results of each two bots over the games that both played."""

    tournament: Id
    blocks: Count
    pairs: list[Pair]
    """Pairs of bots that met, each pair once."""


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """The neighbours: results of bots next to each other, and pairs that raise each other more than they raise
    others.
    """

    tournament: Id
    blocks: Count
    beside: list[Beside]
    """Results of each bot next to each bot that sat beside it."""
    suspicions: list[Suspicion]
    """Pairs that were examined, the most suspect first."""
    false_alarms: float
    """Upper bound of the probability that a tournament of honest bots has any flag."""


class BlockSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A finished block."""

    block: BlockId
    """Id of the block: round, number and table."""
    bots: list[VersionId]
    places: list[float] | None
    """Mean place of each bot over the games; null if not all bots play in each game, or none was played."""
    games: Count
    skipped: str | None
    """Reason why the block was skipped; null if it was played."""


class BlockPage(msgspec.Struct, frozen=True):
    """A page of finished blocks, in the order of play."""

    blocks: list[BlockSummary]
    next: BlockId | None
    """Value of `after_block` for the next page; null on the last page."""


class BlockGame(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a block."""

    match: Id
    seating: list[Count]
    """Bots by seat, as indexes of the list of bots of the block."""
    places: list[float]
    """Places by seat, from 1. Tied seats share the mean of the places; replaced bots come last."""
    scores: list[Points]
    """Scores by seat."""
    faults: list[list[str]]
    """Codes of the faults by seat."""
    fault_turns: list[list[Count]]
    """Turns of the faults by seat, from 0; empty for games that were stored before this field existed."""
    replaced: list[bool]
    """True by seat if a house bot replaced the bot."""
    record: Any
    """Record with all that is needed to replay the match. Its digest is over the bytes that `splito verify` reads."""


class Block(BlockSummary, frozen=True, kw_only=True):
    """A finished block with its games."""

    played: list[BlockGame]


class TournamentProgress(msgspec.Struct, frozen=True, kw_only=True):
    """Event: the progress and the leaders of a tournament."""

    progress: Progress
    leaders: list[StandingLine]
    """First lines of the standings by rating."""
    official: Placing | None = None
    """Official placing with its first lines, provisional before the end. Older services leave it out."""


class TournamentOver(msgspec.Struct, frozen=True, kw_only=True):
    """Event: the tournament is over."""

    progress: Progress
    leaders: list[StandingLine]
    """First lines of the standings by rating. The ratings do not decide who has won; see `official`."""
    official: Placing | None = None
    """Official placing with its first lines, and the winners. Older services leave it out."""


class BoardLine(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot on a leaderboard."""

    rank: Count
    """Rank from 1."""
    bot: VersionId
    name: str | None
    """Name of the bot; null if the bot has been deleted."""
    rating: Interval
    """Interval of the online rating, which moves with every game; a new bot has 1500."""
    games: Count
    blocks: Count
    faults: Count
    trend: float
    """Change of the rating over its last 20 blocks, in rating points."""


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The leaderboard for one number of players: all versions with ranked blocks, best first."""

    players: Count
    lines: list[BoardLine]


class Leaderboard(msgspec.Struct, frozen=True):
    """The ratings of a game: a board for each number of players."""

    game: str
    boards: list[Board]


def block_summary(entry: Entry) -> BlockSummary:
    return BlockSummary(**_fields(entry))


def block_of(entry: Entry) -> Block:
    return Block(**_fields(entry), played=[_game(game) for game in entry.games])


def _fields(entry: Entry) -> dict[str, Any]:
    found = placings(entry)
    return {
        "block": entry.block,
        "bots": list(entry.bots),
        "places": list(mean_places(found)) if found else None,
        "games": len(entry.games),
        "skipped": entry.skipped,
    }


def _game(game: Game) -> BlockGame:
    return BlockGame(
        match=game.match,
        seating=list(game.seating),
        places=list(game.places),
        scores=[list(points) for points in game.record.scores],
        faults=[list(codes) for codes in game.faults],
        fault_turns=[list(turns) for turns in game.fault_turns],
        replaced=list(game.replaced),
        record=game.record,
    )


def dump_head(kept: StoredTournament, entrants: Mapping[str, str], secret: str | None, blocks: int | None) -> Head:
    """Return the first line of a dump, with the secret if it may be shown."""
    return Head(
        tournament=kept.id,
        name=kept.name,
        kind=kept.kind,
        game=kept.game,
        version=kept.rules or find_game(kept.game).INFO.version,
        players=kept.players,
        options=msgspec.to_builtins(read_options(find_game(kept.game), kept.options)),
        strikes=kept.strikes,
        commitment=commitment_of(kept.id, kept.secret),
        entrants={**entrants},
        secret=secret,
        seed=msgspec.UNSET if kept.seed is None or secret is None else kept.seed,
        blocks=blocks,
        question=kept.format if isinstance(kept.format, Experiment) else msgspec.UNSET,
    )


def names_of(kept: StoredTournament) -> dict[str, str]:
    """Return the names of the bots by their versions."""
    return {version_id(entrant.bot, entrant.version): entrant.name for entrant in kept.entrants}
