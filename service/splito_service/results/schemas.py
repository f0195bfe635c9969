"""What travels about how a tournament stands: its table, who beat whom, its blocks, and what is told while it runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from splito_arena.blocks.ledger import Entry, Game, placings, version_id
from splito_arena.blocks.placings import mean_places
from splito_arena.blocks.play import commitment_of
from splito_arena.formats import Experiment
from splito_arena.reports.dump import Head
from splito_arena.reports.tables import FORMS, TABLES, Form, TableName
from splito_arena.stats.collusion import Suspicion
from splito_arena.stats.head_to_head import Pair
from splito_arena.stats.intervals import Interval
from splito_arena.stats.neighbours import Beside
from splito_arena.stats.tournament_table import Line
from splito_engine.game import read_options
from splito_engine.registry import find_game
from splito_service.matches.schemas import Points
from splito_service.schemas import BlockId, BotWord, Count, Id, VersionId
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.schemas import Progress

FILES: dict[str, tuple[TableName, Form]] = {f"{table}.{form}": (table, form) for table in TABLES for form in FORMS}
"""What can be taken home: every table in every form."""


class StandingLine(Line, frozen=True, kw_only=True):
    """A line of the table of a tournament: one version of a bot."""

    rank: Count
    """From 1."""
    name: str


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """The table of a tournament: a fit to all its blocks at once, in which their order does not matter."""

    tournament: Id
    blocks: Count
    """That are over, and of which this is made."""
    lines: list[StandingLine]
    """The best first."""
    placing: list[list[BotWord]] | None = None
    """What Swiss pods and eliminations come to in the end, which is not the order of ratings: who won, who was second,
    and so on; who is tied is together. Nothing before, and nothing of other formats."""


class Crosstable(msgspec.Struct, frozen=True, kw_only=True):
    """Who did better than whom, in the blocks that both played."""

    tournament: Id
    blocks: Count
    pairs: list[Pair]
    """Everybody who met, each two once."""


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """How bots do beside each other, and which pairs raise each other beyond what they raise anybody else."""

    tournament: Id
    blocks: Count
    beside: list[Beside]
    """Everybody with everybody that sat beside it."""
    suspicions: list[Suspicion]
    """The pairs that were looked at, the most suspect first."""
    false_alarms: float
    """The chance, at most, that a tournament of honest bots has any flag at all."""


class BlockSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A block that is over."""

    block: BlockId
    """Round, number and table."""
    bots: list[VersionId]
    places: list[float] | None
    """The mean place of each bot over the games; nothing if not all of them play in each, or none was played."""
    games: Count
    skipped: str | None
    """Why nothing was played."""


class BlockPage(msgspec.Struct, frozen=True):
    """Blocks that are over, in the order of play."""

    blocks: list[BlockSummary]
    next: BlockId | None
    """`after_block` of the next page; nothing on the last one."""


class BlockGame(msgspec.Struct, frozen=True, kw_only=True):
    """A match of a block."""

    match: Id
    seating: list[Count]
    """By seat: the number, among the bots of the block, of the one that sat there."""
    places: list[float]
    """By seat, from 1; who is tied shares the mean of the places. Who was replaced comes last."""
    scores: list[Points]
    """By seat."""
    faults: list[list[str]]
    """By seat: the codes."""
    fault_turns: list[list[Count]]
    """By seat: the turns of the faults, from 0. Empty for games of before they were kept."""
    replaced: list[bool]
    """By seat: whether a bot of the house played on."""
    record: Any
    """All that is needed to replay it. Its digest is over the bytes that `splito verify` reads."""


class Block(BlockSummary, frozen=True, kw_only=True):
    """A block that is over, with all that happened in it."""

    played: list[BlockGame]


class TournamentProgress(msgspec.Struct, frozen=True, kw_only=True):
    """An event: how far a tournament is, and how it stands."""

    progress: Progress
    leaders: list[StandingLine]
    """The head of the table."""


class TournamentOver(msgspec.Struct, frozen=True, kw_only=True):
    """An event: the tournament is over."""

    progress: Progress
    leaders: list[StandingLine]
    """The head of the table."""


class BoardLine(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot on a leaderboard."""

    rank: Count
    """From 1."""
    bot: VersionId
    name: str | None
    """Nothing if the bot has been deleted."""
    rating: Interval
    """Of the belief that moves with every block: 25 is an average bot."""
    games: Count
    blocks: Count
    faults: Count
    trend: float
    """How far the rating has moved over its last 20 blocks."""


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """All that have played ranked blocks at tables of one size, the best first."""

    players: Count
    lines: list[BoardLine]


class Leaderboard(msgspec.Struct, frozen=True):
    """The ratings of a game: a board for each size of table."""

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
    """The first line of a dump, with the secret if it may be told."""
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
        blocks=blocks,
        question=kept.format if isinstance(kept.format, Experiment) else msgspec.UNSET,
    )


def names_of(kept: StoredTournament) -> dict[str, str]:
    """Of the bots, by their versions."""
    return {version_id(entrant.bot, entrant.version): entrant.name for entrant in kept.entrants}


def lines_of(table: Sequence[Line], names: Mapping[str, str]) -> list[StandingLine]:
    """Numbered, and with the names of the bots, which are given by their versions."""
    return [
        StandingLine(**msgspec.structs.asdict(line), rank=rank, name=names.get(line.bot, line.bot))
        for rank, line in enumerate(table, 1)
    ]
