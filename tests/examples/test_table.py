"""The example page in a real browser: from any origin, in three languages, by mouse or keyboard, to the last card."""

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from splito_bot import SPLITO, Client
from tests.service.process import Process

CHROMIUM = shutil.which("chromium")
if not CHROMIUM:
    pytest.skip("there is no chromium on this machine", allow_module_level=True)
pytest.importorskip("playwright", reason="playwright is not installed")

from playwright.sync_api import Browser, Page, Request, expect, sync_playwright  # noqa: E402 (where it is installed)

FOLDER = Path(__file__).parents[2] / "examples" / "http"
ROUNDS = 13
PATIENCE = 60_000
"""Milliseconds."""
expect.set_options(PATIENCE)
STRICT = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src *"
"""A site that allows nothing inline, and nothing from elsewhere but the service."""
FAULTS = """axe.run().then(found => found.violations.flatMap(
    ({id, nodes}) => nodes.map(({target}) => `${id}: ${target}`)))"""


class Site(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", STRICT)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name it has)
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """The page on a site of its own, which is not the service's."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(FOLDER))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/table.html"
        server.shutdown()
        thread.join()


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """At the end nothing must have gone wrong in it, and no token must have been in an address."""
    page = browser.new_page(locale="en-GB")
    page.set_default_timeout(PATIENCE)
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: _note_secrets(request, faults))
    yield page
    assert faults == []


def _note_secrets(request: Request, faults: list[str]) -> None:
    if "seat-" in request.url:
        faults.append(f"a token in {request.url}")


def sit_down(page: Page, address: str, service: Process) -> None:
    page.goto(f"{address}?service={service.url}")
    expect(page.locator("#left-bot")).to_have_value("planner")
    page.locator("#start button").click()
    expect(page.locator("#hand button").first).to_be_enabled()


def play_round(page: Page, number: int) -> None:
    """By clicking some button or other."""
    expect(page.locator("#round")).to_have_text(f"Round {number} of {ROUNDS}")
    buttons = page.locator("#hand button:enabled")
    expect(buttons).to_have_count(2 * page.locator("#hand .card").count())
    buttons.nth(7 * number % buttons.count()).click()


def faults_of(page: Page) -> list[str]:
    axe = pytest.importorskip("axe_playwright_python.base", reason="axe-playwright-python is not installed")
    page.evaluate(axe.AXE_SCRIPT)
    return page.evaluate(FAULTS)


def scores_shown(page: Page) -> list[int]:
    expect(page.locator("#result")).to_be_visible()
    return [int(text) for text in page.locator("#result .points").all_inner_texts()]


@pytest.mark.parametrize("origin", ["a site", "a disk"])
def test_a_whole_match_by_mouse(page: Page, service: Process, site: str, origin: str) -> None:
    sit_down(page, site if origin == "a site" else (FOLDER / "table.html").as_uri(), service)
    for number in range(1, ROUNDS + 1):
        play_round(page, number)
    shown = scores_shown(page)
    record = page.locator("#result a").get_attribute("href") or ""
    with Client(service.url) as client:
        match_id = record.split("/")[-2]
        match, told = client.match(SPLITO, match_id), client.explain(SPLITO, match_id)
    assert match.scores is not None
    assert shown == [points[0] for points in match.scores]
    assert page.locator("#result td:last-child").all_inner_texts() == [*told.totals]
    expect(page.locator("#status")).to_contain_text(f"{max(shown)} points")


def test_a_whole_match_by_keyboard(page: Page, service: Process, site: str) -> None:
    page.goto(f"{site}?service={service.url}")
    expect(page.locator("#left-bot")).to_have_value("planner")
    page.locator("#name").focus()
    page.keyboard.press("Enter")
    for number in range(1, ROUNDS + 1):
        expect(page.locator("#round")).to_have_text(f"Round {number} of {ROUNDS}")
        expect(page.locator("#hand button").first).to_be_focused()
        page.keyboard.press("Enter")
    assert len(scores_shown(page)) == 3
    expect(page.locator("#result")).to_be_focused()


def test_a_reload_goes_on_with_the_match(page: Page, service: Process, site: str) -> None:
    sit_down(page, site, service)
    play_round(page, 1)
    expect(page.locator("#round")).to_have_text(f"Round 2 of {ROUNDS}")
    hand = page.locator("#hand .cards").inner_text()
    page.reload()
    expect(page.locator("#hand .cards")).to_have_text(hand, use_inner_text=True)
    expect(page.locator("#last li")).to_have_count(3)


def test_the_table_speaks_the_language_of_its_reader(browser: Browser, service: Process, site: str) -> None:
    page = browser.new_page(locale="fr-CA")
    sit_down(page, site, service)
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    expect(page.locator("#hand h2")).to_have_text("Votre main")
    card = page.locator("#hand .number .text").first
    value, colour = card.inner_text().split()
    page.locator("#language").select_option("de")
    expect(page.locator("#hand h2")).to_have_text("Ihre Hand")
    colours = {
        "rouge": "rote",
        "bleu": "blaue",
        "jaune": "gelbe",
        "noir": "schwarze",
        "vert": "grüne",
        "orange": "orange",
    }
    expect(card).to_have_text(f"{colours[colour]} {value}")


def test_the_page_is_accessible_from_beginning_to_end(page: Page, service: Process, site: str) -> None:
    page.goto(f"{site}?service={service.url}")
    expect(page.locator("#left-bot")).to_have_value("planner")
    assert faults_of(page) == []
    page.locator("#start button").click()
    for number in range(1, ROUNDS + 1):
        play_round(page, number)
        if number == ROUNDS // 2:
            expect(page.locator("#round")).to_have_text(f"Round {number + 1} of {ROUNDS}")
            page.locator("summary").first.click()
            assert faults_of(page) == []
    assert scores_shown(page)
    assert faults_of(page) == []


def test_the_page_says_when_the_service_is_out_of_reach(browser: Browser, site: str) -> None:
    page = browser.new_page(locale="en")
    page.goto(f"{site}?service=http://127.0.0.1:9")
    expect(page.get_by_role("alert")).to_have_text("The service cannot be reached at http://127.0.0.1:9.")


def test_a_match_begins_at_once_at_an_address_that_was_just_typed(
    browser: Browser, service: Process, site: str
) -> None:
    page = browser.new_page(locale="en-GB")
    page.set_default_timeout(PATIENCE)
    page.goto(f"{site}?service=http://127.0.0.1:9")
    page.locator("#url").fill(service.url)
    page.route("**/v1/house", lambda route: route.abort())
    page.locator("#start button").click()
    expect(page.locator("#hand button").first).to_be_enabled()
