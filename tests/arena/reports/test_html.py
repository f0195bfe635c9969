"""The report: everything in one file that loads nothing, says what the results say, and can be read by all."""

import json
import re
import shutil
from base64 import b64encode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from html import escape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from splito_arena.formats import Placing, PlacingLine
from splito_arena.latency import counted
from splito_arena.reports.about import About
from splito_arena.reports.html import report
from splito_arena.reports.plots import HEADS, label_of
from splito_arena.stats.collusion import Suspicion
from splito_arena.stats.tournament_table import crosstable, standings
from tests.arena.tournaments import HOSTILE, ledger, written

LEDGER = ledger("random random random random", 3)
BOTS = LEDGER[0].bots
NAMES = {BOTS[0]: HOSTILE, BOTS[1]: "twin", BOTS[2]: "twin", BOTS[3]: "Überraschung 🃏 of a name that is far too long"}
TIMES = {bot: counted([0.5, 1, 2, 40]) for bot in BOTS[:3]}
SUSPECT = Suspicion(
    one=BOTS[0],
    other=BOTS[1],
    by="zone",
    together=9,
    otherwise=4,
    blocks=12,
    chance=1e-6,
    tournament_chance=1.2e-5,
    flagged=True,
)
PAGE = report("Cup <1>", LEDGER, TIMES, NAMES, [SUSPECT])
ABOUT = About(
    tournament="t1",
    title="Cup",
    format="double elimination, 2 of 4 go on, 1 block per table",
    organiser="Ada <3",
    state="finished",
    begun=datetime(2026, 11, 18, 12, tzinfo=UTC),
    ended=datetime(2026, 11, 18, 13, 30, tzinfo=UTC),
    commitment="c0ffee",
    secret="hush",  # noqa: S106 (of nothing)
)
PLACING = Placing(
    rule="bracket",
    final=True,
    rounds=2,
    winners=("a",),
    note=None,
    lines=(
        PlacingLine(place=1, bot="a", name=HOSTILE, reason="won the final & all", round=2, table_place=1.5),
        PlacingLine(place=2, bot="b", name="twin", reason="place 2 in the final", round=2, table_place=1.75),
    ),
)
LOADS = {"src", "href", "srcset", "data", "action", "poster", "background", "formaction", "ping"}


class Reader(HTMLParser):
    """All elements, with their attributes and the text directly in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"/{tag}", {}))
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data

    def all(self, tag: str) -> list[str]:
        return [text for (name, _), text in zip(self.found, self.texts, strict=True) if name == tag]


READ = Reader(PAGE)


def plots_of(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="plots">(.*?)</script>', page, re.DOTALL)
    return {plot["id"]: plot for plot in json.loads(found)}


def test_the_page_loads_no_other_resource() -> None:
    assert [name for _, attributes in READ.found for name in attributes if name in LOADS] == []
    assert {tag for tag, _ in READ.found}.isdisjoint({"link", "img", "iframe", "object", "base", "form", "a"})
    style = READ.all("style")[0]
    assert "url(" not in style
    assert "@import" not in style


def test_only_its_own_two_scripts_may_run() -> None:
    (policy,) = (attributes["content"] for _, attributes in READ.found if "http-equiv" in attributes)
    data, *scripts = READ.all("script")
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    assert policy is not None
    assert policy.split("script-src ")[1] == " ".join(f"'sha256-{one}'" for one in hashes)
    assert policy.startswith("default-src 'none';")
    assert len(scripts) == 2
    assert json.loads(data)
    assert "<" not in data  # so it cannot end before its end, whatever is in it


def test_names_are_escaped_in_the_page() -> None:
    rows = [text for text in READ.all("span") if text]
    assert HOSTILE in rows
    assert PAGE.count("<script") - READ.all("script")[1].count("<script") == 3
    assert "Cup <1>" in READ.all("h1")
    assert label_of("<b>&amp;") == "&lt;b&gt;&amp;amp;"
    labels = plots_of(PAGE)["ratings"]["layout"]["yaxis"]["ticktext"]
    assert all("<" not in label for label in labels)


def test_two_bots_of_the_same_name_are_shown_separately() -> None:
    layout = plots_of(PAGE)["ratings"]["layout"]["yaxis"]
    assert layout["ticktext"].count("twin") == 2
    assert layout["tickvals"] == [0, 1, 2, 3]


def test_the_plots_show_what_the_results_say() -> None:
    plots, lines = plots_of(PAGE), standings(LEDGER)
    (ratings,) = plots["ratings"]["traces"]
    assert ratings["x"] == [line.rating.mean for line in lines]
    bars = ratings["error_x"]
    for line, above, below in zip(lines, bars["array"], bars["arrayminus"], strict=True):
        ends = (line.rating.high or line.rating.mean, line.rating.low or line.rating.mean)
        assert (line.rating.mean + above, line.rating.mean - below) == pytest.approx(ends)
    place = {line.bot: number for number, line in enumerate(lines)}
    (heat,) = plots["heads"]["traces"]
    for pair in crosstable(LEDGER):
        assert heat["z"][place[pair.one]][place[pair.other]] == pair.ahead.mean
        assert heat["z"][place[pair.other]][place[pair.one]] == 1 - pair.ahead.mean
    assert all(heat["z"][number][number] is None for number in range(4))
    half, *_, most = plots["latency"]["traces"]
    assert half["x"][place[BOTS[0]]] == pytest.approx(1, rel=0.07)
    assert most["x"][place[BOTS[0]]] == pytest.approx(40, rel=0.07)
    assert half["x"][place[BOTS[3]]] is None
    (box,) = plots["scores"]["traces"]
    assert box["lowerfence"] <= box["q1"] <= box["median"] <= box["q3"] <= box["upperfence"]


def test_suspect_pairs_are_named_only_if_there_are_any() -> None:
    assert "Suspect pairs" in READ.all("h2")
    innocent = report("Cup", LEDGER, TIMES, NAMES, [])
    assert "Suspect pairs" not in Reader(innocent).all("h2")


def test_the_official_placing_is_the_first_table_with_a_star_at_the_winner() -> None:
    page = report("Cup", LEDGER, TIMES, NAMES, about=ABOUT, placing=PLACING)
    assert page.index('id="placing-table"') < page.index('id="standings-table"')
    rows = [text.strip() for text in Reader(page).all("th") if "★" in text]
    assert rows == ["1. ★"]
    assert page.count(f'1. ★ <span class="name" title="{escape(HOSTILE)}">{escape(HOSTILE)}</span>') == 1
    assert "<td>won the final &amp; all</td>" in page
    (caption,) = [text for text in Reader(page).all("caption") if text.startswith("Decided by the final")]
    assert caption.endswith("The placing is final.")
    assert "Placing" not in READ.all("h2"), "a report without a placing has no such section"


def test_the_head_has_format_dates_organiser_id_commitment_secret_and_the_command_to_verify() -> None:
    page = report("Cup", LEDGER, TIMES, NAMES, about=ABOUT)
    header = Reader(page[: page.index("</header>")])
    facts = dict(zip(header.all("dt"), header.all("dd"), strict=True))
    assert facts == {
        "Format": "double elimination, 2 of 4 go on, 1 block per table",
        "State": "finished",
        "Begun": "2026-11-18 12:00:00 UTC",
        "Ended": "2026-11-18 13:30:00 UTC",
        "Organiser": "Ada <3",
        "Tournament": "t1",
        "Commitment": "c0ffee",
        "Secret": "hush",
        "To verify": "curl -o t1.ndjson ARENA/v1/tournaments/t1/dump"
        " && splito tournament verify t1.ndjson --service ARENA"
        " (ARENA is the address of the arena, as in https://arena.example)",
    }
    running = msgspec.structs.replace(ABOUT, state="running", ended=None, secret=None)
    told = Reader(report("Cup", LEDGER, TIMES, NAMES, about=running)).all("dd")
    assert {"not yet", "published at the end"} <= {*told}


def test_before_the_first_block_there_is_a_page_too() -> None:
    page = Reader(report("Cup", [], {}, {}))
    assert "Nothing has been played yet that could be rated." in page.all("p")


def test_of_many_bots_the_best_are_shown_head_to_head() -> None:
    names = [chr(ord("一") + number) for number in range(HEADS + 5)]
    meetings = enumerate(pairwise(names))
    page = report("", [written(f"{number:03}", one + other, (2, 1)) for number, (one, other) in meetings], {}, {})
    heads = plots_of(page)["heads"]
    assert len(heads["traces"][0]["z"]) == len(heads["traces"][0]["text"][0]) == HEADS
    assert f"the best {HEADS} bots" in page
    assert f"the best {HEADS} bots" not in PAGE
    assert page.count(" against ") == HEADS - 1


def test_groups_are_shown_if_there_are_several() -> None:
    two = [written("1", "ab", (2, 1)), written("2", "cde", (3, 2, 1))]
    assert "group 2" in Reader(report("Cup", two, {}, {})).all("small")
    assert not [text for text in READ.all("small") if text.startswith("group")]


CHROMIUM = shutil.which("chromium")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """In a real browser that is not on the network; nothing may go wrong in it, and it must ask for nothing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM:
        pytest.skip("there is no chromium on this machine")
    (tmp_path / "report.html").write_text(
        report("Cup <1>", LEDGER, TIMES, NAMES, [SUSPECT], about=ABOUT, placing=PLACING), "utf-8"
    )
    faults: list[str] = []

    def note(of: Callable[[Any], str]) -> Callable[[Any], None]:
        return lambda thing: faults.append(of(thing))

    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark", offline=True)
        page.on("console", note(lambda message: message.text))
        page.on("pageerror", note(str))
        page.on("dialog", note(lambda dialog: dialog.message))
        page.on("request", note(lambda request: "" if request.url.startswith("file:") else request.url))
        page.goto((tmp_path / "report.html").as_uri())
        page.wait_for_selector("html[data-drawn='4']")
        yield page
        browser.close()
    assert [*filter(None, faults)] == []


def test_the_page_is_drawn_on_a_phone_without_network(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for plot in ("ratings", "scores", "latency"):
        assert page.locator(f"#{plot} .trace").count() > 0
    assert page.locator("#heads .heatmaplayer image").count() == 1
    assert page.locator("#ratings .ytick").all_text_contents()[:1] == [HOSTILE[:21] + "…"]
    assert page.locator("#ratings a").count() == 0
    page.locator("summary").click()
    page.locator("#crosstable-table").wait_for(state="visible")
    bright = page.evaluate("getComputedStyle(document.body).color")
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).color") != bright


def test_the_page_is_accessible(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is not installed")
    page.evaluate(axe.AXE_SCRIPT)
    found = page.evaluate(
        "axe.run().then(({violations}) => violations.flatMap(({id, nodes}) => nodes.map(n => id + n.target)))"
    )
    assert found == []
