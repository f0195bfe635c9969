"""Examples of the results of a tournament: two blocks that are really played."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from splito_arena.blocks.ledger import Entry
from splito_arena.formats import Past, Placing, named, placing
from splito_arena.reports.dump import lines
from splito_arena.reports.tables import FORMS, export
from splito_arena.stats.collusion import FALSE_ALARMS
from splito_arena.stats.neighbours import neighbours
from splito_arena.stats.online_rating import leaderboard, replayed
from splito_arena.stats.standings import StandingLine, lines_of
from splito_arena.stats.tournament_table import crosstable, rateable, standings
from splito_engine.game import AnyGame
from splito_service.http.examples.example import Examples, Json, rounded, shown, shown_text
from splito_service.http.examples.tournaments import (
    BEGAN,
    FINISHED,
    RUNNING,
    example_tournament,
    ledger,
    names_by_version,
    players_of,
)
from splito_service.matches.schemas import GameSchemas
from splito_service.results.schemas import (
    BlockPage,
    Board,
    BoardLine,
    Crosstable,
    Leaderboard,
    Neighbours,
    Standings,
    TournamentOver,
    TournamentProgress,
    block_of,
    block_summary,
    dump_head,
    names_of,
)
from splito_service.signing_secrets import PREFIX
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.official_placing import figures_of
from splito_service.tournaments.past_rounds import entrants_of
from splito_service.tournaments.schemas.progress_events import News, event


def get_leaderboard(wire: GameSchemas) -> Examples:
    game = wire.game
    rows = leaderboard(replayed(rateable(ledger(game))))
    names = names_by_version(example_tournament(game))
    lines = [
        BoardLine(
            rank=rank,
            bot=row.bot,
            name=names[row.bot],
            rating=row.rating,
            games=row.games,
            blocks=row.blocks,
            faults=0,
            trend=row.trend,
        )
        for rank, row in enumerate(rows, 1)
    ]
    board = Board(players=players_of(game), lines=lines)
    return Examples(shown("board", "The leaderboard of tables of two", Leaderboard(game.INFO.id, [board])))


def get_standings(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    blocks, names = ledger(game), names_by_version(kept)
    table = lines_of(standings(blocks), names)
    about: dict[str, Any] = {"tournament": kept.id, "blocks": len(blocks), "official": _official(kept, table)}
    return Examples(shown("table", "After two blocks", Standings(**about, lines=table)))


def get_crosstable(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    blocks = ledger(game)
    about: dict[str, Any] = {"tournament": kept.id, "blocks": len(blocks)}
    pairs = Crosstable(**about, pairs=list(crosstable(blocks)))
    return Examples(shown("pairs", "After two blocks", pairs))


def get_neighbours(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    blocks = ledger(game)
    about: dict[str, Any] = {"tournament": kept.id, "blocks": len(blocks)}
    near = Neighbours(**about, beside=list(neighbours(blocks)), suspicions=[], false_alarms=FALSE_ALARMS)
    return Examples(shown("honest", "Too few blocks for a suspicion", near))


def list_blocks(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    blocks = ledger(game)
    page = BlockPage([block_summary(entry) for entry in blocks], None)
    return Examples(shown("two", "Two blocks", page))


def get_block(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    blocks = ledger(game)
    return Examples(shown("block", "A block", block_of(blocks[0])))


def watch_tournament(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    blocks, names = ledger(game), names_by_version(kept)
    table = lines_of(standings(blocks), names)
    return Examples(_streams(kept, table))


def get_dump(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    blocks = ledger(game)
    return Examples(shown_text("lines", "The first block", _dumped(kept, blocks)))


def get_export(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    blocks, names = ledger(game), names_by_version(kept)
    return Examples(
        shown_text("csv", "games.csv", export("games", "csv", blocks, names).decode()),
        others={
            "application/json": shown("json", "standings.json", _rows(blocks, names)),
            FORMS["parquet"].media_type: shown_text("parquet", "The beginning of standings.parquet", "PAR1"),
        },
    )


def get_report(_: Sequence[AnyGame]) -> Examples:
    return Examples(shown_text("page", "The beginning of the page", '<!doctype html>\n<html lang="en">\n'))


def _rows(blocks: Sequence[Entry], names: Mapping[str, str]) -> Any:
    return msgspec.json.decode(export("standings", "json", blocks, names))[:1]


def _dumped(kept: StoredTournament, blocks: Sequence[Entry]) -> str:
    head = dump_head(kept, names_of(kept), kept.secret, len(blocks))
    return b"".join(lines(head, blocks[:1], _sign, BEGAN // 1000)).decode()


def _sign(content: bytes) -> tuple[str, bytes]:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = base64.b64encode(private.public_key().public_bytes_raw()).decode()
    return PREFIX + public, private.sign(content)


def _official(kept: StoredTournament, table: Sequence[StandingLine], *, final: bool = False) -> Placing:
    """Return the placing of the example tournament, a round robin."""
    figures = figures_of(kept, table)
    found = placing(kept.format, kept.players, entrants_of(kept), Past((), 1), "", figures=figures, final=final)
    return named(found, {entrant.bot: entrant.name for entrant in kept.entrants})


def _streams(kept: StoredTournament, table: Sequence[StandingLine]) -> dict[str, Json]:
    leaders = msgspec.convert(rounded(table), list[StandingLine])
    running, over = (_official(kept, table, final=final) for final in (False, True))
    progress = TournamentProgress(progress=RUNNING, leaders=leaders, official=running)
    end = TournamentOver(progress=FINISHED, leaders=leaders, official=over)
    going = News(RUNNING.done, RUNNING.round, "running", progress)
    ended = News(FINISHED.done, FINISHED.round, "finished", end)
    return shown_text("progress", "The tournament is running", "retry: 1000\n\n" + event(going).decode()) | shown_text(
        "over", "The tournament is over", "retry: 1000\n\n" + event(ended).decode()
    )
