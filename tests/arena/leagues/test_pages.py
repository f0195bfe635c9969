"""The Markdown and HTML of a league: names of bots stay text, intervals are those of the published table."""

import re

from splito_arena.leagues.entrants import Broken
from splito_arena.leagues.pages import html, markdown
from splito_arena.leagues.report import LeagueReport, Note
from splito_arena.stats.standings import lines_of
from splito_arena.stats.tournament_table import standings
from tests.arena.tournaments import HOSTILE, ledger

LEDGER = ledger("random random random", 6)
LINES = lines_of(standings(LEDGER), {LEDGER[0].bots[0]: HOSTILE, LEDGER[0].bots[1]: "a|b `c` [d](http://e) w@x.y"})
REPORT = LeagueReport(
    title="<Course>",
    game="splitter",
    version="1.0",
    players=3,
    options={},
    seed="s",
    enough=6,
    table=LINES,
    house=[LINES[2].name],
    waiting=[],
    broken=[Broken(HOSTILE, "it <b>broke</b> |", 'File "<script>"')],
    notes=[Note("bob", "*note*", "")],
    blocks=6,
    new=6,
    seconds=1.0,
)


def test_the_html_page_has_no_markup_from_names_and_loads_nothing() -> None:
    page = html(REPORT)
    assert "<script" not in page
    assert "<b>" not in page
    assert not re.search(r'(?:src|href)="', page)
    assert "default-src 'none'" in page
    assert "<title>&lt;Course&gt;</title>" in page
    assert page.count('<th scope="row"') == 3


def test_a_markdown_table_keeps_its_cells_whatever_the_names_are() -> None:
    text = markdown(REPORT)
    rows = [line for line in text.splitlines() if re.match(r"\| \d\. ", line)]
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows] == [10, 10, 10]
    assert not re.search(r"(?<!\\)[<`@\[]", "".join(rows))
    assert "http://" not in text
    assert all(re.search(r"\d{4} \(\d+–\d+\)|at (least|most) \d+", row) for row in rows)
    assert "built in" in text
