"""Examples of experiments: Ada's new bot is compared with the built-in bot `planner`."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from splito_arena.experiments.sequential_test import Design, MeanInterval, Reading
from splito_arena.formats import Experiment
from splito_arena.stats.intervals import Interval
from splito_engine.game import AnyGame
from splito_service.http.examples.example import EXAMPLE_ID, Examples, Json, shown, shown_text
from splito_service.http.examples.tournaments import (
    BEGAN,
    HOUSE,
    MARVIN,
    MINUTE,
    OWNERS,
    RUNNING,
    SECRET,
    players_of,
)
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.schemas.experiments import (
    ExperimentOver,
    ExperimentPage,
    ExperimentProgress,
    Question,
    experiment_of,
    experiment_summary,
    wanted_type,
)
from splito_service.tournaments.schemas.progress_events import News, event
from splito_service.tournaments.schemas.tournaments import StateChange

PLANNER, GREEDY, RANDOM = HOUSE
DESIGN = Design()
SOME = Reading(
    verdict="undecided",
    blocks=64,
    llr=1.12,
    lower=round(DESIGN.lower, 2),
    upper=round(DESIGN.upper, 2),
    estimate=Interval(0.21, 0.34),
    effect=0.17,
    interval=MeanInterval(-0.2, 0.61),
    variance_ratio=2.8,
)
DECIDED = replace(
    SOME,
    verdict="better",
    blocks=112,
    llr=2.97,
    estimate=Interval(0.28, 0.3),
    effect=0.24,
    interval=MeanInterval(0.01, 0.55),
    variance_ratio=2.9,
)
GOES_ON = replace(RUNNING, round=4, rounds=None, done=64, open=16, games=384, seconds_left=None)
ENDED = replace(GOES_ON, state="finished", round=7, done=112, open=0, playing=0, games=672, games_per_second=None)


def create_experiment(games: Sequence[AnyGame]) -> Examples:
    kept = _kept(games[0])
    begun = shown("undecided", "The experiment is running", experiment_of(kept, OWNERS, GOES_ON, SOME))
    return Examples(body=_wanted(games), answer=begun)


def list_experiments(games: Sequence[AnyGame]) -> Examples:
    kept = _kept(games[0])
    over = replace(kept, state="finished", ended_ms=BEGAN + MINUTE)
    return Examples(
        shown("two", "Two experiments", ExperimentPage([experiment_summary(one, OWNERS) for one in (kept, over)], None))
    )


def get_experiment(games: Sequence[AnyGame]) -> Examples:
    kept = _kept(games[0])
    over = replace(kept, state="finished", ended_ms=BEGAN + MINUTE)
    begun = shown("undecided", "The experiment is running", experiment_of(kept, OWNERS, GOES_ON, SOME))
    return Examples(begun | shown("decided", "The experiment has decided", experiment_of(over, OWNERS, ENDED, DECIDED)))


def change_experiment_state(games: Sequence[AnyGame]) -> Examples:
    running = experiment_of(_kept(games[0]), OWNERS, GOES_ON, SOME)
    return Examples(
        body=shown("resume", "Resume the experiment", StateChange("running"))
        | shown("stop", "Cancel the experiment", StateChange("cancelled")),
        answer=shown("running", "The experiment is running again", running),
    )


def watch_experiment(_: Sequence[AnyGame]) -> Examples:
    return Examples(_streams())


def _kept(game: AnyGame) -> StoredTournament:
    return StoredTournament(
        id=EXAMPLE_ID,
        owner=MARVIN.owner,
        kind="experiment",
        name="Is it better?",
        game=game.INFO.id,
        players=players_of(game),
        format=Experiment(new=MARVIN.bot, old=PLANNER.bot, field=(GREEDY.bot, RANDOM.bot)),
        entrants=(MARVIN, *HOUSE),
        secret=SECRET,
        ranked=False,
        started_ms=BEGAN,
    )


def _wanted(games: Sequence[AnyGame]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for game in games:
        wanted: Any = wanted_type(game)(
            players=players_of(game), new=MARVIN.bot, old=PLANNER.bot, field=[GREEDY.bot], question=Question(high=0.1)
        )
        found |= shown(game.INFO.id, game.INFO.titles["en"], wanted)
    return found


def _streams() -> dict[str, Json]:
    going = News(GOES_ON.done, GOES_ON.round, "running", ExperimentProgress(progress=GOES_ON, reading=SOME))
    ended = News(ENDED.done, ENDED.round, "finished", ExperimentOver(progress=ENDED, reading=DECIDED))
    return shown_text("progress", "The experiment is running", "retry: 1000\n\n" + event(going).decode()) | shown_text(
        "over", "The experiment is over", "retry: 1000\n\n" + event(ended).decode()
    )
