"""Registered bots in live matches: their clock and their faults survive the processes that ask them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import httpx
import msgspec
import pytest

from splito_arena.bots.subprocess import BotProcesses
from splito_arena.faults import FaultNote
from splito_arena.match.messages import BotInfo
from splito_arena.net.http_client import Caller
from splito_engine.match import legal_moves
from splito_engine.player import Cost
from splito_service.bots.ask_claims import Claims
from splito_service.bots.ask_log import Log
from splito_service.bots.ask_store import AcceptedAnswer, Asks
from splito_service.bots.model import Registered, described
from splito_service.bots.players import BotPlayers
from splito_service.bots.pull import Desk
from splito_service.bots.registry import Registry
from splito_service.bots.store import Bots
from splito_service.matches.autoplay import Autoplay, attending
from splito_service.matches.bot_turns import CLOCK, BotTurns
from splito_service.matches.model import Account, Decision, Sitter, StoredMatch
from splito_service.matches.store import Matches
from splito_service.processes.embedded_redis import open_server
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.storage.connect import Client
from tests.service.bots.own_bot import Marvin
from tests.service.matches.test_api import problem
from tests.service.owners.test_keys import Ada
from tests.service.polling import (
    GAMES,
    GREEDY,
    PRIVATE,
    Places,
    Polling,
    begin,
    eventually,
    last_move,
    polling,
    turns_of,
    verified,
)
from tests.service.process import running
from tests.service.pushed import INFO, PushBot, serving

ANN = Sitter("person", "Ann")
PERSON = {"kind": "person", "name": "Ann"}
LIMIT = 60.0


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    """A service that may call bots on this machine."""
    with open_server(tmp_path_factory.mktemp("registered")) as server, running(server.url, PRIVATE) as process:
        yield Places(process.url, server.url)


@pytest.fixture
def ada(places: Places) -> Iterator[Ada]:
    with httpx.Client(base_url=places.url, timeout=60) as api:
        yield Ada(api)


@pytest.fixture
def served() -> Iterator[PushBot]:
    with serving() as bot:
        bot.info = {**INFO, "games": GAMES}
        yield bot


@pytest.fixture
def marvin(ada: Ada, served: PushBot) -> Marvin:
    """A push bot that is ready."""
    marvin = Marvin(ada, served.url)
    served.secret = marvin.secret
    marvin.prove()
    return marvin


@pytest.fixture
async def house() -> AsyncIterator[BotProcesses]:
    async with BotProcesses() as house:
        yield house


@pytest.fixture
async def other(link: Link, desk: Desk) -> AsyncIterator[BotTurns]:
    """Services of another process."""
    bots = Bots(link)
    async with Caller() as caller:
        yield BotTurns(bots, BotPlayers(Registry(bots, Signer(link), caller, True), desk), Claims(link), Log(link))


@pytest.fixture
async def polly(link: Link) -> Registered:
    """A pull bot that is ready."""
    bots = Bots(link)
    made = await bots.create("ada", "pull", "Polly")
    info = BotInfo(name="polly", author="Ada", version="1", games=[*GAMES])
    return await bots.change(made.id, partial(described, info=info))


def seat_of(marvin: Marvin) -> dict[str, str]:
    return {"kind": "bot", "bot": marvin.made["id"]}


def asks_of(served: PushBot) -> list[Any]:
    return [msgspec.json.decode(called.body) for called in served.called if called.path == "/ask"]


def test_only_a_bot_that_is_ready_and_plays_the_game_gets_a_seat(ada: Ada, served: PushBot) -> None:
    def refused(bot: str, game: str = "splito") -> str:
        seats = [{"kind": "bot", "bot": bot}, PERSON]
        return problem(ada.ask("POST", f"/v1/{game}/matches", {"seats": seats}), 409, "bad-bot")["detail"]

    assert "no bot" in refused("0" * 24)
    new = ada.ask("POST", "/v1/bots", {"name": "New", "kind": "pull"}).json()["bot"]["id"]
    assert "not ready" in refused(new)
    unproved = Marvin(ada, served.url)
    assert "prove" in refused(unproved.made["id"])
    only = Polling(ada, games=["splitter"])
    assert refused(only.id).endswith("does not play splito, but splitter")
    begin(ada.api, "splitter", [only.seat, PERSON])


@pytest.mark.parametrize("game", GAMES)
def test_a_push_bot_plays_a_live_match(ada: Ada, marvin: Marvin, served: PushBot, game: str) -> None:
    served.choose = last_move
    path = begin(ada.api, game, [seat_of(marvin), GREEDY])
    for match in turns_of(ada.api, path):
        assert match["seats"][0] == {"kind": "bot", "name": "Marvin", "bot": marvin.made["id"]}
    record = verified(ada.api, path)
    assert record.names == ("Marvin", "greedy")
    asks = asks_of(served)
    turns = ada.api.get(f"{path}/turns").json()["turns"]
    own = [said["move"] for turn in turns for said in turn["moves"] if said["seat"] == 0]
    assert own == [ask["moves"][-1] for ask in asks]
    assert asks[0]["last"] is None
    assert {ask["last"]["outcome"] for ask in asks[1:]} == {"ok"}
    assert [len(ask["history"]) for ask in asks] == [ask["turn"] for ask in asks]
    rows = eventually(lambda: marvin.ask("GET", "/asks?limit=100").json()["asks"], lambda rows: len(rows) == len(asks))
    assert {row["fault"] for row in rows} == {None}


def test_bots_without_any_person_play_to_the_end(ada: Ada, marvin: Marvin, places: Places) -> None:
    with polling(Polling(ada), [places.url], last_move) as bot:
        path = begin(ada.api, "splito", [bot.seat, seat_of(marvin), bot.seat])
        list(turns_of(ada.api, path))
    assert verified(ada.api, path).names == ("Polly", "Marvin", "Polly")


def test_a_bot_plays_with_a_person(ada: Ada, marvin: Marvin) -> None:
    made = ada.api.post("/v1/splito/matches", json={"seats": [PERSON, seat_of(marvin)]})
    path, headers = made.headers["Location"], {"Authorization": f"Bearer {made.json()['tokens'][0]}"}
    turn = -1
    while (own := ada.api.get(path, params={"after": turn, "wait": 30}, headers=headers).json())["status"] != "over":
        assert own["turn"] > turn
        turn = own["turn"]
        move = {"move": own["legal_moves"][0]}
        assert ada.api.put(f"{path}/turns/{turn}/seats/0", json=move, headers=headers).status_code == 200
    verified(ada.api, path)


def test_a_push_bot_may_correct_an_illegal_answer_once(ada: Ada, marvin: Marvin, served: PushBot) -> None:
    served.choose = lambda ask: {"index": 0 if ask["rejected"] else 5000}
    path = begin(ada.api, "splitit", [seat_of(marvin), GREEDY])
    list(turns_of(ada.api, path))
    asks = asks_of(served)
    assert [ask["rejected"] and ask["rejected"]["code"] for ask in asks] == [None, "illegal-move"] * (len(asks) // 2)
    first = eventually(lambda: marvin.ask("GET", f"/asks/{asks[0]['id']}").json(), lambda row: "earlier" in row)
    assert first["fault"] is None
    assert [tried["fault"]["code"] for tried in first["earlier"]] == ["illegal-move"]
    assert marvin.secret not in str(first)


def test_after_three_faults_a_house_bot_plays_on(ada: Ada, marvin: Marvin, served: PushBot) -> None:
    served.status = 500
    served.problem = {"code": "crashed", "detail": "the bot has failed: \x1b[31mKeyError"}
    path = begin(ada.api, "splito", [seat_of(marvin), GREEDY])
    list(turns_of(ada.api, path))
    verified(ada.api, path)
    asks = asks_of(served)
    assert [ask["turn"] for ask in asks] == [0, 1, 2]
    assert [ask["last"] and ask["last"]["outcome"] for ask in asks] == [None, "bad-status", "bad-status"]
    turns = ada.api.get(f"{path}/turns").json()["turns"]
    assert [turn["moves"][0]["move"] for turn in turns[:3]] == [ask["moves"][0] for ask in asks], "default moves"
    rows = eventually(lambda: marvin.ask("GET", "/asks").json()["asks"], lambda rows: len(rows) == 3)
    assert {row["fault"]["code"] for row in rows} == {"bad-status"}
    said = "the status is not 200: 500, crashed: the bot has failed: \\x1b[31mKeyError"
    assert {(row["status"], row["fault"]["detail"]) for row in rows} == {(500, said)}
    assert "KeyError" in marvin.ask("GET", f"/asks/{rows[0]['id']}").json()["response"]
    assert marvin.owner.api.get(f"{marvin.path}/asks").status_code == 401, "for the owner alone"
    own = eventually(marvin.look, lambda bot: bot["own"]["reason"] is not None)["own"]
    assert own["reason"].startswith(f"a house bot took over in match {path.rpartition('/')[2]} (bad-status 3 times)")
    assert ada.api.get(marvin.path).json()["own"] is None, "strangers see nothing of it"


def test_a_bot_with_notices_receives_start_and_end(ada: Ada, served: PushBot) -> None:
    served.info = {**INFO, "games": GAMES, "notices": True}
    marvin = Marvin(ada, served.url)
    served.secret = marvin.secret
    marvin.prove()
    path = begin(ada.api, "splito", [GREEDY, seat_of(marvin)])
    list(turns_of(ada.api, path))
    over = ada.api.get(path).json()
    eventually(lambda: served.paths, lambda paths: "/end" in paths)
    told = {
        called.path: msgspec.json.decode(called.body) for called in served.called if called.path in ("/start", "/end")
    }
    assert [served.paths.count(what) for what in ("/start", "/end")] == [1, 1]
    assert (told["/start"]["seat"], told["/start"]["bank_ms"]) == (1, CLOCK.bank_ms)
    assert (told["/end"]["scores"], told["/end"]["replaced"]) == (over["scores"], False)
    assert "seed" not in told["/end"]


def test_a_bot_that_is_deleted_is_replaced(ada: Ada) -> None:
    bot = Polling(ada)
    path = begin(ada.api, "splito", [bot.seat, GREEDY])
    [ask] = bot.poll(wait=20)
    assert ada.ask("DELETE", f"/v1/bots/{bot.id}").status_code == 204
    problem(bot.answer(ask, {"index": 0}), 404, "unknown-ask")
    list(turns_of(ada.api, path))
    verified(ada.api, path)


@pytest.mark.anyio
async def test_the_account_of_a_seat_is_stored_with_its_first_move(link: Link, polly: Registered) -> None:
    account = Account(1234, Cost(5766.0, 4766, "ok"), (FaultNote(0, "bad-json", "no"),))
    one, two = Matches(link), Matches(link)
    kept = await one.create("splito", [Sitter("bot", "Polly", polly.id), ANN])
    sealed = await one.seal(kept.id, Decision(0, 0, legal_moves(kept.match, 0)[0], account=account))
    assert sealed.accounts == (await two.get(kept.id)).accounts == {0: account}
    again = await two.seal(kept.id, Decision(0, 0, legal_moves(kept.match, 0)[0], account=Account(0)))
    assert again.accounts == {0: account}, "only the first one counts"
    after = await one.seal(kept.id, Decision(0, 1, legal_moves(kept.match, 1)[0], sitting=1))
    assert (after.turn, after.accounts) == (1, {0: account})


@pytest.mark.anyio
async def test_bank_and_faults_survive_the_process(
    link: Link, bot_turns: BotTurns, house: BotProcesses, polly: Registered
) -> None:
    account = Account(700, Cost(5300.0, 4300, "time-out"), (FaultNote(0, "time-out", ""), FaultNote(1, "time-out", "")))
    kept = await begun(Matches(link), polly, account)
    deciding = asyncio.create_task(bot_turns.decide(kept, 0, house))
    ask = await handed(link, polly)
    assert ask["time"]["bank_ms"] == 700
    assert ask["last"] == {"elapsed_ms": 5300.0, "charged_ms": 4300, "outcome": "time-out"}
    decision = await deciding  # the bot does not answer
    assert decision is not None
    assert decision.move == legal_moves(kept.match, 0)[0]
    assert decision.account is not None
    assert (decision.account.bank_ms, decision.account.replaced) == (0, True)
    assert [note.code for note in decision.account.faults] == 3 * ["time-out"]


@pytest.mark.anyio
async def test_a_replaced_bot_is_not_asked_again(
    link: Link, bot_turns: BotTurns, house: BotProcesses, polly: Registered
) -> None:
    kept = await begun(Matches(link), polly, Account(0, replaced=True))
    decision = await bot_turns.decide(kept, 0, house)
    assert decision is not None
    assert decision.account is None
    assert (await Asks(link).hand_out(polly.id, 8, 8)).asks == []


@pytest.mark.anyio
async def test_a_bot_is_asked_by_one_process_at_a_time(
    link: Link, bot_turns: BotTurns, other: BotTurns, house: BotProcesses, polly: Registered
) -> None:
    kept = await begun(Matches(link), polly)
    deciding = asyncio.create_task(bot_turns.decide(kept, 0, house))
    ask = await handed(link, polly)
    assert await other.decide(kept, 0, house) is None, "another process is asking"
    assert (await Asks(link).hand_out(polly.id, 8, 8)).asks == []
    await link.call("DEL", f"asking:{ask['id']}")  # as if that one had been killed
    taken_over = asyncio.create_task(other.decide(kept, 0, house))
    assert (await handed(link, polly))["id"] == ask["id"]
    await Asks(link).answer(ask["id"], polly.id, AcceptedAnswer(3), b'{"index":3}')
    decisions = [await taken_over, await deciding]
    assert [one and one.move for one in decisions] == 2 * [legal_moves(kept.match, 0)[3]]


@pytest.mark.anyio
async def test_the_asking_process_renews_its_claim(link: Link, redis: Client) -> None:
    claims = Claims(link)
    async with claims.holding("one") as ours, Claims(link).holding("one") as theirs:
        assert (ours, theirs) == (True, False)
        await redis.pexpire("asking:one", 1500)
        await claims.renew()
        assert await redis.pttl("asking:one") > 1500
    assert await redis.pttl("asking:one") > 0, "it lapses by itself"


@pytest.mark.anyio
async def test_a_match_is_played_on_when_the_asking_process_is_gone(
    link: Link, redis: Client, bot_turns: BotTurns, house: BotProcesses, polly: Registered
) -> None:
    matches = Matches(link)
    kept = await begun(matches, polly)
    claim = f"asking:{kept.id}-{kept.turn}-0"
    await redis.set(claim, "the other process")  # it lives, so its claim does not lapse
    autoplay: Any = Autoplay(matches, house, bot_turns)
    await redis.zadd("due", {kept.id: 0})
    await autoplay.sweep_once()
    if kept.id in autoplay._tasks:
        await autoplay._tasks[kept.id]
    await autoplay.stop()  # other tests leave matches in Redis that would take longer
    assert await redis.zscore("due", kept.id) > 0, "another process asks, but may be killed"
    assert (await Asks(link).hand_out(polly.id, 8, 8)).asks == []
    await redis.delete(claim)
    await redis.zadd("due", {kept.id: 0})
    async with attending(matches, house, bot_turns):
        ask = await handed(link, polly)
        await Asks(link).answer(ask["id"], polly.id, AcceptedAnswer(0), b'{"index":0}')
        await until(lambda: _sealed(matches, kept.id))


@pytest.mark.anyio
async def test_a_match_is_not_due_while_only_a_person_without_a_clock_is_awaited(
    link: Link, redis: Client, bot_turns: BotTurns, house: BotProcesses, polly: Registered
) -> None:
    """The claim of the other process has expired: the bot is asked, and then the match is not due any more."""
    matches = Matches(link)
    kept = await begun(matches, polly)
    async with attending(matches, house, bot_turns):
        await redis.zadd("due", {kept.id: 0})
        ask = await handed(link, polly)
        assert await redis.zscore("due", kept.id) > 0, "the bot is being asked"
        await Asks(link).answer(ask["id"], polly.id, AcceptedAnswer(0), b'{"index":0}')
        await until(lambda: _not_due(redis, kept.id))
        assert (await matches.get(kept.id)).awaited == (1,)
    await matches.seal(kept.id, Decision(1, 1, legal_moves((await matches.get(kept.id)).match, 1)[0], sitting=1))
    assert await redis.zscore("due", kept.id) > 0, "the next turn has begun"


async def begun(matches: Matches, polly: Registered, account: Account | None = None) -> StoredMatch:
    """A match in which the bot has to decide in the second turn; the account is from the first."""
    kept = await matches.create("splito", [Sitter("bot", "Polly", polly.id), ANN])
    await matches.seal(kept.id, Decision(0, 0, legal_moves(kept.match, 0)[0], account=account))
    return await matches.seal(kept.id, Decision(0, 1, legal_moves(kept.match, 1)[0], sitting=1))


async def handed(link: Link, polly: Registered) -> Any:
    async with asyncio.timeout(LIMIT):
        while not (found := (await Asks(link).hand_out(polly.id, 8, 8)).asks):  # noqa: ASYNC110 (it happens in Redis)
            await asyncio.sleep(0)
        return msgspec.json.decode(found[0])


async def until(happened: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(LIMIT):
        while not await happened():  # noqa: ASYNC110 (it happens in Redis)
            await asyncio.sleep(0)


async def _not_due(redis: Client, match_id: str) -> bool:
    return await redis.zscore("due", match_id) is None


async def _sealed(matches: Matches, match_id: str) -> bool:
    return (await matches.get(match_id)).sealed == frozenset({0})
