"""A tournament with a seed can be held again exactly, and never moves a rating."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import Entry
from splito_arena.blocks.play import secret_of_seed
from splito_arena.reports.dump import read_dump
from splito_arena.stats.online_rating import Rating
from splito_service.bots.store import Bots
from splito_service.ids import new_id
from splito_service.owners.keys import Holder
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.tournaments.organiser import Organiser as Holding
from splito_service.tournaments.ratings.stored import encode
from splito_service.tournaments.schemas.tournaments import new_tournament
from tests.service.holding import Organiser
from tests.service.matches.test_api import problem
from tests.service.tournaments.http_calls import LONG, get

SEED = {"seed": "only-ada-knows-it"}
SWISS: dict[str, Any] = {"format": {"kind": "swiss", "rounds": 2}, "bots": ["greedy", "planner", "random"]}
"""Two rounds, of which the second follows from the results of the first; a bot sits out in each."""


def dump_of(api: httpx.Client, path: str) -> tuple[Entry, ...]:
    return read_dump(BytesIO(api.get(f"{path}/dump").content)).ledger


def games_of(ledger: tuple[Entry, ...]) -> bytes:
    """Return the bytes of all games, without the ids of the matches."""
    without = [replace(entry, games=tuple(replace(game, match="") for game in entry.games)) for entry in ledger]
    return msgspec.json.encode(without)


def held(api: httpx.Client, ada: Organiser, seed: str) -> tuple[Entry, ...]:
    path = ada.hold(**SWISS, seed=seed)
    ada.wait(path)
    return dump_of(api, path)


def test_tournaments_with_the_same_seed_have_the_same_games_to_the_byte(api: httpx.Client, ada: Organiser) -> None:
    first, again, other = (held(api, ada, seed) for seed in ("7", "7", "8"))
    assert len(first) == 2
    assert games_of(first) == games_of(again)
    assert games_of(first) != games_of(other)


def test_tournaments_with_the_same_seed_have_match_ids_of_their_own(api: httpx.Client, ada: Organiser) -> None:
    first, again = (held(api, ada, "twice") for _ in range(2))
    ids = [game.match for entry in (*first, *again) for game in entry.games]
    assert len({*ids}) == len(ids)


def test_a_tournament_with_a_seed_moves_no_rating(api: httpx.Client, ada: Organiser) -> None:
    before = get(api, "/v1/splitter/leaderboard")
    held(api, ada, "unrated")
    assert get(api, "/v1/splitter/leaderboard") == before


@pytest.mark.parametrize("refused", [{"ranked": True}, {"format": {"kind": "ladder"}}], ids=["ranked", "ladder"])
def test_a_seed_is_refused_for_a_ranked_tournament_and_for_a_ladder(ada: Organiser, refused: dict[str, Any]) -> None:
    wanted = {"name": "Cup", "game": "splitter", "players": 2, **SWISS, "seed": "7", **refused}
    for path in ("/v1/tournaments", "/v1/tournaments/dry-run"):
        found = problem(ada.ask("POST", path, wanted), 409, "bad-option")
        assert found["field"] == "seed"


@pytest.mark.parametrize("seed", ["", "x" * 65, "é", "line\nbreak", 7])
def test_a_seed_that_is_not_printable_ascii_text_is_refused(ada: Organiser, seed: object) -> None:
    wanted = {"name": "Cup", "game": "splitter", "players": 2, **SWISS, "seed": seed}
    problem(ada.ask("POST", "/v1/tournaments", wanted), 400, "bad-request")


def test_only_the_holder_sees_the_seed_before_the_end(api: httpx.Client, ada: Organiser) -> None:
    made = ada.ask("POST", "/v1/tournaments", {"name": "Cup", "game": "splitter", "players": 2} | SWISS | LONG | SEED)
    path = made.headers["Location"]
    assert (made.json()["seeded"], made.json()["seed"]) == (True, SEED["seed"])
    shown = ada.ask("PUT", f"{path}/state", {"state": "paused"}).json()
    assert shown["seed"] == SEED["seed"]
    for where in (path, f"{path}/dump", "/v1/tournaments?limit=100", f"{path}/standings"):
        assert SEED["seed"] not in api.get(where).text, where
        assert secret_of_seed(SEED["seed"]) not in api.get(where).text, where
    assert get(api, path)["seeded"], "every client sees that the holder knows the deals"
    ada.ask("PUT", f"{path}/state", {"state": "cancelled"})


def test_everybody_sees_the_seed_after_the_end(api: httpx.Client, ada: Organiser) -> None:
    path = ada.hold(**SWISS, seed="shown")
    ada.wait(path)
    shown = get(api, path)
    assert (shown["seed"], shown["secret"]) == ("shown", secret_of_seed("shown"))
    assert read_dump(BytesIO(api.get(f"{path}/dump").content)).head.seed == "shown"


def test_a_tournament_without_a_seed_shows_none(api: httpx.Client, played: str) -> None:
    shown = get(api, played)
    assert (shown["seeded"], shown["seed"]) == (False, None)
    assert read_dump(BytesIO(api.get(f"{played}/dump").content)).head.seed is msgspec.UNSET


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with open_server(tmp_path) as server:
        yield server.url


@pytest.mark.anyio
async def test_ratings_order_the_bots_at_the_start_only_without_a_seed(url: str) -> None:
    async with Link(url) as link:
        await link.call("HSET", "ratings:splitter:2", "planner@0", encode(Rating(mean=1940.0)))
        organiser, ada = Holding(link, Bots(link)), Holder(new_id(), new_id(), frozenset())
        body = {"game": "splitter", "name": "Cup", "players": 2, **SWISS}
        plain, seeded = [
            await organiser.create(ada, msgspec.convert(body | more, new_tournament(("splitter",))))
            for more in ({}, {"seed": "7"})
        ]
    assert {one.bot: one.rating for one in plain.entrants}["planner"] == 1940.0
    assert {one.rating for one in seeded.entrants} == {None}
