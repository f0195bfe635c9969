"""The Python starters: `greedy` and `search` with the package splito-bot, `batch` with the standard library alone."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from splito_arena.blocks.simulate import Plan, simulate
from splito_arena.stats.series_table import summary
from splito_cli.bot.new import STARTERS, Template, new_bot
from tests.cli.bot.starters import (
    GAMES,
    Served,
    ask_all,
    check_answers,
    expected,
    failures,
    greedy_moves,
    posts,
    report,
    run,
    served,
    splito_moves,
    statuses,
    verdicts,
)

TEMPLATES: tuple[Template, ...] = tuple(template for lang, template in STARTERS if lang == "python")
SDK = (sys.executable, "-m", "splito_bot", "serve", "my_bot:choose", "--port", "0")
SERVE: Mapping[Template, tuple[str, ...]] = {"greedy": SDK, "search": SDK, "batch": (sys.executable, "server.py")}
HASTE = ("SHARE = 0.02", "SHARE = 0.001")
"""The share of a turn in the search starter, and a smaller one, because the checks ask more than a thousand times."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Template, Path]:
    made: dict[Template, Path] = {template: tmp_path_factory.mktemp(template) / "owl" for template in TEMPLATES}
    for template, folder in made.items():
        new_bot(folder, template=template)
    return made


@pytest.fixture(scope="module")
def bots(folders: Mapping[Template, Path]) -> Iterator[Mapping[Template, Served]]:
    """All three are served at the same time; the search in haste."""
    search = folders["search"] / "my_bot.py"
    patient = search.read_text("utf-8")
    assert HASTE[0] in patient
    search.write_text(patient.replace(*HASTE), "utf-8")
    with ExitStack() as stack:
        them: dict[Template, Served] = {
            template: stack.enter_context(served(folders[template], *SERVE[template])) for template in TEMPLATES
        }
        search.write_text(patient, "utf-8")
        yield them


@pytest.mark.parametrize("template", TEMPLATES)
def test_it_passes_every_check_of_an_arena(bots: Mapping[Template, Served], template: Template) -> None:
    found = report(bots[template].url)
    batch = [] if template == "batch" else [("batch", "not-checked"), ("concurrency", "not-checked")]
    assert [row for row in failures(found) if (row.check, row.outcome) not in batch] == []


@pytest.mark.parametrize("template", TEMPLATES)
def test_it_answers_asks_of_all_games(bots: Mapping[Template, Served], template: Template) -> None:
    info, found = ask_all(bots[template].url)
    assert (info.name, info.version, info.games) == ("owl", "1", [*GAMES])
    assert len(found) == 24
    check_answers(found)
    assert template == "search" or splito_moves(found) == greedy_moves(found)


@pytest.mark.parametrize("template", TEMPLATES)
def test_it_refuses_requests_that_the_arena_did_not_sign(bots: Mapping[Template, Served], template: Template) -> None:
    requests = posts()
    assert verdicts(bots[template].url, requests) == expected(requests)
    assert statuses(bots[template].url) == {"POST /moves": 404, "GET /nothing": 404}


@pytest.mark.parametrize("template", TEMPLATES)
def test_it_passes_its_own_tests(folders: Mapping[Template, Path], template: Template) -> None:
    said = run(folders[template], sys.executable, "test_my_bot.py")
    assert said.startswith("6 asks, all answered with a legal move")


def test_its_tests_are_tests_of_pytest_too(folders: Mapping[Template, Path]) -> None:
    run_all = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "test_my_bot.py",
    )
    assert "3 passed" in run(folders["greedy"], *run_all)
    assert len((folders["greedy"] / "my_bot.py").read_text("utf-8").splitlines()) < 20


def test_the_tests_of_a_starter_fail_for_a_bad_bot(tmp_path: Path) -> None:
    new_bot(tmp_path)
    bot = tmp_path / "my_bot.py"
    bot.write_text(bot.read_text("utf-8").replace("return max(ask.moves", "return str(ask.moves) or max(ask.moves"))
    with pytest.raises(AssertionError, match="example-splito-0-0"):
        run(tmp_path, sys.executable, "test_my_bot.py")


@pytest.mark.parametrize(("template", "rivals"), [("greedy", ("random", "random")), ("search", ("greedy", "greedy"))])
def test_it_beats_simpler_bots(
    folders: Mapping[Template, Path], template: Template, rivals: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{template}_owl"
    (folders[template] / f"{name}.py").write_bytes((folders[template] / "my_bot.py").read_bytes())
    monkeypatch.syspath_prepend(folders[template])  # pyright: ignore[reportUnknownMemberType]
    if template == "search":  # each look at the clock takes half a millisecond, on any machine
        monkeypatch.setattr(f"{name}.monotonic", count(step=0.0005).__next__)
    plan = Plan("splito", (f"{name}:choose", *rivals), "7", 40 if template == "greedy" else 24)
    ours, *others = summary(plan.bots, [*simulate(plan)])
    assert ours.rank.mean < min(other.rank.mean for other in others)
