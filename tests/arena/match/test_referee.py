"""A match ends whatever its bots do, no bot learns a move of another too early, and failing never pays."""

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import permutations
from random import Random
from statistics import fmean
from typing import Any

import msgspec
import pytest

from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.faults import FAULTS, FaultNote, Void
from splito_arena.match.player import Player
from splito_arena.match.question import Question
from splito_arena.match.referee import Played, places, referee
from splito_arena.match.seat import Clock, Exchange
from splito_arena.match.terms import STRIKES, PlayTerms, Terms
from splito_engine.game import AnyGame
from splito_engine.games import splito
from splito_engine.player import Answer, Ask
from splito_engine.record import Record, encode, verify
from splito_engine.registry import find_game
from tests.arena.scripted import Line, Scripted, Slow, fails, never, plays, says
from tests.conftest import QUICK

SALT = 32 * "0"
NOW = datetime(2030, 1, 1, tzinfo=UTC)
LAST = plays(-1)
TURNS = 13


def terms(match: str = "m", seed: str = "7", game: AnyGame = splito, **more: Any) -> Terms:
    return Terms(game=game, match=match, seed=seed, salt=SALT, **more)


def play(players: Sequence[Player], how: Terms | None = None, stand_in: Player | None = None) -> Played:
    substitute = stand_in or Plugin("random", find_bot("random"))
    return asyncio.run(referee(how or terms(), players, lambda _: substitute))


def checked(played: Played) -> Record:
    """Its record, if everybody who reads it can verify it."""
    record, match = verify(encode(played.record))
    assert match.over
    return record


def four(*players: Player) -> list[Player]:
    return [*players, *(Scripted(name=f"filler {seat}") for seat in range(len(players), 4))]


# The record


@pytest.mark.parametrize(("game", "players"), [("splito", 4), ("splito", 2), ("splitit", 3), ("splitter", 2)])
def test_every_match_ends_with_a_record_that_verifies(game: str, players: int) -> None:
    bots = [Plugin(f"random {seat}", find_bot("random")) for seat in range(players)]
    played = play(bots, terms(game=find_game(game)))
    record = checked(played)
    assert (record.game, record.names, record.seed) == (game, tuple(bot.name for bot in bots), "7")
    assert [(seat.faults, seat.replaced) for seat in played.seats] == players * [((), False)]
    assert sum(len(seat.elapsed_ms) for seat in played.seats) == sum(map(len, record.turns))


def test_a_nudge_is_in_the_record() -> None:
    talker = Scripted(plays(0, nudge="play:left"), plays(), plays(-1, nudge="play:right"))
    record = checked(play(four(talker), terms(options={"talk": True})))
    assert [(said.turn, said.seat, said.nudge) for said in record.talk] == [(0, 0, "play:left"), (2, 0, "play:right")]


def test_a_nudge_without_table_talk_is_a_fault() -> None:
    loud = plays(0, nudge="play:left")
    played = play(four(Scripted(loud, loud)))
    assert [note.code for note in played.seats[0].faults] == ["bad-nudge"]
    assert checked(played).talk == ()


# Faults


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_costs_the_default_move_and_is_noted(code: str) -> None:
    faulty = Scripted(LAST, fails(code), fails(code) if FAULTS[code].again else LAST)
    played = play(four(faulty))
    assert played.seats[0].faults == (FaultNote(1, code, FAULTS[code].meaning),)
    assert not played.seats[0].replaced
    default = splito.move_text(faulty.asked[1].ask.moves[0])
    assert checked(played).turns[1][0] == default


def test_after_too_many_faults_a_house_bot_plays_on_and_the_bot_is_last() -> None:
    good, bad, stand_in = Scripted(name="good"), Scripted(LAST, never, fails("crashed"), fails("redirect")), Scripted()
    played = play(four(good, bad), stand_in=stand_in)
    assert [note.code for note in played.seats[1].faults] == ["time-out", "crashed", "redirect"]
    assert [question.ask.turn for question in bad.asked] == [0, 1, 2, 3]
    assert [question.ask.turn for question in stand_in.asked] == list(range(4, TURNS))
    assert {question.ask.seat for question in stand_in.asked} == {1}
    assert {question.ask.time for question in stand_in.asked} == {None}
    assert [seat.replaced for seat in played.seats] == [False, True, False, False]
    assert len(played.seats[1].elapsed_ms) == 4
    assert played.places[1] == 4.0
    assert checked(played).names[1] == "scripted"


def test_the_results_of_the_other_bots_are_kept() -> None:
    bad = Scripted(*STRIKES * [never])
    stand_in = Plugin("greedy", find_bot("greedy"))
    players = [bad, *(Plugin(name, find_bot(name)) for name in ("greedy", "random", "random"))]
    played = play(players, stand_in=stand_in)
    scores = checked(played).scores
    others = sorted(range(1, 4), key=lambda seat: scores[seat], reverse=True)
    assert len({*scores[1:]}) == 3, "take another seed: two are tied"
    assert [played.places[seat] for seat in others] == [1.0, 2.0, 3.0]


def test_one_fault_less_than_too_many_is_forgiven() -> None:
    bad, stand_in = Scripted(*(STRIKES - 1) * [never]), Scripted()
    played = play(four(bad), stand_in=stand_in)
    assert (len(bad.asked), stand_in.asked, played.seats[0].replaced) == (TURNS, [], False)


def test_a_bot_with_too_many_faults_in_the_last_turn_is_last() -> None:
    bad = Scripted(*(TURNS - STRIKES) * [plays()], *STRIKES * [never])
    played = play(four(bad))
    assert (played.seats[0].replaced, played.places[0]) == (True, 4.0)


def test_faults_of_the_replacement_are_not_counted() -> None:
    played = play(four(Scripted(*STRIKES * [never])), stand_in=Scripted(*20 * [fails("crashed")]))
    assert len(played.seats[0].faults) == STRIKES
    checked(played)


def test_all_may_fail_and_share_the_last_place() -> None:
    played = play([Scripted(*STRIKES * [never]) for _ in range(4)])
    assert played.places == 4 * (2.5,)
    checked(played)


@pytest.mark.parametrize(
    ("scores", "replaced", "expected"),
    [
        (((3, 1), (2, 9), (3, 0)), (False, False, False), (1.0, 3.0, 2.0)),
        (((3,), (2,), (1,)), (True, False, False), (3.0, 1.0, 2.0)),
        (((3,), (2,), (1,)), (True, False, True), (2.5, 1.0, 2.5)),
        (((-5,), (7,), (-5,)), (False, True, False), (1.5, 3.0, 1.5)),
    ],
)
def test_places_follow_from_scores_and_replacements(
    scores: tuple[tuple[int, ...], ...], replaced: Sequence[bool], expected: tuple[float, ...]
) -> None:
    assert places(scores, replaced) == expected


@pytest.mark.parametrize("turn", [0, 5, TURNS - 1])
def test_an_error_of_the_arena_voids_the_match(turn: int) -> None:
    unlucky = Scripted(*turn * [plays()], says(OSError("too many open files")))
    with pytest.raises(Void, match="seat 2: OSError: too many open files") as caught:
        play(four(Scripted(), Scripted(), unlucky))
    assert isinstance(caught.value.__cause__, OSError)


def test_an_error_of_the_arena_is_reported_even_if_a_bot_has_a_fault_too() -> None:
    with pytest.raises(Void):
        play(four(Scripted(fails("reset"), says(MemoryError()))))


def test_every_question_is_logged() -> None:
    log: list[Exchange] = []
    logged = PlayTerms(log=lambda _, exchange: log.append(exchange))
    play(four(Scripted(fails("bad-json"), LAST)), terms(play=logged))
    assert len(log) == 4 * TURNS + 1
    assert [one.fault.code for one in log if one.fault] == ["bad-json"]


# Who learns what, and when


class Table:
    """A match of four whose players answer when they are told to."""

    def __init__(self) -> None:
        self.events: list[tuple[str, int, int]] = []
        self.seats = [Slow(self.events) for _ in range(4)]

    async def play(self, orders: Callable[[int], Sequence[int]], first: Callable[[int], Line]) -> Played:
        going = asyncio.create_task(referee(terms(), self.seats, lambda _: Scripted()))
        for turn in range(TURNS):
            await settle()
            for seat in orders(turn):
                self.seats[seat].answer(first(seat))
                await settle()
                if self.seats[seat].turn == turn:
                    self.seats[seat].answer(LAST)
                    await settle()
        return await going


async def settle() -> None:
    """Let the event loop run every callback that is ready."""
    for _ in range(10):
        await asyncio.sleep(0)


ORDERS = [*permutations(range(4))]


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_all_seats_are_asked_before_any_answer_counts_and_moves_are_hidden_until_all_have_decided(
    order: tuple[int, ...],
) -> None:
    table = Table()
    played = asyncio.run(table.play(lambda turn: order[turn % 4 :] + order[: turn % 4], lambda _: LAST))
    expected = [
        event
        for turn in range(TURNS)
        for event in (
            *(("asked", turn, seat) for seat in range(4)),
            *(("heard", turn, seat) for seat in order[turn % 4 :] + order[: turn % 4]),
        )
    ]
    assert table.events == expected
    checked(played)


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_other_bots_do_not_see_a_second_try(order: tuple[int, ...]) -> None:
    table = Table()
    wrong = order[1]
    asyncio.run(table.play(lambda _: order, lambda seat: fails("bad-json") if seat == wrong else LAST))
    turn = [
        *(("asked", seat) for seat in range(4)),
        ("heard", order[0]),
        *[("heard", wrong), ("asked", wrong), ("heard", wrong)],
        *(("heard", seat) for seat in order[2:]),
    ]
    assert [(what, seat) for what, _, seat in table.events] == TURNS * turn


def asks(player: Scripted) -> list[dict[str, Any]]:
    return [json.loads(question.encoded(NOW)) for question in player.asked]


def test_asks_do_not_depend_on_how_other_bots_found_their_moves() -> None:
    def told(*others: Scripted) -> list[dict[str, Any]]:
        me = Scripted(*TURNS * [plays(-1, 0.5)])
        play([me, *others], stand_in=Scripted())
        return asks(me)

    slow, failing, corrected = (
        Scripted(*TURNS * [plays(0, 1.5)]),
        Scripted(*STRIKES * [never]),
        Scripted(fails("reset")),
    )
    assert told(Scripted(), Scripted(), Scripted()) == told(slow, failing, corrected)


# What an ask tells


def test_an_ask_has_the_same_id_whenever_it_is_asked() -> None:
    ids: list[list[str]] = []
    for _ in range(2):
        player = Scripted(fails("bad-json"), LAST)
        play(four(player))
        ids.append([question.id for question in player.asked])
    assert ids[0] == ids[1] == ["m-0-0", *(f"m-{turn}-0" for turn in range(TURNS))]


def test_the_same_deal_in_another_match_differs_in_its_ids_and_dice_only() -> None:
    found: list[list[dict[str, Any]]] = []
    for match in ("one", "two"):
        player = Scripted(*TURNS * [plays(-1, 0.5)])
        play(four(player), terms(match))
        found.append(asks(player))
    for one, two in zip(*found, strict=True):
        assert {name for name in one if one[name] != two[name]} == {"id", "match", "seed"}
        assert one.keys() == two.keys()


def test_a_bot_learns_neither_the_seed_nor_the_salt() -> None:
    player = Scripted()
    play(four(player), terms(seed="a-seed-nobody-knows"))
    said = b"".join(question.encoded() for question in player.asked)
    assert b"a-seed" not in said
    assert SALT.encode() not in said


def test_the_history_of_an_ask_is_what_the_record_tells() -> None:
    seats = [Scripted(*TURNS * [plays(-1, nudge="play:left")]), Scripted(), Scripted(), Scripted()]
    record = checked(play(seats, terms(options={"talk": True})))
    for player in seats:
        for question in player.asked:
            assert turns_of(question.ask) == record.turns[: question.ask.turn]
            assert [(past.turn, past.moves[0].nudge) for past in question.ask.history] == [
                (turn, "play:left") for turn in range(question.ask.turn)
            ]


def turns_of(ask: Ask) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(splito.move_text(one.move) for one in past.moves) for past in ask.history)


def test_a_function_gets_the_same_ask_as_a_bot_over_http() -> None:
    seen: list[tuple[Question, dict[str, Any]]] = []

    class Both(Plugin):
        def ask(self, question: Question, hear: Any) -> None:
            seen.append((question, json.loads(question.encoded(NOW))))
            super().ask(question, hear)

    play(four(Both("last", lambda ask: Answer(ask.moves[-1], "play:left"))), terms(options={"talk": True}))
    assert len(seen) == TURNS
    same = ("game", "match", "turn", "seat", "players", "view", "moves", "seed", "nudges", "time", "last", "rejected")
    for question, wire in seen:
        assert msgspec.to_builtins(question.ask.history) == wire["history"]
        assert json.loads(msgspec.json.encode({name: getattr(question.ask, name) for name in same})) == {
            name: wire[name] for name in same
        }
        assert msgspec.convert(wire["deadline"], datetime) - NOW == msgspec.convert(
            f"PT{question.allowed}S", type(NOW - NOW)
        )


def test_players_are_told_when_a_match_begins_and_ends() -> None:
    good, bad = Scripted(name="good"), Scripted(*STRIKES * [never], name="bad")
    clock = Clock(turn_ms=300, bank_ms=900)
    played = play(four(good, bad), terms(play=PlayTerms(clock=clock), options={"talk": True}))
    started, ended = bad.noted
    assert (started.game, started.match, started.seat, started.players) == ("splito", "m", 1, 4)
    assert (started.turn_ms, started.bank_ms, started.options.talk) == (300, 900, True)
    assert (ended.replaced, [note.code for note in ended.faults]) == (True, STRIKES * ["time-out"])
    assert ended.scores == [list(score) for score in played.record.scores]
    assert ended.places == list(played.places)
    assert [(notice.seat, len(good.noted)) for notice in good.noted] == 2 * [(0, 2)]
    assert not good.noted[1].replaced


# To fail when one loses

DEALS = 60 if QUICK else 200


class Jumping:
    """A clock that only moves when a test puts it forward."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def behind(ask: Ask) -> bool:
    game = find_game(ask.game)
    scores = game.scores(game.imagine(ask.view, Random(0)))
    return ask.turn > 0 and scores[ask.seat] < max(scores)


def failing(manner: str) -> Plugin:
    """Greedy, until it is behind for the first time; from then on it fails."""
    greedy, clock, losing = find_bot("greedy"), Jumping(), set[str]()

    def choose(ask: Ask) -> Any:
        if behind(ask) or ask.match in losing:
            losing.add(ask.match)
            if manner == "raises":
                raise RuntimeError("I have no more wish to play")
            clock.now += 60.0
        return greedy(ask)

    return Plugin(manner, choose, clock)


def deals(first: Plugin) -> list[Played]:
    """Against two who move at random; who plays on would be stronger than any of them."""
    others = [Plugin(name, find_bot("random"), Jumping()) for name in ("one", "two")]
    strong = Plugin("planner", find_bot("planner"), Jumping())
    return [play([first, *others], terms(f"m{deal}", f"deal {deal}"), strong) for deal in range(DEALS)]


@pytest.fixture(scope="module")
def honest() -> list[Played]:
    return deals(Plugin("plays on", find_bot("greedy"), Jumping()))


@pytest.mark.parametrize("manner", ["raises", "times out"])
def test_a_bot_that_fails_when_it_is_losing_gains_nothing(manner: str, honest: list[Played]) -> None:
    found = deals(failing(manner))
    for one, other in zip(found, honest, strict=True):
        assert one.record.turns == other.record.turns or one.seats[0].faults
        assert one.seats[0].replaced == (len(one.seats[0].faults) == STRIKES)
        assert one.places[0] == 3.0 or not one.seats[0].replaced
    assert sum(one.seats[0].replaced for one in found) > DEALS / 2
    assert fmean(one.places[0] for one in found) > fmean(one.places[0] for one in honest) + 0.5
