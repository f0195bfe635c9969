"""A registered bot as its owner sees it over HTTP, and the settings of the service that it is registered at."""

from typing import Any, NamedTuple

import httpx

from tests.service.owners.test_keys import Ada
from tests.service.process import NO_LIMITS

PRIVATE = {**NO_LIMITS, "SPLITO_ALLOW_PRIVATE_BOTS": "1", "SPLITO_HEALTH_SECONDS": "0"}


class Places(NamedTuple):
    url: str
    redis: str


class Marvin:
    """A bot as its owner sees it."""

    def __init__(self, owner: Ada, url: str | None = None) -> None:
        kind = {"kind": "push", "url": url} if url else {"kind": "pull"}
        answer = owner.ask("POST", "/v1/bots", {"name": "Marvin", "open_to": "everybody", **kind})
        assert answer.status_code == 201, answer.text
        self.owner, self.path = owner, answer.headers["Location"]
        self.made = answer.json()["bot"]
        self.secret: str = answer.json()["secret"]

    def ask(self, method: str, path: str = "", body: Any = None) -> httpx.Response:
        return self.owner.ask(method, self.path + path, body)

    def look(self) -> Any:
        answer = self.ask("GET")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def prove(self) -> Any:
        answer = self.ask("POST", "/proof")
        assert answer.status_code == 200, answer.text
        return answer.json()
