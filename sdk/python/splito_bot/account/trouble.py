"""Failures of a command: a stable code, the cause, and the next step."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import urlsplit

import httpx

from splito_bot.errors import Refused

LONGEST = 500
"""Characters of a message to a person."""
LOCAL = ("127.0.0.1", "localhost", "::1")
OF_BOTS = "register|prove|check|status|asks|retire|enter|seat"
"""Commands of `splito-bot` that `splito` has in its group `bot`."""
OF_ACCOUNTS = "login|logout|whoami|profiles"
"""Commands that both programs have."""

ADVICE = {
    "no-key": "log in with a key that exists: `splito-bot login URL --key -`, or give another one with --key",
    "wrong-scope": "use a key with that scope: `splito-bot whoami` shows the scopes of yours, and POST /v1/keys makes"
    " another key",
    "not-allowed": "ask the owner of the bot to open it: PUT /v1/bots/{bot} with open_to",
    "banned": "ask the organisers of the arena about it",
    "protected": "ask the operator of the service",
    "wrong-owner": "use the key of its owner: `splito-bot whoami` shows whose key you use, --profile and --key choose"
    " another",
    "unknown-bot": "`splito-bot status` lists your bots; `splito-bot whoami` shows whose key you use, and --profile"
    " chooses another",
    "not-ready": "`splito-bot status` says what the bot needs",
    "not-proved": "start the bot with its secret at the registered address, then prove it again",
    "bad-address": "register an address that the arena may call; `splito serve --dev` also calls this machine",
    "bad-name": "choose another name",
    "wrong-kind": "`splito-bot status` shows which bots are push bots and which are pull bots",
    "no-room": "`splito-bot retire` removes a bot that is not needed",
    "unknown-tournament": "check that --url is the service that holds it: GET /v1/tournaments lists its tournaments",
    "unknown-series": "check that --url is the service that holds it: GET /v1/series lists its series",
    "unknown-match": "check the id of the match, and that --url is the service that has it",
    "seat-taken": "choose a match with an open seat",
    "already-over": "choose a tournament that still runs",
    "too-many-requests": "wait a little, and try again",
    "too-many-matches": "wait until one of your matches among bots alone is over, and try again",
    "too-many-streams": "close your other programs that watch or wait at this service, and try again",
    "too-many-connections": "wait a little, and try again",
    "too-slow": "check that the connection is good, and try again",
    "busy": "wait a little, and try again",
    "lookup-failed": "wait a little, and try again; check that the name servers of the bot's name answer",
    "unavailable": "wait a little, and try again",
    "unexpected": "try again; this is a bug of the service, and its log has the details",
}
"""Advice about a refusal of the service, by its code."""
OTHERWISE = "correct the request; docs/errors.md explains each code"


class Trouble(Exception):
    """A command cannot go on. The advice names commands of `splito-bot`; `of_splito` translates it."""

    def __init__(self, code: str, cause: str, advice: str) -> None:
        super().__init__(cause)
        self.code = code
        """Stable code, as in docs/errors.md."""
        self.cause = cause
        self.advice = advice


class RefusedByService(Trouble):
    """The service refuses a request of a command."""

    def __init__(self, refused: Refused) -> None:
        cause = f"{refused.code}: {refused.detail}"[:LONGEST]
        super().__init__("refused", cause, ADVICE.get(refused.code, OTHERWISE))
        self.refusal = refused.code
        """Code of the problem that the service answered with."""


def of_splito(text: str) -> str:
    """Return a text that names commands of `splito-bot` with the commands of `splito` that do the same."""
    text = re.sub(rf"splito-bot ({OF_ACCOUNTS})\b", r"splito \1", text)
    return re.sub(rf"splito-bot ({OF_BOTS})\b", r"splito bot \1", text)


@contextmanager
def translated(url: str) -> Generator[None]:
    """Raise the errors of requests to the service at this URL as `Trouble`."""
    try:
        yield
    except Refused as error:
        if error.code == "unreadable":
            raise nonsense(url, f"status {error.status} without a problem document") from None
        raise RefusedByService(error) from None
    except (httpx.ConnectError, httpx.TimeoutException) as error:
        cause = f"no service at {url}: {str(error) or type(error).__name__}"[:LONGEST]
        raise Trouble("unreachable", cause, _how_to_reach(url)) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise nonsense(url, str(error) or type(error).__name__) from None


def nonsense(url: str, why: object) -> Trouble:
    """Return the trouble with an address at which something else answers."""
    cause = f"{url} does not answer as the service does: {why}"[:LONGEST]
    return Trouble("unreachable", cause, "check the address: another program answers there")


def _how_to_reach(url: str) -> str:
    if urlsplit(url).hostname in LOCAL:
        return "start it (`splito serve` starts an arena on this machine), or correct the address"
    return "check the address, your network, and that the arena runs; then try again"
