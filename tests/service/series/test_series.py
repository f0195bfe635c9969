"""Series: each start has one tournament, whatever is killed, missed, changed or raced."""

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from splito_engine.errors import BadOption, GameError
from splito_service.bots.store import Bots
from splito_service.errors import NoRoom, UnknownSeries, WrongOwner
from splito_service.ids import new_id
from splito_service.owners.bans import field_of
from splito_service.owners.keys import Holder
from splito_service.owners.model import Ban
from splito_service.series.keeper import SeriesKeeper
from splito_service.series.model import MINUTE, MOST_SERIES, StoredSeries
from splito_service.series.schemas import new_series
from splito_service.series.store import ALL, DUE
from splito_service.storage.client import Link
from splito_service.tournaments.model import MOST_HELD, StoredTournament
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.redis_keys import held_by
from splito_service.tournaments.store import Tournaments

pytestmark = pytest.mark.anyio
GAMES = ("splitter",)
CUP: dict[str, Any] = {"game": "splitter", "name": "Friday cup", "players": 2, "format": {"kind": "swiss"}, "bots": []}
HOUR = 60 * MINUTE


@pytest.fixture
def keeper(link: Link) -> SeriesKeeper:
    return SeriesKeeper(link, Organiser(link, Bots(link)), GAMES)


@pytest.fixture
def ada() -> Holder:
    return Holder(new_id(), new_id(), frozenset())


def wish(**changes: Any) -> Any:
    rule = {"kind": "weekly", "days": ["fri"], "time": "18:00", "zone": "Europe/Berlin"}
    return msgspec.convert({"tournament": CUP, "rule": rule, **changes}, new_series(GAMES))


async def now(link: Link) -> int:
    seconds, micros = await link.call("TIME")
    return 1000 * int(seconds) + int(micros) // 1000


async def due(keeper: SeriesKeeper, link: Link, kept: StoredSeries, starts_in: int = 30 * MINUTE) -> StoredSeries:
    """Move the next start of a series, as if time had passed."""
    starts = await now(link) + starts_in
    return await keeper.store.change(kept.id, lambda seen: replace(seen, next_ms=starts))


async def tournaments_of(link: Link, owner: str) -> list[StoredTournament]:
    ids = sorted(one.decode() for one in await link.call("SMEMBERS", held_by(owner)))
    return [await Tournaments(link).get(one) for one in ids]


async def test_a_tournament_is_created_when_its_sign_up_begins(keeper: SeriesKeeper, link: Link, ada: Holder) -> None:
    kept = await keeper.create(ada, wish())
    await keeper.attend(kept.id)
    assert await tournaments_of(link, ada.owner) == [], "its sign-up has not begun"
    seen = await due(keeper, link, kept)
    await keeper.attend(kept.id)
    (cup,) = await tournaments_of(link, ada.owner)
    assert (cup.state, cup.starts_ms, cup.series, cup.name) == ("open", seen.next_ms, kept.id, "Friday cup")
    after = await keeper.store.get(kept.id)
    assert (after.done, after.last, after.problem) == (1, cup.id, None)
    assert (after.next_ms or 0) > (seen.next_ms or 0)


async def test_several_processes_create_it_once(keeper: SeriesKeeper, link: Link, ada: Holder, redis_url: str) -> None:
    kept = await keeper.create(ada, wish())
    await due(keeper, link, kept)
    links = [Link(redis_url) for _ in range(6)]
    keepers = [SeriesKeeper(one, Organiser(one, Bots(one)), GAMES) for one in links]
    await asyncio.gather(*(one.attend(kept.id) for one in keepers for _ in range(3)))
    await asyncio.gather(*(one.aclose() for one in links))
    assert len(await tournaments_of(link, ada.owner)) == 1
    assert (await keeper.store.get(kept.id)).done == 1


async def test_missed_starts_are_not_made_up(keeper: SeriesKeeper, link: Link, ada: Holder) -> None:
    kept = await keeper.create(ada, wish(rule={"kind": "hourly", "hours": 1}, sign_up_minutes=1))
    await due(keeper, link, kept, -72 * HOUR)
    await keeper.attend(kept.id)
    after = await keeper.store.get(kept.id)
    assert await tournaments_of(link, ada.owner) == []
    assert ((after.next_ms or 0) > await now(link), after.done) == (True, 0)
    assert "was missed" in (after.problem or "")


async def test_the_rest_of_a_sign_up_that_began_while_the_service_was_down_is_held(
    keeper: SeriesKeeper, link: Link, ada: Holder
) -> None:
    kept = await keeper.create(ada, wish(sign_up_minutes=600))
    await due(keeper, link, kept, MINUTE)
    await keeper.attend(kept.id)
    (cup,) = await tournaments_of(link, ada.owner)
    assert (cup.starts_ms or 0) - (cup.opens_ms or 0) <= MINUTE


async def test_a_series_ends_after_its_count_and_at_its_time(keeper: SeriesKeeper, link: Link, ada: Holder) -> None:
    counted, timed = await keeper.create(ada, wish(count=1)), await keeper.create(ada, wish())
    until = await now(link) + HOUR
    await keeper.store.change(timed.id, lambda seen: replace(seen, until_ms=until))
    for one in (counted, timed):
        await due(keeper, link, one)
        await keeper.attend(one.id)
        ended = await keeper.store.get(one.id)
        assert (ended.done, ended.next_ms, ended.ended_ms is not None) == (1, None, True)
        assert await link.call("ZSCORE", DUE, one.id) is None


async def test_a_start_without_a_tournament_says_why_and_counts(keeper: SeriesKeeper, link: Link, ada: Holder) -> None:
    full = await keeper.create(ada, wish())
    await link.call("SADD", held_by(ada.owner), *(new_id() for _ in range(MOST_HELD)))
    await due(keeper, link, full)
    await keeper.attend(full.id)
    after = await keeper.store.get(full.id)
    assert ((after.problem or "").startswith("no-room"), after.done) == (True, 1)
    await link.call("DEL", held_by(ada.owner))


async def test_the_series_of_a_banned_owner_creates_nothing_and_hides_the_reason(
    keeper: SeriesKeeper, link: Link, ada: Holder
) -> None:
    kept = await keeper.create(ada, wish())
    await link.call("HSET", "bans", field_of("owner", ada.owner), msgspec.json.encode(Ban("a secret reason", 1)))
    await due(keeper, link, kept)
    await keeper.attend(kept.id)
    assert (await keeper.store.get(kept.id)).problem == "stopped by the organisers of the arena"
    assert await tournaments_of(link, ada.owner) == []


class TestChanges:
    async def test_the_same_settings_again_change_nothing(self, keeper: SeriesKeeper, link: Link, ada: Holder) -> None:
        kept = await keeper.create(ada, wish())
        await due(keeper, link, kept)
        await keeper.attend(kept.id)
        before = await keeper.store.get(kept.id)
        assert await keeper.change(kept.id, ada, wish()) == before

    async def test_a_change_during_a_sign_up_creates_no_second_tournament_for_its_start(
        self, keeper: SeriesKeeper, ada: Holder
    ) -> None:
        kept = await keeper.create(ada, wish(rule={"kind": "hourly", "hours": 168}, sign_up_minutes=43_200))
        await keeper.attend(kept.id)
        first = (await keeper.store.get(kept.id)).last_ms
        for paused in (True, False):
            changed = wish(rule={"kind": "hourly", "hours": 168}, sign_up_minutes=43_199, paused=paused)
            after = await keeper.change(kept.id, ada, changed)
        assert (after.next_ms or 0) > first > 0

    async def test_a_paused_series_creates_nothing_until_it_goes_on(
        self, keeper: SeriesKeeper, link: Link, ada: Holder
    ) -> None:
        kept = await keeper.create(ada, wish(paused=True))
        assert (kept.next_ms, await link.call("ZSCORE", DUE, kept.id)) == (None, None)
        assert (await keeper.change(kept.id, ada, wish())).next_ms is not None

    async def test_only_the_owner_changes_and_deletes_it(self, keeper: SeriesKeeper, ada: Holder) -> None:
        kept, eve = await keeper.create(ada, wish()), Holder(new_id(), new_id(), frozenset())
        for refused in (keeper.change(kept.id, eve, wish()), keeper.delete(kept.id, eve)):
            with pytest.raises(WrongOwner):
                await refused
        await keeper.delete(kept.id, ada)
        with pytest.raises(UnknownSeries):
            await keeper.attend(kept.id)

    async def test_an_owner_has_few_series(self, keeper: SeriesKeeper, link: Link, ada: Holder) -> None:
        made = await asyncio.gather(
            *(keeper.create(ada, wish()) for _ in range(MOST_SERIES + 5)), return_exceptions=True
        )
        assert [type(one) for one in made if isinstance(one, Exception)] == 5 * [NoRoom]
        for one in await keeper.store.of_owner(ada.owner):
            await keeper.delete(one, ada)
        assert await link.call("EXISTS", f"owner:{ada.owner}:series") == 0
        ids = [one.id for one in made if isinstance(one, StoredSeries)]
        assert [await link.call("ZSCORE", ALL, one) for one in ids] == [None] * MOST_SERIES


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "times in the tournament": ({"tournament": CUP | {"starts": "2030-01-01T00:00:00Z"}}, "no times"),
    "a seed": ({"tournament": CUP | {"seed": "x"}}, "no seed"),
    "an unknown zone": ({"rule": {"kind": "weekly", "time": "18:00", "zone": "Europe/Atlantis"}}, "no time zone"),
    "an end before the first start": ({"until": "2020-01-01T00:00:00Z"}, "before the first"),
    "a bot that is not there": ({"tournament": CUP | {"bots": ["0" * 24]}}, "no bot"),
    "late entry in an elimination": (
        {"tournament": CUP | {"format": {"kind": "elimination"}, "late": True}},
        "no late entry",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_settings_that_cannot_be_kept_are_refused(keeper: SeriesKeeper, ada: Holder, case: str) -> None:
    changes, why = REFUSED[case]
    with pytest.raises(GameError, match=why) as refused:
        await keeper.create(ada, wish(**changes))
    assert isinstance(refused.value, BadOption) or case == "a bot that is not there"
