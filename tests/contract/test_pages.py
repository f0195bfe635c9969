"""The service shows its own contract, and a page to read it, without the internet."""

import re
import shutil
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import async_playwright

from splito_service.http.app import create_app
from splito_service.http.contract.__main__ import FOLDER
from splito_service.http.contract.document import HOUSE
from splito_service.settings import Settings
from tests.contract.reader import read_yaml

CHROMIUM = shutil.which("chromium")

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def pages() -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application without Redis, because pages need none."""
    transport = httpx.ASGITransport(create_app(Settings(redis_url="unix:///nowhere"), HOUSE))  # pyright: ignore[reportArgumentType] (both are ASGI)
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        yield client


@pytest.mark.parametrize(
    ("path", "kind"), [("/openapi.json", "application/json"), ("/openapi.yaml", "application/yaml")]
)
async def test_the_service_serves_the_committed_contract(pages: httpx.AsyncClient, path: str, kind: str) -> None:
    answer = await pages.get(path)
    assert read_yaml(answer.content) == read_yaml((FOLDER / "service.yaml").read_bytes())
    assert answer.headers["Content-Type"] == kind
    again = await pages.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_the_served_contract_has_every_installed_game() -> None:
    transport = httpx.ASGITransport(create_app(Settings(redis_url="unix:///nowhere")))  # pyright: ignore[reportArgumentType]
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        paths = (await client.get("/openapi.json")).json()["paths"]
    assert {"/v1/highest/matches", "/v1/splito/matches"} <= paths.keys()


class Named(HTMLParser):
    """The addresses that a page loads, and whether it has inline scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = [value for name, value in attrs if name in ("src", "href") and value]
        self.addresses += found
        self.inline += tag == "script" and not found


async def test_the_docs_page_loads_only_local_files(pages: httpx.AsyncClient) -> None:
    page = await pages.get("/docs")
    named = Named(page.text)
    assert named.inline == 0
    assert page.headers["Content-Security-Policy"].startswith(
        "default-src 'none'; script-src 'self'; style-src 'self';"
    )
    for address in named.addresses:
        assert address.startswith("/docs/")
        assert (await pages.get(address)).status_code == 200
    assert re.findall(r'fetch\("([^"]+)"\)', (await pages.get("/docs/start.js")).text) == ["/openapi.json"]


@pytest.mark.parametrize("name", ["index.html", "..%2f__init__.py", "swagger-ui.js.map", "", "%00"])
async def test_the_docs_page_serves_no_other_files(pages: httpx.AsyncClient, name: str) -> None:
    answer = await pages.get(f"/docs/{name}")
    assert answer.status_code == 404 or answer.text == (await pages.get("/docs")).text


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to look at the page with")
async def test_the_docs_page_can_call_an_operation(service: str) -> None:
    asked: list[str] = []
    faults: list[str] = []
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: faults.extend([message.text] if message.type == "error" else []))
        await page.goto(f"{service}/docs")
        operation = page.locator("#operations-Splito-createSplitoMatch")
        await operation.locator(".opblock-summary").click()
        await operation.get_by_role("button", name="Try it out").click()
        await operation.get_by_role("button", name="Execute").click()
        await operation.locator(".live-responses-table .response-col_status", has_text="201").wait_for()
        await browser.close()
    assert faults == []
    assert {urlsplit(url).netloc for url in asked if not url.startswith("data:")} == {urlsplit(service).netloc}
