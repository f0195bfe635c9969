"""Matches on this machine: any bots at one table, equal luck for all, and no bot stops another."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from splito_arena.blocks.results import Block
from splito_arena.blocks.seatings import seatings
from splito_arena.blocks.series import REPLAYS, Series, match_id, opening, play_series
from splito_arena.blocks.simulate import Plan, simulate
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.lineup import Company, seated
from splito_arena.errors import BadAddress, BadSecret, Unplayable, Unreachable
from splito_arena.match.player import AskOutcome, Hear
from splito_arena.match.question import Question
from splito_arena.match.seat import Clock, Exchange
from splito_arena.match.terms import PlayTerms
from splito_arena.net.signing import new_secret, verify
from splito_arena.stats.series_table import summary
from splito_engine.errors import BadBot, BadOption, GameError, UnknownGame, WrongPlayers
from splito_engine.player import Answer
from splito_engine.record import encode
from splito_engine.record import verify as verify_record
from splito_engine.registry import games
from tests.arena.net.servers import HOST, Serve, bot, nobody
from tests.arena.playing import first, last, plays

pytestmark = pytest.mark.anyio
SLOW = Clock(20_000, 0)
"""So that no machine is too slow for a bot that is not to be late."""


def series(*bots: str, **changes: Any) -> Series:
    wanted = Series(
        game="splitter", bots=bots, seed="7", deals=len(seatings(len(bots))) * 2, play=PlayTerms(clock=SLOW)
    )
    return msgspec.structs.replace(wanted, **changes)


async def played(wanted: Series, company: Company) -> list[Block]:
    async with aclosing(play_series(wanted, company)) as blocks:
        return [block async for block in blocks]


async def blocks_of(wanted: Series, secrets: dict[str, str] | None = None) -> list[Block]:
    async with seated(wanted.bots, opening(wanted), secrets or {}) as company:
        return await played(wanted, company)


def records(blocks: list[Block]) -> list[bytes]:
    return [encode(result.record) for block in blocks for result in block.results if result.record is not None]


@asynccontextmanager
async def urls(*served: Serve) -> AsyncGenerator[list[str]]:
    async with AsyncExitStack() as stack:
        targets = [await stack.enter_async_context(bot(serve)) for serve in served]
        yield [f"http://{HOST}:{target.port}" for target in targets]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for functions that are bots."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    return tmp_path


@pytest.mark.parametrize("game", games())
async def test_bots_of_all_kinds_play_every_game_at_one_table(game: str, here: Path) -> None:
    (here / f"mine_of_{game}.py").write_text("def last(ask):\n    return ask.moves[-1]\n")
    async with urls(plays(last)) as (url,):
        wanted = series(url, "greedy", f"mine_of_{game}:last", game=game)
        blocks = await blocks_of(wanted)
    assert [block.number for block in blocks] == [0, 1]
    for record in records(blocks):
        assert {*verify_record(record)[0].names} == {"guest", "greedy", f"mine_of_{game}:last"}
    assert not any(codes for block in blocks for result in block.results for codes in result.faults)
    assert all(len(seconds) > 0 for block in blocks for result in block.results for seconds in result.seconds)


async def test_the_deals_and_the_seats_are_those_of_a_simulation() -> None:
    blocks = await blocks_of(series("planner", "greedy", "planner"))
    simulated = [*simulate(Plan("splitter", ("planner", "greedy", "planner"), "7", 12, records=True))]
    for ours, theirs in zip(blocks, simulated, strict=True):
        assert ours.number == theirs.number
        for result, other in zip(ours.results, theirs.results, strict=True):
            assert result.seating == other.seating
            assert result.record is not None
            assert other.record is not None
            assert (result.record.names, result.record.seed) == (other.record.names, other.record.seed)


async def test_the_same_seed_gives_the_same_records_however_many_are_played_at_once() -> None:
    async with urls(plays(first)) as (url,):
        one, again, other = [
            records(await blocks_of(series(url, "random", seed=seed, at_once=at_once)))
            for seed, at_once in (("7", 1), ("7", 5), ("8", 5))
        ]
    assert one == again != other


async def test_functions_play_the_same_in_processes_of_their_own(here: Path) -> None:
    """Bots that are not called over HTTP are asked in this process."""
    (here / "mine_both_ways.py").write_text(
        "def choose(ask):\n    return ask.moves[int(ask.seed, 16) % len(ask.moves)]\n"
    )
    alone = await blocks_of(series("mine_both_ways:choose", "random", "greedy"))
    async with urls(plays(first, name="greedy")) as (url,):
        beside = await blocks_of(series("mine_both_ways:choose", "random", url))
    seeds = [[verify_record(record)[0].seed for record in records(blocks)] for blocks in (alone, beside)]
    assert seeds[0] == seeds[1]
    sheets = [[verify_record(record)[1].turns[0].moves for record in records(blocks)] for blocks in (alone, beside)]
    for ours, theirs in zip(*sheets, strict=True):
        assert [ours[seat] == theirs[seat] for seat in ours].count(True) >= 2


async def test_every_match_has_an_id_a_deal_and_dice_of_its_own() -> None:
    asks: dict[str, set[str]] = {}

    def remember(ask: dict[str, Any]) -> dict[str, Any]:
        asks.setdefault(ask["match"], set()).add(ask["seed"])
        return first(ask)

    async with urls(plays(remember)) as (url,):
        blocks = await blocks_of(series(url, url))
    assert len({verify_record(record)[0].seed for record in records(blocks)}) == len(asks) == 4
    assert {*asks} == {match_id("7", block, game) for block in range(2) for game in range(2)}
    assert len({seed for seeds in asks.values() for seed in seeds}) == sum(map(len, asks.values()))


async def test_one_url_in_two_seats_is_one_bot_with_two_names() -> None:
    async with urls(plays(first, concurrency=1, batch=8)) as (url,):
        (block,) = await blocks_of(series(url, url, deals=1))
    assert sorted(verify_record(record)[0].names for record in records([block])) == [
        ("guest", "guest#2"),
        ("guest#2", "guest"),
    ]


async def test_a_function_that_thinks_does_not_take_the_time_of_other_bots(here: Path) -> None:
    """The function thinks until the other bot has answered, which would never happen in one process."""
    (here / "waits_for_others.py").write_text(
        "import time\n"
        "from pathlib import Path\n"
        "def choose(ask):\n"
        "    end = time.monotonic() + 15\n"
        "    while not (Path(__file__).parent / f'{ask.match}-{ask.turn}').exists():\n"
        "        if time.monotonic() > end:\n"
        "            raise RuntimeError('nobody else answers')\n"
        "    return ask.moves[0]\n"
    )

    def answers(ask: dict[str, Any]) -> dict[str, Any]:
        (here / f"{ask['match']}-{ask['turn']}").touch()
        return first(ask)

    async with urls(plays(answers)) as (url,):
        (block,) = await blocks_of(series(url, "waits_for_others:choose", deals=1))
    assert [result.faults for result in block.results] == [((), ()), ((), ())]


async def test_a_bot_that_fails_is_replaced_and_comes_last_while_the_others_play_on() -> None:
    async with urls(plays(lambda _: b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"), plays(first)) as (bad, good):
        wanted = series(bad, good, "random", play=PlayTerms(clock=SLOW, strikes=2))
        blocks = await blocks_of(wanted)
    failing, fine, random = summary(("bad", "good", "random"), blocks)
    assert (failing.faults, failing.replaced, failing.rank.mean) == ({"bad-status": 24}, 12, 3.0)
    assert failing.wins.mean == 0.0
    assert (fine.faults, fine.replaced) == ({}, 0)
    assert random.games == 12
    assert len(records(blocks)) == 12


async def test_a_function_that_fails_is_replaced_in_the_same_way(here: Path) -> None:
    (here / "fails_here.py").write_text("import sys\ndef choose(ask):\n    sys.exit(1)\n")
    for others in (("random",), None):
        async with urls(plays(first)) as (url,):
            wanted = series("fails_here:choose", *(others or (url,)), deals=1)
            failing, _ = summary(("bad", "other"), await blocks_of(wanted))
        assert (failing.faults, failing.replaced, failing.rank.mean) == ({"crashed": 6}, 2, 2.0)


async def test_asks_are_signed_with_the_secret_of_the_url() -> None:
    secret, checked = new_secret(), list[str]()

    def check(headers: dict[str, str], body: bytes) -> None:
        stamp = float(headers["webhook-timestamp"])
        checked.append(verify([secret], headers, body, stamp))

    async with urls(plays(first, check)) as (url,):
        (block,) = await blocks_of(series(url, deals=1), {url: secret})
    assert len({*checked}) == len(checked) == len(block.results[0].seconds[0])


@pytest.mark.parametrize("url", ["http://localhost:0", "ftp://localhost", "http://user@localhost"])
async def test_a_text_that_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        await blocks_of(series(url))


async def test_an_unreachable_bot_is_reported_before_the_first_match() -> None:
    async with urls(plays(first)) as (url,):
        with pytest.raises(Unreachable, match=r"refused.*keep the bot running"):
            await blocks_of(series(url, f"http://{HOST}:{nobody()}"))


async def test_a_bot_with_another_game_or_without_info_is_reported_before_the_first_match() -> None:
    async with urls(plays(first, games=["chess"]), plays(first, games="all")) as (other, vague):
        with pytest.raises(BadBot, match=r"guest at .* does not play splitter, only chess"):
            await blocks_of(series(other))
        with pytest.raises(Unreachable, match="not an answer as the contract defines it"):
            await blocks_of(series(vague))
        with pytest.raises(BadSecret):
            await blocks_of(series(other), {other: "whsec_short"})


async def test_two_bots_with_one_long_name_are_told_apart() -> None:
    async with urls(plays(first, name=64 * "é"), plays(first, name=64 * "é")) as (one, other):
        (block,) = await blocks_of(series(one, other, deals=1))
    assert {verify_record(record)[0].names[0] for record in records([block])} == {56 * "é", 56 * "é" + "#2"}


@pytest.mark.parametrize(
    ("changes", "error", "field"),
    [
        ({"game": "chess"}, UnknownGame, "game"),
        ({"bots": ("random",) * 13}, WrongPlayers, "players"),
        ({"bots": ("random", "nobody")}, BadBot, "bot"),
        ({"options": {"sheet": "C"}}, BadOption, "sheet"),
        ({"deals": 0}, BadOption, "deals"),
        ({"at_once": 0}, BadOption, "at-once"),
        ({"play": PlayTerms(strikes=0)}, BadOption, "strikes"),
        ({"play": PlayTerms(clock=Clock(0, 0))}, BadOption, "clock"),
        ({"seed": "é"}, BadOption, "seed"),
    ],
)
def test_a_bad_series_is_refused_before_any_bot_is_called(
    changes: dict[str, Any], error: type[GameError], field: str
) -> None:
    with pytest.raises(error) as caught:
        opening(series("random", **changes))
    assert caught.value.field == field


class Flaky:
    """A bot that cannot be reached at first; nothing of it is the bot's fault."""

    name = "flaky"

    notices = False

    def __init__(self, times: int) -> None:
        self.matches: list[str] = []
        self._times = times

    def ask(self, question: Question, hear: Hear) -> None:
        if question.ask.match not in self.matches:
            self.matches.append(question.ask.match)
        trouble = len(self.matches) <= self._times
        hear(AskOutcome(OSError("too many open files") if trouble else Answer(question.ask.moves[0]), 0.0))

    def start(self, notice: Any) -> None:
        """An address at which no server listens."""

    end = start


def company(player: Flaky) -> Company:
    return Company((player,), Plugin("nobody", lambda ask: ask.moves[0]), {})


async def test_a_match_that_fails_on_our_side_is_played_again_under_another_id(
    caplog: pytest.LogCaptureFixture,
) -> None:
    flaky = Flaky(REPLAYS)
    (block,) = await played(series("flaky", deals=1), company(flaky))
    assert flaky.matches == [match_id("7", 0, 0, replays) for replays in range(1 + REPLAYS)]
    assert block.results[0].faults == ((),)
    assert ["too many open files" in record.message for record in caplog.records] == [True] * REPLAYS


async def test_a_match_that_always_fails_is_given_up_with_the_reason() -> None:
    with pytest.raises(Unplayable, match=r"block 0 was given up, game 0 played 4 times: .*too many open files"):
        await played(series("flaky", deals=1), company(Flaky(1 + REPLAYS)))


async def test_asks_are_logged_by_the_name_of_the_bot_and_not_for_its_replacement(here: Path) -> None:
    (here / "mine_to_log.py").write_text("def choose(ask):\n    return 'nonsense'\n")
    lines: list[tuple[str, Exchange]] = []
    wanted = series("mine_to_log:choose", "random", deals=1)
    play = PlayTerms(clock=SLOW, strikes=1, log=lambda name, exchange: lines.append((name, exchange)))
    async with (
        seated(wanted.bots, opening(wanted), {}, log=True) as sitting,
        aclosing(play_series(msgspec.structs.replace(wanted, play=play), sitting)) as blocks,
    ):
        games = [len(block.results) async for block in blocks]
    mine = [exchange for name, exchange in lines if name == "mine_to_log:choose"]
    others = [exchange for name, exchange in lines if name == "random"]
    assert [exchange.fault and exchange.fault.code for exchange in mine] == ["illegal-move"] * 4  # each asked again
    assert all(msgspec.json.decode(exchange.response)["move"] == "nonsense" for exchange in mine)
    assert len(others) == 22 * sum(games)
    assert all(msgspec.json.decode(exchange.request)["id"] == exchange.id for exchange in others)


async def test_blocks_come_one_by_one_and_play_stops_when_the_caller_stops() -> None:
    wanted = series("random", "greedy", deals=10**6)
    before = asyncio.all_tasks()
    async with seated(wanted.bots, opening(wanted), {}) as sitting:
        async with aclosing(play_series(wanted, sitting)) as blocks:
            assert [(await anext(blocks)).number, (await anext(blocks)).number] == [0, 1]
        assert asyncio.all_tasks() == before
