"""A client that knows nothing but the contract, and insists on it."""

import json
from typing import Any

import httpx

from splito_service.http.endpoint import EVERY
from tests.contract.reader import Call, Document, Json

ALWAYS = ("ETag", "Location", "Content-Language", "WWW-Authenticate")
"""Headers that are sent wherever they are declared."""


class Caller:
    """For the operations of one game."""

    def __init__(self, api: httpx.Client, document: Document, game: str) -> None:
        self._api, self._document = api, document
        self._game = game.capitalize()

    def __call__(
        self,
        operation: str,
        expected: int,
        *,
        token: str | None = None,
        body: Any = None,
        **parameters: Any,
    ) -> Any:
        """Return the answer: JSON, a text, or None. It is checked against the contract, down to the last field."""
        call = self._document.call(operation.format(Game=self._game))
        response = self._send(call, token, body, parameters)
        assert response.status_code == expected, response.text
        return self._check(call, response)

    def example(self, operation: str, name: str) -> Any:
        """Of the body of a request."""
        call = self._document.call(operation.format(Game=self._game))
        examples = call.operation["requestBody"]["content"]["application/json"]["examples"]
        return self._document.resolve(examples[name])["value"]

    def _send(self, call: Call, token: str | None, body: Any, parameters: dict[str, Any]) -> httpx.Response:
        places: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}}
        for name, value in parameters.items():
            known = [self._document.resolve(part) for part in call.operation["parameters"]]
            found = next(part for part in known if part["name"].lower().replace("-", "_") == name)
            places[found["in"]][found["name"]] = str(value)
        headers = places["header"] | ({"Authorization": f"Bearer {token}"} if token else {})
        if body is not None:
            headers["Content-Type"] = "application/json"
        content = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        path = call.path.format(**places["path"])
        return self._api.request(call.method, path, params=places["query"], headers=headers, content=content)

    def _check(self, call: Call, response: httpx.Response) -> Any:
        declared = self._document.responses(call)[response.status_code]
        self._check_headers(declared, response)
        if "content" not in declared:
            assert response.content == b""
            return None
        media = response.headers["Content-Type"].partition(";")[0]
        schema = declared["content"][media]["schema"]
        value: Any = response.json() if media.endswith(("/json", "+json")) else response.text
        assert self._document.faults(schema, value) == [], call.id
        if response.status_code >= 400:
            assert value["code"] in declared["content"][media]["examples"], call.id
            assert value["code"] in (*call.operation["x-problems"], *EVERY), call.id
        return value

    def _check_headers(self, declared: Json, response: httpx.Response) -> None:
        named = declared.get("headers", {}).keys()
        ours = {name for name in self._document.whole["components"]["headers"] if name in response.headers}
        assert ours <= named
        assert {name for name in ALWAYS if name in named} <= ours
        for name in ours:
            schema = self._document.resolve(declared["headers"][name])["schema"]
            sent: Any = response.headers[name]
            assert self._document.faults(schema, int(sent) if schema["type"] == "integer" else sent) == []
