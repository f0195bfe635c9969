"""The examples of tournaments: Ada's bot in one with the house, of which two blocks are over. They are really played.

Figures are rounded, so that the contract is the same wherever it is written.
"""

import base64
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id, version_id
from splito_arena.blocks.seatings import Seating, seatings
from splito_arena.formats import Ladder, RoundRobin, Swiss
from splito_arena.reports.dump import lines
from splito_arena.reports.tables import export
from splito_arena.stats.collusion import FALSE_ALARMS
from splito_arena.stats.neighbours import neighbours
from splito_arena.stats.online_rating import leaderboard, replayed
from splito_arena.stats.tournament_table import crosstable, rateable, standings
from splito_engine.game import AnyGame
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.record import record_of
from splito_service.http.contract.example_match import SALT, SEED
from splito_service.http.contract.examples import Examples
from splito_service.http.contract.json_schemas import plain
from splito_service.http.contract.owner_examples import ADA
from splito_service.http.contract.parameters import EXAMPLE_ID, Json
from splito_service.http.contract.tournament_operations import PARQUET
from splito_service.http.routes.progress_stream import News, event
from splito_service.ids import created
from splito_service.results.schemas import (
    BlockPage,
    Board,
    BoardLine,
    Crosstable,
    Leaderboard,
    Neighbours,
    StandingLine,
    Standings,
    TournamentOver,
    TournamentProgress,
    block_of,
    block_summary,
    dump_head,
    lines_of,
    names_of,
)
from splito_service.signing import PREFIX
from splito_service.tournaments.schemas import (
    BlocksChange,
    Estimate,
    Progress,
    StateChange,
    TournamentPage,
    wanted_type,
)
from splito_service.tournaments.store import StoredEntrant, StoredTournament
from splito_service.tournaments.to_schema import tournament_of, tournament_summary

MARVIN = StoredEntrant(bot=EXAMPLE_ID, name="Marvin", version="1.2.0", owner=ADA.id)
HOUSE = tuple(StoredEntrant(bot=name, name=name, version="1.0") for name in ("planner", "greedy", "random"))
SECRET = "example-example-example-example-"  # noqa: S105 (nobody's)
OWNERS = {ADA.id: ADA}
BEGAN = round(1000 * created(EXAMPLE_ID).timestamp())
BLOCKS = 2
MINUTE = 60_000
RUNNING = Progress(
    state="running",
    reason=None,
    round=1,
    rounds=1,
    done=BLOCKS,
    skipped=0,
    open=58,
    playing=4,
    games=4,
    games_per_second=48.2,
    seconds_left=2.41,
)
FINISHED = replace(
    RUNNING, state="finished", done=60, open=0, playing=0, games=120, games_per_second=None, seconds_left=None
)
PAUSED = replace(RUNNING, state="paused", playing=0, games_per_second=None, seconds_left=None)


def of_tournaments(games: Sequence[AnyGame]) -> dict[str, Examples]:
    """All about one of the first game."""
    game = games[0]
    kept = _kept(game)
    ended = replace(kept, state="finished", ended_ms=BEGAN + MINUTE)
    begun = shown("begun", "It has begun", tournament_of(kept, OWNERS, RUNNING))
    wanted = _wanted(games)
    return {
        "createTournament": Examples(body=wanted, answer=begun),
        "estimateTournament": Examples(body=wanted, answer=shown("estimate", "Some seconds", _estimate())),
        "listTournaments": Examples(_page(kept, ended)),
        "getTournament": Examples(begun | shown("over", "It is over", tournament_of(ended, OWNERS, FINISHED))),
        "changeTournamentState": Examples(
            body=shown("pause", "Not now", StateChange("paused")) | shown("resume", "Go on", StateChange("running")),
            answer=shown("paused", "It waits", tournament_of(replace(kept, state="paused"), OWNERS, PAUSED)),
        ),
        "changeTournamentBlocks": Examples(
            body=shown("more", "Twelve for each table", BlocksChange(12)),
            answer=shown("more", "Two more than before", tournament_of(replace(kept, extra=2), OWNERS, RUNNING)),
        ),
        "enterTournament": Examples(shown("entered", "It takes part", _ladder(kept))),
        "leaveTournament": Examples({}),
        "deleteTournament": Examples({}),
        **_of_results(game, kept),
    }


def of_boards(game: AnyGame) -> dict[str, Examples]:
    rows = leaderboard(replayed(rateable(ledger(game))))
    names = _names(_kept(game))
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
    return {"get{Game}Leaderboard": Examples(shown("board", "One size of table", Leaderboard(game.INFO.id, [board])))}


@cache
def ledger(game: AnyGame) -> tuple[Entry, ...]:
    """Two blocks."""
    players = players_of(game)
    bots = tuple(version_id(entrant.bot, entrant.version) for entrant in (MARVIN, *HOUSE)[:players])
    return tuple(
        Entry(
            block=block_id(BlockPlace(0, number, 0)),
            bots=bots,
            games=tuple(_game(game, number, place, seating) for place, seating in enumerate(seatings(players))),
        )
        for number in range(BLOCKS)
    )


def _of_results(game: AnyGame, kept: StoredTournament) -> dict[str, Examples]:
    blocks, names = ledger(game), _names(kept)
    table = lines_of(standings(blocks), names)
    about: dict[str, Any] = {"tournament": kept.id, "blocks": len(blocks)}
    near = Neighbours(**about, beside=list(neighbours(blocks)), suspicions=[], false_alarms=FALSE_ALARMS)
    pairs = Crosstable(**about, pairs=list(crosstable(blocks)))
    page = BlockPage([block_summary(entry) for entry in blocks], None)
    return {
        "getStandings": Examples(shown("table", "After two blocks", Standings(**about, lines=table))),
        "getCrosstable": Examples(shown("pairs", "After two blocks", pairs)),
        "getNeighbours": Examples(shown("honest", "Too few blocks to suspect anybody", near)),
        "listBlocks": Examples(shown("two", "Two blocks", page)),
        "getBlock": Examples(shown("block", "A block", block_of(blocks[0]))),
        "watchTournament": Examples(_streams(table)),
        "getDump": Examples(shown_text("lines", "The first block", _dumped(kept, blocks))),
        "getExport": Examples(
            shown_text("csv", "games.csv", export("games", "csv", blocks, names).decode()),
            others={
                "application/json": shown("json", "standings.json", _rows(blocks, names)),
                PARQUET: shown_text("parquet", "standings.parquet begins so", "PAR1"),
            },
        ),
        "getReport": Examples(shown_text("page", "How it begins", '<!doctype html>\n<html lang="en">\n')),
    }


def _game(game: AnyGame, number: int, place: int, seating: Seating) -> Game:
    """Whoever is first in the list of bots chooses more often from the front of its moves."""
    match = _played(start(game, len(seating), f"{SEED}-{number}"), seating, place)
    names = tuple((MARVIN, *HOUSE)[bot].name for bot in seating)
    return Game(
        match=EXAMPLE_ID[:-4] + f"{number}{place:03}",
        seating=seating,
        record=record_of(match, names, SALT),
        faults=tuple(() for _ in seating),
        replaced=tuple(False for _ in seating),
    )


def _played(match: Match, seating: Seating, place: int) -> Match:
    while not match.over:
        legal = {seat: legal_moves(match, seat) for seat in match.actors}
        turn = len(match.turns)
        match = play(
            match, {seat: moves[(turn * (seating[seat] + place)) % len(moves)] for seat, moves in legal.items()}
        )
    return match


def players_of(game: AnyGame) -> int:
    return max(2, game.INFO.min_players)


def _kept(game: AnyGame) -> StoredTournament:
    return StoredTournament(
        id=EXAMPLE_ID,
        owner=ADA.id,
        name="Spring open",
        game=game.INFO.id,
        players=players_of(game),
        format=RoundRobin(blocks=10),
        entrants=(MARVIN, *HOUSE),
        secret=SECRET,
        started_ms=BEGAN,
    )


def _ladder(kept: StoredTournament) -> Any:
    return tournament_of(replace(kept, format=Ladder(), ranked=True, name="House ladder"), OWNERS, RUNNING)


def _wanted(games: Sequence[AnyGame]) -> dict[str, Json]:
    bots = [MARVIN.bot, *(entrant.bot for entrant in HOUSE)]
    first = {
        "round-robin": ("Everybody meets everybody", RoundRobin(blocks=10)),
        "swiss": ("Who has done equally well meets next", Swiss(rounds=5, blocks=4)),
        "ladder": ("For as long as it is open", Ladder(same_owner=True)),
    }
    found: dict[str, Json] = {}
    for name, (summary, chosen) in first.items():
        wanted = wanted_type(games[0])(name="Spring open", players=players_of(games[0]), format=chosen, bots=bots)
        found |= shown(name, summary, wanted)
    for game in games[1:]:
        wanted = wanted_type(game)(name="Spring open", players=players_of(game), format=RoundRobin(), bots=bots[1:])
        found |= shown(game.INFO.id, game.INFO.titles["en"], wanted)
    return found


def _estimate() -> Estimate:
    return Estimate(rounds=1, tables=6, blocks=60, games=120, seconds=2.5)


def _page(*listed: StoredTournament) -> Json:
    return shown("two", "Two of them", TournamentPage([tournament_summary(kept, OWNERS) for kept in listed], None))


def _names(kept: StoredTournament) -> dict[str, str]:
    return {version_id(entrant.bot, entrant.version): entrant.name for entrant in kept.entrants}


def _rows(blocks: Sequence[Entry], names: Mapping[str, str]) -> Any:
    return msgspec.json.decode(export("standings", "json", blocks, names))


def _dumped(kept: StoredTournament, blocks: Sequence[Entry]) -> str:
    head = dump_head(kept, names_of(kept), kept.secret, len(blocks))
    return b"".join(lines(head, blocks[:1], _sign, BEGAN // 1000)).decode()


def _sign(content: bytes) -> tuple[str, bytes]:
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    public = base64.b64encode(private.public_key().public_bytes_raw()).decode()
    return PREFIX + public, private.sign(content)


def _streams(table: Sequence[StandingLine]) -> dict[str, Json]:
    leaders = msgspec.convert(rounded(table), list[StandingLine])
    going = News(RUNNING.done, RUNNING.round, "running", TournamentProgress(progress=RUNNING, leaders=leaders))
    ended = News(FINISHED.done, FINISHED.round, "finished", TournamentOver(progress=FINISHED, leaders=leaders))
    return shown_text("progress", "It goes on", "retry: 1000\n\n" + event(going).decode()) | shown_text(
        "over", "It is over", "retry: 1000\n\n" + event(ended).decode()
    )


def rounded(value: Any) -> Any:
    """As it is on the wire, with all figures to two places."""
    return _rounded(plain(value))


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 2)
        case list():
            return [_rounded(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {name: _rounded(part) for name, part in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def shown(name: str, summary: str, value: Any) -> dict[str, Json]:
    return {name: {"summary": summary, "value": rounded(value)}}


def shown_text(name: str, summary: str, text: str) -> dict[str, Json]:
    return {name: {"summary": summary, "value": text}}
