"""Validation of formats: what organisers can ask for, what is refused, and how an experiment is cut into rounds."""

import msgspec
import pytest

from splito_arena.experiments.sequential_test import Design
from splito_arena.formats import (
    Elimination,
    Entrant,
    Expected,
    Experiment,
    Format,
    Gauntlet,
    Ladder,
    Past,
    Round,
    RoundRobin,
    Swiss,
    check,
    design_of,
    expected,
    next_round,
)
from splito_arena.formats.types import TableResult
from splito_engine.errors import BadBot, BadOption, GameError, WrongPlayers
from tests.arena.formats.formats_played import field

TRIAL = Experiment(new="b000", old="b001", field=("b002", "b003"), least=30, cap=100, batch=20)

REFUSED: dict[str, tuple[Format, int, int, type[GameError], str]] = {
    "a table of one": (Swiss(), 1, 8, WrongPlayers, "players"),
    "too few bots": (Swiss(), 4, 3, BadOption, "bots"),
    "no seat for everybody": (RoundRobin(tables=2), 4, 9, BadOption, "tables"),
    "no seat for everybody around one": (Gauntlet(bot="b000", tables=2), 4, 9, BadOption, "tables"),
    "a gauntlet of somebody else": (Gauntlet(bot="zoe"), 4, 9, BadBot, "bot"),
    "nobody goes out": (Elimination(advance=4), 4, 9, BadOption, "advance"),
    "too many blocks": (RoundRobin(tables=1000, blocks=1001), 4, 40, BadOption, "blocks"),
    "a field that is not there": (Experiment(new="b000", old="b001", field=("zoe",)), 2, 3, BadBot, "field"),
    "new is old": (Experiment(new="b000", old="b000", field=("b001",)), 2, 3, BadOption, "field"),
    "no field": (Experiment(new="b000", old="b001"), 3, 3, WrongPlayers, "field"),
    "bounds the wrong way round": (Experiment(new="b000", old="b001", low=0.3), 2, 3, BadOption, "high"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_a_format_that_cannot_be_played_is_refused(case: tuple[Format, int, int, type[GameError], str]) -> None:
    kind, players, bots, error, at = case
    with pytest.raises(error) as raised:
        check(kind, players, field(bots))
    assert raised.value.field == at


def test_a_bot_is_entered_once() -> None:
    with pytest.raises(BadOption, match="once only"):
        check(Swiss(), 2, [Entrant("a"), Entrant("b"), Entrant("a")])


@pytest.mark.parametrize(
    "kind",
    [RoundRobin(), Swiss(), Elimination(), Elimination(double=True), Gauntlet(bot="b004"), Ladder(), TRIAL],
)
def test_a_format_that_can_be_played_is_accepted(kind: Format) -> None:
    check(kind, 4, field(10))
    assert msgspec.json.decode(msgspec.json.encode(kind), type=Format) == kind


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "knockout"}',
        '{"kind": "swiss", "round": 3}',
        '{"kind": "swiss", "rounds": 0}',
        '{"kind": "gauntlet"}',
        '{"kind": "ladder", "wide": 1.5}',
        '{"kind": "ladder", "pause_seconds": 0}',
    ],
)
def test_unknown_kinds_and_settings_are_errors(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Format)


def test_an_experiment_plays_its_least_then_batches_up_to_its_cap() -> None:
    past, blocks = Past(), list[int]()
    while planned := next_round(TRIAL, 3, field(4), past, "seed"):
        assert planned.tables == (("b000", "b001", "b002", "b003"),)
        blocks.append(planned.blocks)
        past = Past((*past.rounds, (TableResult(planned.tables[0], None),)))
    assert blocks == [30, 20, 20, 20, 10]
    assert expected(TRIAL, 3, field(4)) == Expected(5, 5, 100, 600)


def test_without_one_of_its_bots_an_experiment_is_over() -> None:
    entrants = [Entrant(one.bot, active=one.bot != "b003") for one in field(4)]
    assert next_round(TRIAL, 3, entrants, Past(), "seed") is None


def test_an_experiment_hands_its_bounds_to_the_test() -> None:
    kind = Experiment(new="a", old="b", low=-0.1, high=0.1, alpha=0.01, beta=0.02, least=9, cap=99)
    assert design_of(kind) == Design(low=-0.1, high=0.1, alpha=0.01, beta=0.02, least=9, cap=99)


def test_new_against_old_alone_needs_no_field() -> None:
    kind = Experiment(new="b000", old="b001", cap=30)
    check(kind, 2, field(2))
    assert next_round(kind, 2, field(2), Past(), "seed") == Round((("b000", "b001"),), 30)
