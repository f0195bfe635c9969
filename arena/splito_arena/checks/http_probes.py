"""Checks for bots over HTTP only: refusal of forged requests, and answers to challenges and notices."""

from collections.abc import Mapping
from time import time

from splito_arena.bots.push_client import BotClient, Letter, new_message_id
from splito_arena.checks.ask import new_match, sent
from splito_arena.checks.report import Finding, Result, failed, judged, of_fault, passed, skipped
from splito_arena.checks.run import NO_ANSWER, CheckRun
from splito_arena.checks.subject import heard_of
from splito_arena.faults import Fault
from splito_arena.match.messages import Ended, messages_of
from splito_arena.match.question import encode
from splito_arena.net.http_response import Reply
from splito_arena.net.signing import TOLERANCE, Key, new_secret, sign

NOT_OVER_HTTP = "only over HTTP"
UNSIGNED = "no secret was given: nothing is signed"
FORGED = {
    "unsigned": (
        "a request without a signature",
        "verify the signature of every request, and answer 401 if there is none",
    ),
    "wrongly-signed": (
        "a request signed with another secret",
        "compare the signature with HMAC-SHA256 by the bot's own secret, and answer 401 if it differs",
    ),
    "changed": (
        "a request whose body is not what was signed",
        "verify the bytes of the body as they came, before they are read as JSON",
    ),
    "stale": (
        f"a request signed {2 * TOLERANCE} seconds ago",
        f"answer 401 to a webhook-timestamp more than {TOLERANCE} seconds from your clock",
    ),
    "replayed": (
        "a request that came a second time, with the same webhook-id,",
        "remember each webhook-id for ten minutes, and answer 401 when it comes again",
    ),
}
"""Forgeries that a bot must refuse, by the code of the finding: the description and the advice."""
NOTICES = "answer POST /start and /end with 200, or declare `notices` as false"
CHALLENGE = "start the bot with the secret of its registration, and answer POST /challenge as the contract says"


async def challenge(trial: CheckRun) -> Result:
    client, _, why = _door(trial)
    if client is None:
        return skipped(why)
    fault = await heard_of(client.prove())
    return (
        passed("the bot knows its secret") if fault is None else failed([of_fault(fault, CHALLENGE, "POST /challenge")])
    )


async def signature(trial: CheckRun) -> Result:
    client, key, why = _door(trial)
    if client is None or key is None:
        return skipped(why)
    if not trial.answered:
        return skipped(NO_ANSWER)
    body = trial.plain(trial.answered[0]).encoded()
    findings = [
        finding
        for code, headers in _forged(key, body).items()
        for finding in _let_in(code, await _post(client, body, headers))
    ]
    findings += await _replayed(client, key, body)
    return judged(findings, f"{len(FORGED)} forgeries refused")


async def notices(trial: CheckRun) -> Result:
    """Check that the bot answers notices, with any content."""
    remote = trial.subject.remote
    if remote is None:
        return skipped(NOT_OVER_HTTP)
    if not trial.subject.info.notices or not trial.claimed:
        return skipped("the bot wants no notices")
    findings: list[Finding] = []
    for what, body in _notes(trial).items():
        outcome = await sent(remote.client, Letter(what, new_message_id(), body))
        if isinstance(outcome, Fault) and not _is_fine(outcome):
            findings.append(of_fault(outcome, NOTICES, f"POST /{what}", body))
    return judged(findings, "/start and /end")


def _door(trial: CheckRun) -> tuple[BotClient | None, Key | None, str]:
    """Return the client and the key for the signature checks, or the reason why they cannot be made."""
    remote = trial.subject.remote
    if remote is None:
        return None, None, NOT_OVER_HTTP
    if remote.address.key is None:
        return None, None, UNSIGNED
    return remote.client, remote.address.key, ""


def _forged(key: Key, body: bytes) -> dict[str, Mapping[str, str]]:
    now = int(time())
    return {
        "unsigned": {},
        "wrongly-signed": sign(Key(new_secret()), new_message_id(), now, body),
        "changed": sign(key, new_message_id(), now, body + b" "),
        "stale": sign(key, new_message_id(), now - 2 * TOLERANCE, body),
    }


async def _replayed(client: BotClient, key: Key, body: bytes) -> list[Finding]:
    """Send a request twice. The first time it is valid and must be taken."""
    headers = sign(key, new_message_id(), int(time()), body)
    first = await _post(client, body, headers)
    if isinstance(first, Fault):
        return [of_fault(first, "accept requests that are signed with the secret of the bot", "POST /ask", body)]
    return _let_in("replayed", await _post(client, body, headers))


async def _post(client: BotClient, body: bytes, headers: Mapping[str, str]) -> Reply | Fault:
    return await sent(client, Letter("ask", new_message_id(), body, headers=headers))


def _let_in(code: str, outcome: Reply | Fault) -> list[Finding]:
    """Return a finding if the bot did not refuse the request with a status of 4xx."""
    if isinstance(outcome, Fault) and outcome.code == "bad-status" and outcome.detail.startswith("4"):
        return []
    what, advice = FORGED[code]
    came = "was taken" if isinstance(outcome, Reply) else f"was not refused by a status of 4xx, but: {outcome}"
    return [Finding(code=code, what=f"{what} {came}", advice=advice, where="POST /ask")]


def _is_fine(fault: Fault) -> bool:
    """True for a fault that notices allow, because they may be answered with 204 and without JSON."""
    return fault.code == "bad-type" or (fault.code == "bad-status" and fault.detail.startswith("2"))


def _notes(trial: CheckRun) -> dict[str, bytes]:
    """Return the notices of a match without any turns."""
    game, clock, name = trial.claimed[0], trial.scope.clock, new_match()
    info, players = game.INFO, game.INFO.min_players
    started = messages_of(game).Started(
        game=info.id,
        version=info.version,
        match=name,
        seat=0,
        players=players,
        options=game.Options(),
        turn_ms=clock.turn_ms,
        bank_ms=clock.bank_ms,
    )
    scores, places = [[0]] * players, [(players + 1) / 2] * players
    ended = Ended(game=info.id, match=name, seat=0, scores=scores, places=places, faults=[], replaced=False)
    return {"start": encode(started), "end": encode(ended)}
