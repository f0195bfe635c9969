"""An owner with the SDK: bots, checks, tournaments and experiments of a real service with a real worker."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

import splito_bot.ranked
from splito_arena import formats
from splito_arena.experiments import sequential_test
from splito_arena.reports.dump import read_dump
from splito_bot import Refused
from splito_bot.contract import BotInfo
from splito_bot.owner import Owner
from splito_bot.ranked import Ladder, NewExperiment, NewTournament, Question, RoundRobin
from splito_engine.registry import find_game
from splito_service.bots import schemas as bot_schemas
from splito_service.owners import schemas as owner_schemas
from splito_service.processes.embedded_redis import open_server
from splito_service.results import schemas as result_schemas
from splito_service.tournaments.schemas import experiments as experiment_schemas
from splito_service.tournaments.schemas import tournaments as tournament_schemas
from tests.sdk.test_messages import schema_of
from tests.service.holding import working
from tests.service.process import running

HOUSE = ["greedy", "planner", "random"]
CUP = NewTournament(name="Cup", game="splitter", players=2, format=RoundRobin(blocks=2), bots=HOUSE)
SAME = [
    *(getattr(formats, name) for name in ("RoundRobin", "Swiss", "Elimination", "Gauntlet", "Ladder")),
    *(getattr(tournament_schemas, name) for name in ("BotClock", "Estimate", "EntrantInfo", "Progress")),
    *(getattr(result_schemas, name) for name in ("StandingLine", "Standings", "TournamentProgress")),
    *(getattr(experiment_schemas, name) for name in ("Question", "ExperimentProgress")),
    *(getattr(owner_schemas, name) for name in ("OwnerInfo", "OwnerCreated")),
    *(getattr(bot_schemas, name) for name in ("OwnBot", "Bot", "BotRegistered")),
    sequential_test.Reading,
]


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Owner]:
    with (
        open_server(tmp_path_factory.mktemp("owner")) as redis,
        running(redis.url) as process,
        working(redis.url),
        Owner.create(process.url, "Ada") as owner,
    ):
        yield owner


@pytest.mark.parametrize("theirs", SAME, ids=lambda kind: kind.__name__)
def test_a_message_has_the_schema_of_the_service(theirs: Any) -> None:
    ours = getattr(splito_bot.ranked, theirs.__name__)
    assert schema_of(ours) == schema_of(theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (splito_bot.ranked.NewTournament, tournament_schemas.wanted_type(find_game("splito"))),
        (splito_bot.ranked.Tournament, tournament_schemas.shown_type(find_game("splito"))),
        (splito_bot.ranked.NewExperiment, experiment_schemas.wanted_type(find_game("splito"))),
        (splito_bot.ranked.Experiment, experiment_schemas.shown_type(find_game("splito"))),
    ],
)
def test_a_message_with_options_has_the_fields_of_the_service(ours: Any, theirs: Any) -> None:
    fields, wanted = (schema_of(kind)["properties"] for kind in (ours, theirs))
    assert fields | {"options": None} == wanted | {"options": None}


def test_a_pull_bot_is_registered_described_and_deleted(ada: Owner) -> None:
    made = ada.register("Trillian")
    assert (made.secret, made.bot.state) == (None, "new")
    info = BotInfo(name="Trillian", author="Ada", version="1", games=["splitter"])
    assert ada.describe(made.bot.id, info).version == "1"
    assert ada.bot(made.bot.id).own is not None
    ada.delete(made.bot.id)
    with pytest.raises(Refused) as refused:
        ada.check(made.bot.id)
    assert refused.value.code == "unknown-bot"


def test_a_push_bot_that_cannot_be_reached_fails_the_proof(ada: Owner) -> None:
    made = ada.register("Marvin", "http://localhost:8001")
    assert made.secret is not None
    with pytest.raises(Refused, match="not-proved"):
        ada.prove(made.bot.id)


def test_a_tournament_is_estimated_held_and_reported(ada: Owner) -> None:
    assert ada.dry_run(CUP).games == 12
    cup = ada.hold(CUP)
    news = [*ada.watch(cup.id)]
    assert news[-1].progress.state == ada.tournament(cup.id).progress.state == "finished"
    table = ada.standings(cup.id)
    assert [line.rank for line in table.lines] == [1, 2, 3]
    assert ada.export(cup.id, "standings.csv").startswith(b"rank,bot,")
    assert b"<html" in ada.report(cup.id)
    assert len(read_dump(io.BytesIO(ada.dump(cup.id))).ledger) == table.blocks


def test_a_ladder_can_be_changed_while_it_runs(ada: Owner) -> None:
    ladder = NewTournament(
        name="Ladder", game="splitter", players=2, format=Ladder(pause_seconds=60), bots=["greedy", "random"]
    )
    held = ada.hold(ladder)
    assert len(ada.enter(held.id, "planner").entrants) == 3
    ada.withdraw(held.id, "planner")
    assert ada.set_blocks(held.id, 2).added_blocks == 1
    assert ada.set_state(held.id, "cancelled").progress.state == "cancelled"
    ada.delete_tournament(held.id)
    with pytest.raises(Refused, match="there is no tournament"):
        ada.tournament(held.id)


def test_an_experiment_is_watched_to_its_verdict(ada: Owner) -> None:
    question = Question(least=10, cap=60, batch=10, measure="points")
    wanted = NewExperiment(game="splitter", players=2, new="planner", old="random", field=["greedy"], question=question)
    made = ada.compare(wanted)
    assert [*ada.watch_experiment(made.id)][-1].reading.verdict == "better"
    assert ada.experiment(made.id).ended is not None
    endless = ada.compare(NewExperiment(game="splitter", players=2, new="greedy", old="random", field=["planner"]))
    with pytest.raises(Refused, match="cancel it first"):
        ada.delete_experiment(endless.id)
    assert ada.stop_experiment(endless.id).progress.state == "cancelled"
    ada.delete_experiment(endless.id)
