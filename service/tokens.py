"""Seat tokens: who may see a hand and move. Nothing is stored for them but one secret of the whole service.

A token names a seat, a sitting (how many persons had sat down at the match before, so that who has left and come back
needs a new one) and proves both by a keyed hash. It goes in the header, never in an address.
"""

import base64
import hashlib
import hmac
import re
import secrets
from functools import lru_cache
from typing import NamedTuple

from engine.game import Seat
from service.errors import NoToken, UnknownSeat, WrongToken, wrong_token
from service.store.kept import Kept
from service.store.link import Link

KEY = "secret"
FORM = re.compile(r"seat-(\d{1,2})-(\d{1,9})-([A-Za-z0-9_-]{32})")
PATTERN = f"^{FORM.pattern}$"
SCHEME = "bearer"


class Sitting(NamedTuple):
    seat: Seat
    number: int


class Tokens:
    """Every process of a service has the same secret, from Redis; it is made by the first that asks."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._secret: bytes | None = None

    async def issue(self, game: str, match_id: str, sitting: Sitting) -> str:
        proof = _proof(await self._key(), game, match_id, sitting)
        return f"seat-{sitting.seat}-{sitting.number}-{proof}"

    async def read(self, game: str, match_id: str, authorization: str | None) -> Sitting | None:
        """Whose token it is; nobody's if there is none. `NoToken` if it is false."""
        if authorization is None:
            return None
        return _read(self._secret or await self._key(), game, match_id, authorization)

    async def _key(self) -> bytes:
        if self._secret is None:
            await self._link.call("SET", KEY, secrets.token_bytes(32), "NX")
            self._secret = await self._link.call("GET", KEY)
        return self._secret or b""


@lru_cache(maxsize=16_384)
def _read(secret: bytes, game: str, match_id: str, authorization: str) -> Sitting:
    """What has been proved once need not be proved again. A failure is not remembered."""
    scheme, _, token = authorization.partition(" ")
    form = FORM.fullmatch(token.strip())
    if scheme.lower() != SCHEME or form is None:
        raise NoToken("the Authorization header must be: Bearer seat-...")
    sitting = Sitting(int(form[1]), int(form[2]))
    if not hmac.compare_digest(_proof(secret, game, match_id, sitting), form[3]):
        raise NoToken("this is no token of this match")
    return sitting


def check_sitting(kept: Kept, sitting: Sitting | None) -> Seat | None:
    """Return the seat whose view the token shows; None without a token. Raise `WrongToken` for a former player."""
    if sitting is None:
        return None
    if not kept.admits(*sitting):
        raise wrong_token(sitting.seat)
    return sitting.seat


def check_alone(kept: Kept, sitting: Sitting) -> None:
    """Raise `WrongToken` unless the token is of the only person at the match; also when it is over."""
    seat = sitting.seat
    if not kept.sittings or kept.sittings[seat] != sitting.number:
        raise wrong_token(seat)
    others = [other for other, sitter in enumerate(kept.sitters) if sitter.kind == "person" and other != seat]
    if others:
        raise WrongToken(f"the match is also that of the person at seat {others[0]}", seat=seat)


def check_seat(kept: Kept, seat: Seat) -> None:
    if not 0 <= seat < kept.deal.players:
        raise UnknownSeat(f"there is no seat {seat} in a match of {kept.deal.players}", seat=seat, field="seat")


def _proof(secret: bytes, game: str, match_id: str, sitting: Sitting) -> str:
    """Keyed BLAKE2 is made for this, and several times faster here than an HMAC."""
    said = f"{game}/{match_id}/{sitting.seat}/{sitting.number}".encode()
    return base64.urlsafe_b64encode(hashlib.blake2b(said, key=secret, digest_size=24).digest()).decode()
