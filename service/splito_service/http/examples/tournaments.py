"""Examples of tournaments: Ada's bot and the built-in bots; two blocks are over. The example blocks are really played.

Figures are rounded, so that the contract is the same wherever it is written.
"""

from collections.abc import Sequence
from functools import cache

from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, Game, block_id, version_id
from splito_arena.blocks.seatings import Seating, seatings
from splito_arena.formats import Ladder, RoundRobin, Swiss
from splito_engine.game import AnyGame
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.record import record_of
from splito_service.http.examples.example import EXAMPLE_ID, Examples, Json, shown
from splito_service.http.examples.owners import ADA
from splito_service.http.examples.played_match import SALT, SEED
from splito_service.ids import created, moment
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.tournaments.schemas.to_schema import tournament_of, tournament_summary
from splito_service.tournaments.schemas.tournaments import (
    BlocksChange,
    Estimate,
    Progress,
    StateChange,
    TimesChange,
    TournamentPage,
    wanted_type,
)

MARVIN = StoredEntrant(bot=EXAMPLE_ID, name="Marvin", version="1.2.0", owner=ADA.id)
HOUSE = tuple(StoredEntrant(bot=name, name=name, version="1.0") for name in ("planner", "greedy", "random"))
SECRET = "example-example-example-example-"  # noqa: S105 (nobody's)
OWNERS = {ADA.id: ADA}
BEGAN = round(1000 * created(EXAMPLE_ID).timestamp())
BLOCKS = 2
MINUTE = 60_000
STARTS = BEGAN + 60 * MINUTE
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
OPEN = replace(
    RUNNING,
    state="open",
    round=0,
    done=0,
    open=0,
    playing=0,
    games=0,
    games_per_second=None,
    seconds_left=None,
    opens=moment(BEGAN),
    starts=moment(STARTS),
    bots=4,
)
FINISHED = replace(
    RUNNING, state="finished", done=60, open=0, playing=0, games=120, games_per_second=None, seconds_left=None
)


def create_tournament(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    begun = shown("begun", "The tournament is running", tournament_of(kept, OWNERS, RUNNING))
    wanted = _wanted(games)
    return Examples(body=wanted, answer=begun)


def estimate_tournament(games: Sequence[AnyGame]) -> Examples:
    wanted = _wanted(games)
    return Examples(body=wanted, answer=shown("estimate", "A duration of some seconds", _estimate()))


def list_tournaments(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    ended = replace(kept, state="finished", ended_ms=BEGAN + MINUTE)
    return Examples(_page(kept, ended))


def get_tournament(games: Sequence[AnyGame]) -> Examples:
    game = games[0]
    kept = example_tournament(game)
    ended = replace(kept, state="finished", ended_ms=BEGAN + MINUTE)
    begun = shown("begun", "The tournament is running", tournament_of(kept, OWNERS, RUNNING))
    return Examples(begun | shown("over", "The tournament is over", tournament_of(ended, OWNERS, FINISHED)))


def change_tournament_state(games: Sequence[AnyGame]) -> Examples:
    running = tournament_of(example_tournament(games[0]), OWNERS, RUNNING)
    return Examples(
        body=shown("pause", "Pause the tournament", StateChange("paused"))
        | shown("resume", "Resume the tournament", StateChange("running")),
        answer=shown("running", "The tournament is running again", running),
    )


def change_tournament_times(games: Sequence[AnyGame]) -> Examples:
    return Examples(
        body=shown("later", "An hour later", TimesChange(moment(STARTS))),
        answer=_open(games[0]),
    )


def change_tournament_blocks(games: Sequence[AnyGame]) -> Examples:
    running = tournament_of(example_tournament(games[0]), OWNERS, RUNNING)
    return Examples(
        body=shown("more", "Twelve blocks for each table", BlocksChange(12)),
        answer=shown("more", "The tournament is running, with more blocks", running),
    )


def enter_tournament(games: Sequence[AnyGame]) -> Examples:
    return Examples(_open(games[0]))


def _open(game: AnyGame) -> dict[str, Json]:
    kept = replace(example_tournament(game), state="open", opens_ms=BEGAN, starts_ms=STARTS, started_ms=0)
    return shown("open", "Bots can be entered", tournament_of(kept, OWNERS, OPEN))


@cache
def ledger(game: AnyGame) -> tuple[Entry, ...]:
    """Return the ledger of the example tournament: two blocks."""
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


def _game(game: AnyGame, number: int, place: int, seating: Seating) -> Game:
    """Return an example game. A bot that is earlier in the list chooses more often from the front of its moves."""
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


def example_tournament(game: AnyGame) -> StoredTournament:
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


def _wanted(games: Sequence[AnyGame]) -> dict[str, Json]:
    bots = [MARVIN.bot, *(entrant.bot for entrant in HOUSE)]
    first = {
        "round-robin": ("Every bot meets every other", RoundRobin(blocks=10)),
        "swiss": ("Bots with equal results meet next", Swiss(rounds=5, blocks=4)),
        "ladder": ("A tournament without an end", Ladder(same_owner=True)),
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
    return shown("two", "Two tournaments", TournamentPage([tournament_summary(kept, OWNERS) for kept in listed], None))


def names_by_version(kept: StoredTournament) -> dict[str, str]:
    return {version_id(entrant.bot, entrant.version): entrant.name for entrant in kept.entrants}
