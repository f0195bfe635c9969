"""Experiments on this machine: block by block, in the order of the deals, until the verdict."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import msgspec
import pytest

from splito_arena.blocks.ledger import encode
from splito_arena.blocks.series import REPLAYS
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.lineup import Company, seated
from splito_arena.errors import Unplayable
from splito_arena.experiments.blocks import difference
from splito_arena.experiments.run import Account, Step, compare
from splito_arena.experiments.sequential_test import Design, after, reading
from splito_arena.experiments.tables import Comparison, opening
from splito_arena.match.player import AskOutcome, Hear
from splito_arena.match.question import Question
from splito_arena.match.seat import Clock
from splito_arena.match.terms import PlayTerms
from splito_engine.errors import BadBot, BadOption, GameError, UnknownGame, WrongPlayers
from splito_engine.match import Match
from splito_engine.player import Answer, Ask
from tests.arena.net.servers import HOST, bot
from tests.arena.playing import first, plays

pytestmark = pytest.mark.anyio
SHORT = Design(least=3, cap=6)


def comparison(new: str = "greedy", old: str = "random", *field: str, **changes: Any) -> Comparison:
    wanted = Comparison(
        game="splitter", new=new, old=old, field=field or ("random",), players=2, seed="7", design=SHORT
    )
    return msgspec.structs.replace(wanted, **changes)


async def steps_of(wanted: Comparison, company: Company | None = None) -> list[Step]:
    match = opening(wanted)
    async with _company(wanted, match, company) as present, aclosing(compare(wanted, present)) as steps:
        return [step async for step in steps]


@asynccontextmanager
async def _company(wanted: Comparison, match: Match, company: Company | None) -> AsyncGenerator[Company]:
    if company is not None:
        yield company
        return
    async with seated(wanted.bots, match, {}) as found:
        yield found


async def test_an_experiment_ends_when_it_is_decided() -> None:
    steps = await steps_of(comparison(design=Design(least=8, cap=500, high=0.4)))
    verdicts = [step.reading.verdict for step in steps]
    assert verdicts[-1] == "better"
    assert {*verdicts[:-1]} == {"undecided"}
    assert 8 <= len(steps) < 500


async def test_an_undecided_experiment_ends_at_the_cap() -> None:
    steps = await steps_of(comparison("greedy", "greedy"))
    assert [step.reading.verdict for step in steps] == 5 * ["undecided"] + ["cap"]


@pytest.mark.parametrize("measure", ["places", "points", "wins"])
async def test_the_verdict_follows_from_the_differences_in_the_order_of_the_blocks(measure: Any) -> None:
    wanted = comparison(measure=measure)
    steps = await steps_of(wanted)
    assert [step.played.entry.block for step in steps] == [f"{deal:05}" for deal in range(len(steps))]
    for count in range(1, len(steps) + 1):
        differences = [difference(step.played.entry, measure) for step in steps[:count]]
        found = steps[count - 1].reading
        assert msgspec.structs.replace(found, variance_ratio=None) == reading(after(SHORT, differences))


async def test_new_and_old_have_every_seat_once_each_on_the_same_deal() -> None:
    [step, *_] = await steps_of(comparison("random", "random", "random", "random", players=3))
    entry = step.played.entry
    assert entry.bots == ("random", "random#2", "random#3", "random#4")
    by_deal = {game.record.seed: list[int]() for game in entry.games}
    for game in entry.games:
        by_deal[game.record.seed] += [game.seating.index(bot) for bot in (0, 1) if bot in game.seating]
    assert sorted(by_deal.values()) == [[0, 0], [1, 1], [2, 2]]
    assert len({game.match for game in entry.games}) == len(entry.games) == 6
    for contender in (0, 1):
        assert sorted(game.seating.index(contender) for game in entry.games if contender in game.seating) == [0, 1, 2]


async def test_bots_of_a_large_field_take_turns() -> None:
    wanted = comparison("random", "random", *["random"] * 5, design=Design(least=9, cap=9))
    sat = [{bot for game in step.played.entry.games for bot in game.seating} for step in await steps_of(wanted)]
    assert {len(bots) for bots in sat} == {4}
    assert set[int]().union(*sat) == {*range(7)}


async def test_a_game_for_one_is_measured_by_points() -> None:
    steps = await steps_of(comparison("greedy", "random", players=1, field=(), measure="points"))
    assert [game.seating for game in steps[0].played.entry.games] == [(0,), (1,)]
    assert steps[-1].reading.estimate.mean > 0


async def test_the_same_seed_gives_the_same_games_however_many_are_played_at_once() -> None:
    async with bot(plays(first)) as target:
        url = f"http://{HOST}:{target.port}"
        one, again, other = [
            [encode(step.played.entry) for step in await steps_of(comparison(url, seed=seed, at_once=at_once))]
            for seed, at_once in (("7", 1), ("7", 20), ("8", 20))
        ]
    assert one == again
    assert one[0] != other[0]


class Breaks:
    """A player that cannot be asked that many times because of an error of the arena."""

    name = "breaks"

    notices = False

    def __init__(self, times: int) -> None:
        self._left = times

    def ask(self, question: Question, hear: Hear) -> None:
        if self._left:
            self._left -= 1
            hear(AskOutcome(RuntimeError("the lights went out"), 0.0))
        else:
            hear(AskOutcome(Answer(question.ask.moves[0]), 0.0))

    def start(self, notice: Any) -> None:
        pass

    end = start


def _first(ask: Ask) -> Any:
    return ask.moves[0]


def present(new: Any) -> Company:
    old, field = Plugin("old", _first), Plugin("field", _first)
    return Company((new, old, field), Plugin("house", _first), {})


async def test_a_block_that_the_arena_spoiled_is_played_again_with_the_same_result() -> None:
    troubled, undisturbed = [
        [encode(step.played.entry) for step in await steps_of(comparison(at_once=1), present(Breaks(times)))]
        for times in (REPLAYS, 0)
    ]
    assert troubled == undisturbed


async def test_a_block_that_always_fails_is_given_up() -> None:
    with pytest.raises(Unplayable, match=r"block 0 was given up, played 4 times: .*the lights went out"):
        await steps_of(comparison(at_once=1), present(Breaks(1000)))


async def test_an_account_has_the_means_and_the_faults_of_a_bot() -> None:
    wanted = comparison("greedy", "tests.arena.experiments.test_run:fails", play=PlayTerms(strikes=2))
    steps = await steps_of(wanted)
    accounts = [Account(name, number) for number, name in enumerate(steps[0].played.entry.bots)]
    for step in steps:
        for account in accounts:
            account.add(step.played)
    new, old, field = (account.fared() for account in accounts)
    assert (new.games, old.games, field.games) == (2 * len(steps), 2 * len(steps), 4 * len(steps))
    assert (new.faults, old.faults) == ({}, {"crashed": 2 * old.games})
    assert (new.replaced, old.replaced) == (0, old.games)
    assert (old.place, old.wins, old.points) == (2.0, 0.0, 0.0)
    assert new.ms_p50 <= new.ms_p99


def fails(_: Ask) -> Any:
    """A bot that never answers."""
    raise KeyError


WRONG: list[tuple[dict[str, Any], type[GameError]]] = [
    ({"game": "chess"}, UnknownGame),
    ({"new": "nobody"}, BadBot),
    ({"field": ("nobody",)}, BadBot),
    ({"players": 13}, WrongPlayers),
    ({"players": 3, "field": ()}, WrongPlayers),
    ({"players": 1}, WrongPlayers),
    ({"players": 1, "field": ()}, BadOption),
    ({"options": {"sheet": "C"}}, BadOption),
    ({"design": Design(low=0.3, high=0.2)}, BadOption),
    ({"design": Design(least=30, cap=20)}, BadOption),
    ({"at_once": 0}, BadOption),
    ({"play": PlayTerms(strikes=0)}, BadOption),
    ({"play": PlayTerms(clock=Clock(0, 0))}, BadOption),
]


@pytest.mark.parametrize(("changes", "error"), WRONG)
async def test_a_wrong_experiment_is_refused_before_any_bot_is_called(
    changes: dict[str, Any], error: type[GameError]
) -> None:
    with pytest.raises(error):
        opening(comparison(**changes))
