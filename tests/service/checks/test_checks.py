"""Registered bots are checked in the background: a bot that passes may play ranked, a bot that fails is told why."""

from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from splito_bot import Bot, BotInfo
from splito_bot.running.routes import Gate
from splito_bot.serve import serving as serving_sdk
from splito_service.bots.store import Bots
from splito_service.checks.model import StoredCheck
from splito_service.checks.store import MOST_CHECKS, Checks
from splito_service.ids import new_id
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from tests.arena.checks.check_bots import FourAreTooMany, GoodBot, HangsWithFour
from tests.listening import listening
from tests.service.bots.own_bot import Marvin
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import PRIVATE, Places, Polling, eventually, last_move, polling
from tests.service.process import running
from tests.service.pushed import INFO

UNKNOWN = "0" * 24


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """A service that may call bots on this machine."""
    with open_server(tmp_path_factory.mktemp("checks")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


@pytest.fixture
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@contextmanager
def serving(portal: BlockingPortal, good: GoodBot) -> Generator[str]:
    """The address of the bot, which runs in another thread."""
    with portal.wrap_async_context_manager(_listening(good)) as url:
        yield url


@asynccontextmanager
async def _listening(good: GoodBot) -> AsyncGenerator[str]:
    async with listening(good.serve, host="127.0.0.1", port=0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@contextmanager
def registered(portal: BlockingPortal, owner: Ada, good: GoodBot) -> Generator[Marvin]:
    """A bot that runs, and has proved itself."""
    with serving(portal, good) as url:
        marvin = Marvin(owner, url)
        good.secret = marvin.secret
        marvin.prove()
        yield marvin


def begin(marvin: Marvin, quick: bool = False) -> Any:
    answer = marvin.ask("POST", "/checks", {"quick": quick})
    assert answer.status_code == 202, answer.text
    begun = answer.json()
    assert answer.headers["Location"] == f"{marvin.path}/checks/{begun['id']}"
    assert (begun["state"], begun["passed"], begun["report"]) == ("running", None, None)
    return begun


def read(marvin: Marvin, begun: Any) -> Any:
    answer = marvin.ask("GET", f"/checks/{begun['id']}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def made(marvin: Marvin, quick: bool = False) -> Any:
    """A check, when it has ended."""
    begun = begin(marvin, quick)
    return eventually(lambda: read(marvin, begun), lambda check: check["state"] != "running")


async def is_ranked(redis: str, marvin: Marvin) -> bool:
    async with Link(redis) as link:
        return (await Bots(link).get(marvin.made["id"])).ranked


@pytest.mark.anyio
async def test_a_version_that_passes_its_checks_may_play_ranked(
    portal: BlockingPortal, ada: Ada, places: Places
) -> None:
    with registered(portal, ada, GoodBot()) as marvin:
        assert not marvin.look()["checked"]
        assert not await is_ranked(places.redis, marvin)
        check = made(marvin)
        assert (check["state"], check["passed"], check["done"]) == ("done", True, check["total"])
        assert (check["bot"], check["version"], check["quick"]) == (marvin.made["id"], "3", False)
        report = check["report"]
        assert {row["outcome"] for row in report["rows"]} == {"passed"}
        assert (report["version"], report["matches"]) == ("3", 5)
        assert (marvin.look()["checked"], marvin.look()["own"]["passed"]) == (True, "3")
        assert ada.api.get(marvin.path).json()["checked"], "everybody may know"
        assert await is_ranked(places.redis, marvin)


def test_a_quick_check_does_not_admit_to_ranked_play(portal: BlockingPortal, ada: Ada) -> None:
    with registered(portal, ada, GoodBot()) as marvin:
        check = made(marvin, quick=True)
        assert (check["passed"], check["quick"], check["report"]["matches"]) == (True, True, 4)
        assert (marvin.look()["checked"], marvin.look()["own"]["passed"]) == (False, None)


def test_a_failed_check_reports_code_request_and_advice(portal: BlockingPortal, ada: Ada) -> None:
    with registered(portal, ada, FourAreTooMany()) as marvin:
        check = made(marvin)
        assert (check["state"], check["passed"]) == ("done", False)
        (row,) = [row for row in check["report"]["rows"] if row["outcome"] == "failed"]
        (finding,) = row["findings"]
        assert (row["check"], finding["code"]) == ("matches", "bad-status")
        assert finding["advice"]
        assert "splitit, 4 players" in finding["where"]
        assert msgspec.json.decode(finding["request"])["game"] == "splitit"
        assert not marvin.look()["checked"]
        listed = marvin.ask("GET", "/checks").json()["checks"]
        assert listed == [{name: value for name, value in check.items() if name != "report"}]


def test_an_unreachable_bot_fails_its_check_at_once(portal: BlockingPortal, ada: Ada) -> None:
    with registered(portal, ada, GoodBot()) as marvin:
        pass
    check = made(marvin)
    assert (check["state"], check["passed"], check["version"]) == ("done", False, "3")
    assert check["report"]["rows"][0]["findings"][0]["code"] == "refused"


def test_a_new_version_must_pass_its_own_check(portal: BlockingPortal, ada: Ada) -> None:
    good = GoodBot()
    with registered(portal, ada, good) as marvin:
        made(marvin)
        good.INFO = msgspec.structs.replace(good.INFO, version="4")
        assert not marvin.prove()["checked"]
        good.INFO = msgspec.structs.replace(good.INFO, version="5")
        assert made(marvin)["version"] == "5", "without a health check in between"
        seen = marvin.look()
        assert (seen["version"], seen["checked"], seen["own"]["passed"]) == ("5", True, "5")


def test_a_check_does_not_count_for_a_version_changed_meanwhile(portal: BlockingPortal, ada: Ada) -> None:
    bot = Hangs()
    with registered(portal, ada, bot) as marvin:
        begun = begin(marvin)
        eventually(lambda: bot.hangs, bool)
        bot.INFO = msgspec.structs.replace(bot.INFO, version="4")
        marvin.prove()
        portal.call(bot.over.set)
        check = eventually(lambda: read(marvin, begun), lambda check: check["state"] != "running")
        assert (check["passed"], check["version"]) == (True, "3")
        assert (marvin.look()["version"], marvin.look()["checked"]) == ("4", False)


class Hangs(GoodBot):
    """At its first ask, until it is over; then it is good."""

    hangs = False

    async def ask(self, ask: dict[str, Any]) -> Any:
        self.hangs = True
        await self.over.wait()
        return await super().ask(ask)


def test_a_check_ends_when_the_bot_moves_or_is_deleted(portal: BlockingPortal, ada: Ada) -> None:
    bot = Hangs()
    with registered(portal, ada, bot) as marvin:
        begun = begin(marvin)
        eventually(lambda: bot.hangs, bool)
        marvin.ask("PUT", "", {"name": "Marvin", "url": "http://127.0.0.1:8000/elsewhere"})
        eventually(lambda: read(marvin, begun), lambda check: check["state"] == "lost")
        problem(marvin.ask("POST", "/checks", {}), 409, "not-ready")
        marvin.ask("DELETE")
        problem(marvin.ask("GET", f"/checks/{begun['id']}"), 404, "unknown-bot")


def test_a_bot_has_one_running_check_at_a_time(portal: BlockingPortal, ada: Ada, places: Places) -> None:
    bot = Hangs()
    with (
        registered(portal, ada, bot) as marvin,
        running(places.redis, PRIVATE) as other,
        httpx.Client(base_url=other.url, timeout=60) as api,
    ):
        begun = begin(marvin)
        eventually(lambda: bot.hangs, bool)
        assert begin(marvin, quick=True)["id"] == begun["id"]
        asked = Ada(api, ada.key).ask("POST", f"{marvin.path}/checks", {})
        assert (asked.status_code, asked.json()["id"]) == (202, begun["id"]), "whichever process is asked"
        going = eventually(lambda: read(marvin, begun), lambda check: check["total"] > 0)
        assert (going["state"], going["done"] < going["total"]) == ("running", True)
        portal.call(bot.over.set)
        eventually(lambda: read(marvin, begun), lambda check: check["state"] == "done")
        assert begin(marvin)["id"] != begun["id"]


def test_a_check_whose_process_was_killed_is_lost_and_another_may_begin(portal: BlockingPortal, tmp_path: Path) -> None:
    with open_server(tmp_path) as server, ExitStack() as stack:
        one, two = (stack.enter_context(running(server.url, PRIVATE)) for _ in range(2))
        api, other = (stack.enter_context(httpx.Client(base_url=at.url, timeout=60)) for at in (one, two))
        bot, ada = HangsWithFour(), Ada(api)
        marvin = stack.enter_context(registered(portal, ada, bot))
        begun = begin(marvin)
        ada.api = other
        eventually(lambda: read(marvin, begun), lambda check: check["done"] > 10)
        one.kill()
        assert read(marvin, begun)["state"] == "running", "the claim of the killed process has not expired yet"
        assert begin(marvin)["id"] == begun["id"]
        lost = eventually(lambda: read(marvin, begun), lambda check: check["state"] != "running")
        assert (lost["state"], lost["passed"], lost["report"]) == ("lost", None, None)
        portal.call(bot.over.set)
        assert made(marvin)["passed"]
        states = [check["state"] for check in marvin.ask("GET", "/checks").json()["checks"]]
        assert states == ["done", "lost"]


def test_a_stopping_process_marks_its_checks_as_lost(portal: BlockingPortal, ada: Ada, places: Places) -> None:
    bot = Hangs()
    with registered(portal, ada, bot) as marvin:
        with (
            running(places.redis, PRIVATE) as stops,
            httpx.Client(base_url=stops.url, timeout=60) as api,
        ):
            begun = Ada(api, ada.key).ask("POST", f"{marvin.path}/checks", {}).json()
            eventually(lambda: bot.hangs, bool)
        assert read(marvin, begun)["state"] == "lost", "at once"
        assert begin(marvin)["id"] != begun["id"]


def test_a_pull_bot_can_pass_its_checks(ada: Ada, places: Places) -> None:
    bot = Polling(ada, games=["splitit"])
    marvin = Owned(ada, bot.id)
    with polling(bot, [places.url], last_move, connections=4):
        check = made(marvin)
    assert check["passed"], [row for row in check["report"]["rows"] if row["outcome"] == "failed"]
    outcomes = {row["check"]: row["outcome"] for row in check["report"]["rows"]}
    assert {name for name, outcome in outcomes.items() if outcome == "not-checked"} == {
        *("challenge", "signature", "batch", "notices")
    }
    assert marvin.look()["checked"]
    info = {**marvin.look()["info"], "games": ["splitit", "splito"]}
    assert not marvin.ask("PUT", "/info", info).json()["checked"], "of that game nothing is known"


class Owned(Marvin):
    """One that is registered already."""

    def __init__(self, owner: Ada, bot_id: str) -> None:
        self.owner, self.path = owner, f"/v1/bots/{bot_id}"
        self.made = self.look()


def test_a_bot_without_info_or_proof_cannot_be_checked(portal: BlockingPortal, ada: Ada) -> None:
    with serving(portal, GoodBot()) as url:
        refused = problem(Marvin(ada, url).ask("POST", "/checks", {}), 409, "not-ready")
        assert "/proof" in refused["detail"]
    refused = problem(Marvin(ada).ask("POST", "/checks", {}), 409, "not-ready")
    assert "/info" in refused["detail"]


def test_only_the_owner_can_check_a_bot(ada: Ada) -> None:
    trillian = Marvin(ada)
    trillian.ask("PUT", "/info", {**INFO, "games": ["chess"]})
    check = made(trillian)
    assert not check["passed"]
    bob, player = Ada(ada.api), ada.make_key("play")
    for method, path in (("POST", ""), ("GET", ""), ("GET", f"/{check['id']}")):
        problem(bob.ask(method, f"{trillian.path}/checks{path}", {}), 403, "wrong-owner")
        problem(player.ask(method, f"{trillian.path}/checks{path}", {}), 403, "wrong-scope")
        problem(ada.ask(method, f"/v1/bots/{UNKNOWN}/checks{path}", {}), 404, "unknown-bot")
    problem(trillian.ask("GET", f"/checks/{UNKNOWN}"), 404, "unknown-check")
    problem(Marvin(ada).ask("GET", f"/checks/{check['id']}"), 404, "unknown-check")
    problem(trillian.ask("POST", "/checks", {"quick": "yes"}), 400, "bad-request")


@pytest.mark.anyio
async def test_the_number_of_stored_checks_per_bot_is_limited(link: Link) -> None:
    checks = Checks(link)
    ids: list[str] = []
    for _ in range(MOST_CHECKS + 2):
        begun = await checks.begin(StoredCheck(id=new_id(), bot="many", version="1", quick=False))
        assert await checks.end(msgspec.structs.replace(begun, state="done"), None)
        assert not await checks.end(begun, None), "it has ended"
        ids.append(begun.id)
    assert [check.id for check in await checks.of_bot("many")] == ids[:1:-1]
    assert await link.call("EXISTS", f"checks:many:{ids[1]}") == 0


class Notes(GoodBot):
    """How it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.signatures: list[str] = []

    async def respond(self, path: str, headers: Mapping[str, str], body: bytes) -> Any:
        if path == "/ask":
            self.signatures.append(headers.get("webhook-signature", ""))
        return await super().respond(path, headers, body)


@pytest.mark.parametrize("wanted", [False, True])
def test_requests_have_an_ed25519_signature_if_the_bot_wants_it(portal: BlockingPortal, ada: Ada, wanted: bool) -> None:
    bot = Notes()
    bot.INFO = msgspec.structs.replace(bot.INFO, ed25519=wanted)
    with registered(portal, ada, bot) as marvin:
        assert made(marvin, quick=True)["passed"]
    assert any(" v1a," in signature for signature in bot.signatures) is wanted


def test_a_bot_may_switch_to_verifying_the_public_key_only(ada: Ada) -> None:
    """The requests before the change did not have the Ed25519 signature."""
    info = BotInfo(name="Owl", author="Ada", version="1", games=["splitter"], concurrency=4)
    marvin = Marvin(ada, "http://127.0.0.1:8000")
    with serving_sdk(Bot(_first, info), Gate([marvin.secret])) as url:
        marvin.ask("PUT", "", {"name": "Owl", "url": url})
        assert not marvin.prove()["info"]["ed25519"]
    strict = Bot(_first, msgspec.structs.replace(info, ed25519=True, version="2"))
    key = ada.api.get("/v1/signing-key").json()["key"]
    port = int(url.rpartition(":")[2])
    with serving_sdk(strict, Gate([marvin.secret], key, bot_id=marvin.made["id"]), port=port):
        check = made(marvin)
    assert check["passed"], [row for row in check["report"]["rows"] if row["outcome"] == "failed"]
    assert (check["version"], marvin.look()["checked"]) == ("2", True)


def _first(ask: Any) -> Any:
    return ask.moves[0]
