"""Endpoints of the contract and of the page that shows it, served without access to the internet."""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from litestar import Response, get
from litestar.params import FromPath
from swagger_ui_bundle import swagger_ui_path  # pyright: ignore[reportMissingTypeStubs]

from splito_service.errors import NotFound
from splito_service.http.answers.responses import JSON, has_tag
from splito_service.http.common import AnyRequest
from splito_service.http.contract.write import as_json, as_yaml
from splito_service.http.examples.example import Json

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content policy of the page: no foreign resources, no inline script or style."""

PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Splito Arena: the API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
"""

START = """// This Swagger UI knows OpenAPI 3.0 only by its number. What it shows of our 3.1 is the same in both.
fetch("/openapi.json")
  .then((response) => response.json())
  .then((spec) =>
    SwaggerUIBundle({
      spec: { ...spec, openapi: "3.0.3" },
      dom_id: "#page",
      deepLinking: true,
    }),
  );
"""


FILES = {
    "favicon-32x32.png": "image/png",
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
}
"""Files of Swagger UI that the page needs, with their media types. Other files are not served."""
FORMS = {".json": (as_json, JSON), ".yaml": (as_yaml, "application/yaml")}


class Page(NamedTuple):
    body: bytes
    media_type: str
    tag: str


def routes(contract: Callable[[], Json]) -> list[Any]:
    """Return the handlers of the docs; `contract` makes the document, which happens on the first request for it."""

    @cache
    def page(form: str) -> Page:
        text, media_type = FORMS[form]
        return _page(text(contract()), media_type)

    @get("/openapi.json", sync_to_thread=True)
    def get_json(request: AnyRequest) -> Response[bytes]:
        return _answer(request, page(".json"))

    @get("/openapi.yaml", sync_to_thread=True)
    def get_yaml(request: AnyRequest) -> Response[bytes]:
        return _answer(request, page(".yaml"))

    return [get_json, get_yaml, show_page, get_file]


@get("/docs", sync_to_thread=False)
def show_page(request: AnyRequest) -> Response[bytes]:
    return _answer(request, _files()[""])


@get("/docs/{name:str}", sync_to_thread=False)
def get_file(request: AnyRequest, name: FromPath[str]) -> Response[bytes]:
    if name not in _files():
        raise NotFound(f"there is no file {name!r} here")
    return _answer(request, _files()[name])


@cache
def _files() -> dict[str, Page]:
    ours = {"": _page(PAGE.encode(), "text/html"), "start.js": _page(START.encode(), "text/javascript")}
    return ours | {name: _page((swagger_ui_path / name).read_bytes(), kind) for name, kind in FILES.items()}


def _page(body: bytes, media_type: str) -> Page:
    return Page(body, media_type, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def _answer(request: AnyRequest, page: Page) -> Response[bytes]:
    headers = {"ETag": page.tag, "Cache-Control": "no-cache", "Content-Security-Policy": POLICY}
    if has_tag(request.headers.get("if-none-match"), page.tag):
        return Response(b"", status_code=304, headers=headers, media_type=page.media_type)
    return Response(page.body, headers=headers, media_type=page.media_type)
