"""A client gets its quota and not one request more, however many processes it asks; then it is told when to return."""

import secrets

import pytest

from splito_service.http.limits.rates import Limits, Quota
from splito_service.storage.client import Link

pytestmark = pytest.mark.anyio
NOON = 1_800_000_000.0 - 1_800_000_000 % 60


@pytest.fixture
def client() -> str:
    return secrets.token_hex(8)


async def granted(limits: list[Limits], quota: Quota, client: str, tries: int, now: float = NOON) -> int:
    spent = [await limits[turn % len(limits)].spend(quota, client, now) for turn in range(tries)]
    return sum(one is not None and one.granted for one in spent)


@pytest.mark.parametrize("permits", [1, 7, 200])
@pytest.mark.parametrize("processes", [1, 3])
async def test_a_quota_is_never_exceeded(link: Link, client: str, permits: int, processes: int) -> None:
    limits = [Limits(link) for _ in range(processes)]
    assert await granted(limits, Quota("requests", permits), client, 2 * permits + 10) == permits


async def test_the_quota_is_renewed_every_minute(link: Link, client: str) -> None:
    limits, quota = [Limits(link)], Quota("requests", 5)
    assert await granted(limits, quota, client, 8) == 5
    assert await granted(limits, quota, client, 8, NOON + 59) == 0
    assert await granted(limits, quota, client, 8, NOON + 60) == 5


async def test_each_client_has_its_own_count_per_quota(link: Link, client: str) -> None:
    limits = [Limits(link)]
    for quota in (Quota("requests", 3), Quota("creations", 3)):
        for name in (client, client + "'"):
            assert await granted(limits, quota, name, 4) == 3


async def test_without_a_limit_there_are_no_rate_headers(link: Link, client: str) -> None:
    assert await Limits(link).spend(Quota("requests", 0), client) is None


async def test_most_requests_are_counted_without_a_call_to_redis(link: Link, client: str) -> None:
    limits, quota = Limits(link), Quota("requests", 6000)
    await limits.spend(quota, client, NOON)
    await link.call("CONFIG", "RESETSTAT")
    for _ in range(100):
        await limits.spend(quota, client, NOON)
    assert b"cmdstat_evalsha" not in await link.call("INFO", "commandstats")


async def test_the_headers_show_remaining_requests_and_seconds(link: Link, client: str) -> None:
    limits, quota = Limits(link), Quota("requests", 2)
    told = [await limits.spend(quota, client, NOON + 18) for _ in range(3)]
    texts = [{name.decode(): value.decode() for name, value in one.headers} for one in told if one]
    assert [text["ratelimit"] for text in texts] == [f'"requests";r={left};t=42' for left in (1, 0, 0)]
    assert {text["ratelimit-policy"] for text in texts} == {'"requests";q=2;w=60'}
    assert [text.get("retry-after") for text in texts] == [None, None, "42"]
