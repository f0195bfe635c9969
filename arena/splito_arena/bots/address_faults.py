"""Causes and next steps for a bot that does not answer at its address, for the person who has named it."""

from typing import NamedTuple
from urllib.parse import urlsplit

from splito_arena.faults import FAULTS

SECRET = "give the secret that the bot was started with: --secret whsec_..., or SPLITO_BOT_SECRET"  # noqa: S105 (advice)


class Explained(NamedTuple):
    cause: str
    advice: str


REFUSED = ("401", "403")


def explained(url: str, code: str, detail: str, *, is_signed: bool) -> Explained:
    """Return the cause and the next step for a fault of a bot at a URL; `detail` is that of the `Fault`."""
    usual = Explained(f"{FAULTS[code].meaning}: {detail}" if detail else FAULTS[code].meaning, FAULTS[code].advice)
    status = detail[:3] if code == "bad-status" else ""
    if status in REFUSED:
        signature = "the signature of the request" if is_signed else "a request without a signature"
        return Explained(f"it refuses {signature} ({status})", SECRET)
    if status == "404":
        advice = "check the port and the path: write the bot's address, without /ask and /info; a service is no bot"
        return Explained("another server answers there: it has no such path (404)", advice)
    if code == "refused":
        return Explained(*_nobody(url))
    return usual


def _nobody(url: str) -> tuple[str, str]:
    place = urlsplit(url)
    port = place.port or (443 if place.scheme == "https" else 80)
    start = f"start the bot, as in `splito-bot serve my_bot:choose --port {port}`"
    cause = f"the connection was refused: no program listens at {place.hostname}, port {port}"
    return cause, f"{start}, and keep the bot running; or correct the port"
