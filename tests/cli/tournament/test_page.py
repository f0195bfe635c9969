"""How a tournament looks, on screens of any size."""

import msgspec
import pytest
from rich.console import Console, RenderableType

from splito_bot.ranked import (
    Estimate,
    Interval,
    Placing,
    PlacingLine,
    Progress,
    RatingInterval,
    Share,
    StandingLine,
)
from splito_cli.tournament.page import NOBODY, estimate_page, live_page, span, table_page
from splito_cli.tournament.placing_page import PROVISIONAL

PROGRESS = Progress(
    state="running",
    reason=None,
    round=2,
    rounds=5,
    done=30,
    skipped=0,
    open=20,
    playing=4,
    games=60,
    games_per_second=12.5,
    seconds_left=95.0,
)
LINE = StandingLine(
    bot="owl@1",
    rating=RatingInterval(1612.4, 1579.3, 1646.0),
    group=1,
    games=1200,
    blocks=100,
    place=Interval(1.5, 0.25),
    points=Interval(30.25, 1.5),
    wins=Share(0.5, 0.4375, 0.5625),
    faults={},
    replaced=0,
    trend=12.5,
    online=Interval(1600.0, 40.0),
    rank=1,
    name="owl",
)


def drawn(page: RenderableType, columns: int) -> list[str]:
    console = Console(width=columns, color_system=None)
    with console.capture() as capture:
        console.print(page)
    return [line.rstrip() for line in capture.get().splitlines()]


def named(number: int) -> StandingLine:
    return msgspec.structs.replace(LINE, name=f"owl{number}", rank=number)


def test_the_page_says_why_open_blocks_are_not_played() -> None:
    waiting = msgspec.structs.replace(PROGRESS, done=0, waiting="blocks wait for a worker with \x1bowl 1.0")
    page = "\n".join(drawn(live_page("Cup", waiting, [], (100, 30)), 100))
    assert "Waiting: blocks wait for a worker with" in page
    assert "\x1b" not in page
    assert NOBODY[:20] not in page


def test_the_page_shows_rounds_blocks_speed_and_time_left() -> None:
    page = drawn(live_page("Cup", PROGRESS, [LINE], (100, 30)), 100)
    assert page[0] == "Cup  ·  round 2 of 5  ·  60 games  ·  ▶ running"
    assert page[1].endswith("  30/50 blocks  1 min 35 s left  12.5 games/s")
    assert page[3:] == [
        "bot              rating        place      points            wins  games  faults  trend",
        "  owl  1612 (1579–1646)  1.50 ± 0.25  30.2 ± 1.5  50.0 % (44–56)  1,200     ✓ 0    +12",
    ]


def test_only_the_head_of_a_long_table_is_shown_while_it_runs() -> None:
    lines = [named(number) for number in range(1, 11)]
    assert len(drawn(live_page("Cup", PROGRESS, lines, (100, 30)), 100)) == 4 + 10
    low = drawn(live_page("Cup", PROGRESS, lines, (100, 12)), 100)
    assert [line.split()[0] for line in low[4:]] == ["owl1", "owl2", "owl3", "owl4"]


def placing_of(*names: str, final: bool = True, winners: tuple[str, ...] = ()) -> Placing:
    lines = [
        PlacingLine(place=place, bot=name, name=name, reason=f"reason {place}") for place, name in enumerate(names, 1)
    ]
    return Placing(rule="bracket", final=final, rounds=2, winners=[*winners], note=None, lines=lines)


def test_the_placing_comes_first_and_the_star_is_at_the_official_winner_not_at_the_best_rating() -> None:
    lines = [msgspec.structs.replace(LINE, bot=f"{name}@1", name=name) for name in ("planner", "greedy")]
    ended = msgspec.structs.replace(PROGRESS, state="finished")
    official = placing_of("greedy", "planner", winners=("greedy",))
    page = drawn(table_page("Cup", ended, lines, [("see", "there")], 100, official=official), 100)
    assert page[2:6] == [
        "place  bot        reason",
        "    1  ★ greedy   reason 1",
        "    2    planner  reason 2",
        "Decided by the final, then by the round in which a bot went out and its place at that table.",
    ]
    assert page[7].startswith("bot")
    assert [line[:9] for line in page[8:10]] == ["  planner", "★ greedy "]


def test_a_shared_place_is_marked_and_a_placing_without_lines_says_why() -> None:
    shared = msgspec.structs.replace(placing_of("owl", "elk"), winners=["owl", "elk"])
    shared = msgspec.structs.replace(shared, lines=[msgspec.structs.replace(line, place=1) for line in shared.lines])
    page = drawn(table_page("Cup", PROGRESS, [], [], 100, official=shared), 100)
    assert [line.split()[:3] for line in page[3:5]] == [["1=", "★", "owl"], ["1=", "★", "elk"]]
    empty = msgspec.structs.replace(placing_of(), note="Nothing was played, so there is no winner.")
    assert "Nothing was played, so there is no winner." in drawn(
        table_page("Cup", PROGRESS, [], [], 100, official=empty), 100
    )


def test_the_placing_of_a_running_tournament_is_provisional_and_leaves_room_for_ratings() -> None:
    lines = [named(number) for number in range(1, 11)]
    official = placing_of(*(f"owl{number}" for number in range(1, 11)), final=False)
    page = drawn(live_page("Cup", PROGRESS, lines, (100, 24), official), 100)
    assert "★" not in "".join(page)
    (rule,) = [number for number, line in enumerate(page) if line.endswith(PROVISIONAL)]
    assert rule < page.index(next(line for line in page if line.startswith("bot")))
    assert len(page) <= 24


@pytest.mark.parametrize(
    ("columns", "left"),
    [
        (100, "bot rating place points wins games faults trend"),
        (85, "bot rating place points wins games faults"),
        (70, "bot rating place wins games faults"),
        (50, "bot rating place faults"),
        (25, "bot rating"),
    ],
)
def test_the_least_important_columns_are_left_out_first(columns: int, left: str) -> None:
    page = drawn(live_page("Cup", PROGRESS, [LINE], (columns, 30)), columns)
    assert max(map(len, page)) <= columns
    (heading,) = [line for line in page if line.startswith("bot")]
    assert heading.split() == left.split()
    assert any("owl" in line and "1612" in line for line in page)


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (100, "30/50 blocks  1 min 35 s left  12.5 games/s"),
        (60, "30/50 blocks  1 min 35 s left"),
        (40, "30/50 blocks"),
    ],
)
def test_the_progress_bar_leaves_room_for_its_figures(columns: int, told: str) -> None:
    bar, _, rest = drawn(live_page("Cup", PROGRESS, [], (columns, 30)), columns)[-2].partition("  ")
    assert rest.strip() == told
    assert {*bar} <= {*"━╸"}


def test_the_page_says_that_no_worker_plays() -> None:
    fresh = msgspec.structs.replace(PROGRESS, done=0, games_per_second=None, seconds_left=None)
    assert NOBODY in drawn(live_page("Cup", fresh, [], (120, 30)), 120)
    assert NOBODY not in drawn(live_page("Cup", PROGRESS, [], (120, 30)), 120)


def test_the_last_page_names_skipped_blocks_and_the_reason_of_the_end() -> None:
    ended = msgspec.structs.replace(PROGRESS, state="cancelled", reason="nobody is left", skipped=3)
    page = drawn(table_page("Cup", ended, [], [("gone", "owl: withdrawn"), ("see", "there")], 100), 100)
    assert page[0] == "Cup  ·  round 2 of 5  ·  60 games  ·  3 blocks skipped  ·  nobody is left  ·  ✗ cancelled"
    assert "Nothing was played." in page
    assert page[-2:] == ["gone  owl: withdrawn", "see   there"]


def test_the_estimate_of_a_ladder_is_for_each_round() -> None:
    found = Estimate(rounds=1, tables=250, blocks=250, games=3000, seconds=4000.0)
    page = drawn(estimate_page("House", found, endless=True), 100)
    assert page[0] == "House  ·  each round of it  ·  nothing is played"
    assert page[-2:] == ["  games   3,000", "  time    about 1 h 6 min"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s"), (7800, "2 h 10 min")]
)
def test_durations_are_printed_in_fitting_units(seconds: float, text: str) -> None:
    assert span(seconds) == text
