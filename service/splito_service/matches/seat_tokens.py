"""Seat tokens: they let a person see a hand and move. Only a secret of the whole service is stored for them.

A token names a seat and a sitting (the number of persons that sat down at the match before, so that a person who left
and came back needs a new token) and proves both by a keyed hash. It goes in the header, never in an address. The secret
can be rotated: tokens of a previous secret stay valid while that secret is accepted.
"""

import base64
import hashlib
import hmac
import re
import secrets
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

from splito_engine.game import Seat
from splito_service.errors import NoToken, UnknownSeat, WrongToken, wrong_token
from splito_service.matches.model import TOKEN_PATTERN, StoredMatch
from splito_service.storage.client import Link
from splito_service.storage.keyring import REFRESH, KeyKind, Keyring, now_ms

KEY = "secret"
SEAT_SECRET = KeyKind(KEY, lambda: secrets.token_bytes(32))
FORM = re.compile(TOKEN_PATTERN)
SCHEME = "bearer"


class Sitting(NamedTuple):
    seat: Seat
    number: int


class Tokens:
    """The seat tokens of a service. All its processes read the same secrets from Redis."""

    def __init__(self, link: Link) -> None:
        self._ring = Keyring(link, SEAT_SECRET)
        self._accepted: tuple[bytes, ...] = ()
        self._good_until = 0.0
        """Time at which the accepted secrets are read again."""

    async def issue(self, game: str, match_id: str, sitting: Sitting) -> str:
        current = (await self._ring.read()).current(now_ms())
        proof = _proof(current.secret, game, match_id, sitting)
        return f"seat-{sitting.seat}-{sitting.number}-{proof}"

    async def read(self, game: str, match_id: str, authorization: str | None) -> Sitting | None:
        """Return the sitting that the token is of; None if there is no token. Raise `NoToken` if it is false."""
        if authorization is None:
            return None
        if monotonic() >= self._good_until:
            keys = await self._ring.refresh()
            self._accepted = tuple(key.secret for key in keys.accepted(now_ms()))
            self._good_until = monotonic() + REFRESH
        return _read(self._accepted, game, match_id, authorization)


@lru_cache(maxsize=16_384)
def _read(accepted: tuple[bytes, ...], game: str, match_id: str, authorization: str) -> Sitting:
    """Return the sitting of a token. Valid tokens are cached, invalid ones are not."""
    scheme, _, token = authorization.partition(" ")
    form = FORM.fullmatch(token.strip())
    if scheme.lower() != SCHEME or form is None:
        raise NoToken("the Authorization header must be: Bearer seat-...")
    sitting = Sitting(int(form[1]), int(form[2]))
    proofs = [_proof(secret, game, match_id, sitting) for secret in accepted]
    if not any(hmac.compare_digest(proof, form[3]) for proof in proofs):
        raise NoToken("this is not a valid token of this match")
    return sitting


def check_sitting(kept: StoredMatch, sitting: Sitting | None) -> Seat | None:
    """Return the seat whose view the token shows; None without a token. Raise `WrongToken` for a former player."""
    if sitting is None:
        return None
    if not kept.admits(*sitting):
        raise wrong_token(sitting.seat)
    return sitting.seat


def check_alone(kept: StoredMatch, sitting: Sitting) -> None:
    """Raise `WrongToken` unless the token is of the only person at the match; also when it is over."""
    seat = sitting.seat
    if not kept.sittings or kept.sittings[seat] != sitting.number:
        raise wrong_token(seat)
    others = [other for other, sitter in enumerate(kept.sitters) if sitter.kind == "person" and other != seat]
    if others:
        raise WrongToken(f"the match cannot be deleted, because another person plays at seat {others[0]}", seat=seat)


def check_seat(kept: StoredMatch, seat: Seat) -> None:
    if not 0 <= seat < kept.deal.players:
        raise UnknownSeat(f"there is no seat {seat} in a match of {kept.deal.players}", seat=seat, field="seat")


def _proof(secret: bytes, game: str, match_id: str, sitting: Sitting) -> str:
    """Return the proof of a token: keyed BLAKE2, because it is several times faster here than HMAC."""
    said = f"{game}/{match_id}/{sitting.seat}/{sitting.number}".encode()
    return base64.urlsafe_b64encode(hashlib.blake2b(said, key=secret, digest_size=24).digest()).decode()
