"""The service looks at each bot once a minute, disables a bot that fails and enables it when it recovers.

The tests set the time.
"""

from collections.abc import AsyncIterator, Callable
from itertools import count

import pytest
from msgspec.structs import replace

from splito_arena.net.http_client import Caller
from splito_service.bots.registry import FAILURES, Registry
from splito_service.bots.store import Bots
from splito_service.signing import Signer
from splito_service.storage.client import Link
from tests.service.bots.own_bot import PRIVATE, Marvin, Places
from tests.service.owners.test_keys import Ada
from tests.service.process import running
from tests.service.pushed import INFO, PushBot, serving

MINUTE = 60


class Nurse:
    """Another process of the service, which looks at bots once a minute."""

    def __init__(self, link: Link, caller: Caller) -> None:
        self.bots = Bots(link)
        self.registry = Registry(self.bots, Signer(link), caller, allow_private=True)
        self._minutes = count()

    async def look(self) -> int:
        """A minute later."""
        return await self.registry.sweep_once(MINUTE, now=60_000 * next(self._minutes))


@pytest.fixture
async def nurse(places: Places) -> AsyncIterator[Nurse]:
    async with Link(places.redis) as link, Caller() as caller:
        await link.call("DEL", "bots:due")  # those of other tests
        yield Nurse(link, caller)


def health(marvin: Marvin) -> tuple[str, int]:
    seen = marvin.look()
    return seen["state"], seen["own"]["failures"]


@pytest.mark.anyio
async def test_a_bot_that_fails_three_times_in_a_row_is_disabled(marvin: Marvin, served: PushBot, nurse: Nurse) -> None:
    marvin.prove()
    served.status = 503
    for failures in range(1, FAILURES):
        await nurse.look()
        assert health(marvin) == ("ready", failures)
    served.status = 200
    await nurse.look()
    assert health(marvin) == ("ready", 0), "not in a row"
    assert marvin.look()["own"]["reason"] is None
    served.status = 503
    for _ in range(FAILURES):
        await nurse.look()
    assert health(marvin) == ("disabled", FAILURES)
    assert marvin.look()["own"]["reason"] == "3 failed health checks in a row: the status is not 200: 503"
    assert marvin.owner.api.get(marvin.path).json()["own"] is None


@pytest.mark.anyio
async def test_a_disabled_bot_is_enabled_after_two_good_health_checks_in_a_row(
    marvin: Marvin, served: PushBot, nurse: Nurse
) -> None:
    marvin.prove()
    await nurse.look()
    await nurse.look()
    served.status = 503
    for _ in range(FAILURES):
        await nurse.look()
    for status in (200, 503, 200):
        served.status = status
        await nurse.look()
        assert marvin.look()["state"] == "disabled", "not in a row"
        assert marvin.look()["own"]["reason"], "the reason stays until the bot is enabled"
    await nurse.look()
    assert health(marvin) == ("ready", 0)
    assert marvin.look()["own"]["reason"] is None


@pytest.mark.anyio
async def test_a_disabled_bot_is_enabled_at_once_by_a_proof(marvin: Marvin, served: PushBot, nurse: Nurse) -> None:
    marvin.prove()
    served.status = 503
    for _ in range(FAILURES):
        await nurse.look()
    served.status = 200
    assert marvin.prove()["state"] == "ready"


@pytest.mark.anyio
async def test_a_new_version_of_a_bot_has_not_passed_the_checks(marvin: Marvin, served: PushBot, nurse: Nurse) -> None:
    marvin.prove()
    await nurse.bots.change(marvin.made["id"], lambda bot: replace(bot, passed="1.0"))
    await nurse.look()
    assert marvin.look()["own"]["passed"] == "1.0"
    served.info = {**INFO, "version": "1.1"}
    await nurse.look()
    seen = marvin.look()
    assert (seen["version"], seen["own"]["passed"], seen["state"]) == ("1.1", None, "ready")


@pytest.mark.anyio
async def test_one_of_many_processes_checks_the_health_of_a_bot_once_a_minute(
    marvin: Marvin, served: PushBot, nurse: Nurse, places: Places
) -> None:
    marvin.prove()
    served.called.clear()
    async with Link(places.redis) as link, Caller() as caller:
        others = [Nurse(link, caller) for _ in range(3)]
        assert sum([await one.look() for one in (nurse, *others)]) == 1
        assert served.paths == ["/info"]
        assert await nurse.registry.sweep_once(MINUTE, now=59_999) == 0
        assert await others[0].registry.sweep_once(MINUTE, now=60_000) == 1


@pytest.mark.anyio
async def test_a_bot_without_a_proved_url_is_not_called(
    ada: Ada, marvin: Marvin, served: PushBot, nurse: Nurse
) -> None:
    Marvin(ada).ask("PUT", "/info", INFO)
    assert await nurse.look() == 0
    marvin.prove()
    marvin.ask("PUT", "", {"name": "Marvin", "url": f"{served.url}/moved"})
    assert await nurse.look() == 0
    marvin.ask("PUT", "", {"name": "Marvin", "url": served.url})
    marvin.prove()
    marvin.ask("DELETE")
    assert await nurse.look() == 0


@pytest.mark.anyio
async def test_a_failed_health_check_of_the_old_url_does_not_count_against_the_new_url(
    marvin: Marvin, served: PushBot, nurse: Nurse
) -> None:
    marvin.prove()
    with serving() as other:
        other.secret = marvin.secret

        def move() -> None:
            marvin.ask("PUT", "", {"name": "Marvin", "url": other.url})
            marvin.prove()

        served.status, served.meanwhile = 503, move
        assert await nurse.look() == 1
        assert other.paths == ["/info", "/challenge"]
    assert health(marvin) == ("ready", 0)


@pytest.mark.anyio
async def test_a_running_service_checks_the_health_of_bots(marvin: Marvin, served: PushBot, places: Places) -> None:
    """Use the real clock and a service with default settings."""
    marvin.prove()
    settings = {**PRIVATE, "SPLITO_HEALTH_SECONDS": "60"}
    served.info = {**INFO, "version": "2.0"}
    with running(places.redis, settings):
        _await(lambda: marvin.look()["version"] == "2.0")


def _await(happened: Callable[[], bool]) -> None:
    """Poll until the condition holds in another process; each poll is a request, so the loop does not spin."""
    for _ in range(5000):
        if happened():
            return
    raise AssertionError("it did not happen")
