"""Messages that are signed well and badly, on which everybody who checks signatures must agree."""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from splito_arena.errors import BadSecret as BadSecretOfArena
from splito_arena.errors import BadSignature as BadSignatureOfArena
from splito_arena.net.signing import ID, SIGNATURE, TIMESTAMP, Key, sign
from splito_bot.signing import BadSecret, BadSignature

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
OTHER = "whsec_" + base64.b64encode(bytes(range(32))).decode()
NOW = 1_614_265_330
BODY = b'{"test": 2432232314}'
HEADERS = sign(Key(SECRET), "msg_1", NOW, BODY)
RIGHT = HEADERS[SIGNATURE]

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = "whpk_" + base64.b64encode(PRIVATE.public_key().public_bytes_raw()).decode()
BOTH = sign(Key(SECRET, ed25519=(PRIVATE.sign,), recipient="owl"), "msg_1", NOW, BODY)

CASES: dict[str, tuple[list[str], Mapping[str, str], bytes, float]] = {
    "right": ([SECRET], HEADERS, BODY, NOW),
    "an empty body": ([SECRET], sign(Key(SECRET), "msg_1", NOW, b""), b"", NOW),
    "headers in capitals": ([SECRET], {name.upper(): value for name, value in HEADERS.items()}, BODY, NOW),
    "by the newer of two secrets": ([OTHER, SECRET], HEADERS, BODY, NOW),
    "signed with both secrets": ([OTHER], sign(Key(SECRET).rotated(OTHER), "msg_1", NOW, BODY), BODY, NOW),
    "one right among others": ([SECRET], {**HEADERS, SIGNATURE: f"v9,x v1,AAAA {RIGHT} v1a,AAAA"}, BODY, NOW),
    "another secret": ([OTHER], HEADERS, BODY, NOW),
    "no secret": ([], HEADERS, BODY, NOW),
    "another body": ([SECRET], HEADERS, BODY + b" ", NOW),
    "another id": ([SECRET], {**HEADERS, ID: "msg_2"}, BODY, NOW),
    "another time": ([SECRET], {**HEADERS, TIMESTAMP: str(NOW + 1)}, BODY, NOW),
    "another version": ([SECRET], {**HEADERS, SIGNATURE: RIGHT.replace("v1,", "v1a,")}, BODY, NOW),
    "no version": ([SECRET], {**HEADERS, SIGNATURE: RIGHT.removeprefix("v1,")}, BODY, NOW),
    "no padding": ([SECRET], {**HEADERS, SIGNATURE: RIGHT.rstrip("=")}, BODY, NOW),
    "just fresh": ([SECRET], HEADERS, BODY, NOW + 300),
    "just not too new": ([SECRET], HEADERS, BODY, NOW - 300),
    "too old": ([SECRET], HEADERS, BODY, NOW + 300.5),
    "too new": ([SECRET], HEADERS, BODY, NOW - 301),
    **{f"no {name}": ([SECRET], {n: v for n, v in HEADERS.items() if n != name}, BODY, NOW) for name in HEADERS},
    "a full stop in the id": ([SECRET], {**HEADERS, ID: "msg.1"}, BODY, NOW),
    "a time with a fraction": ([SECRET], {**HEADERS, TIMESTAMP: "1614265330.0"}, BODY, NOW),
    "a line in a signature": ([SECRET], {**HEADERS, SIGNATURE: RIGHT + "\n"}, BODY, NOW),
    "letters beyond ASCII": ([SECRET], {**HEADERS, SIGNATURE: "v1,é"}, BODY, NOW),
    "too many signatures": ([SECRET], {**HEADERS, SIGNATURE: " ".join([RIGHT] * 17)}, BODY, NOW),
    "a secret that is none": (["whsec_short"], HEADERS, BODY, NOW),
    "a secret without its prefix": ([SECRET.removeprefix("whsec_")], HEADERS, BODY, NOW),
}


def verdict(verify: Callable[..., str], *case: Any) -> tuple[str, str | None]:
    """The id, or the code of the error and the header at fault."""
    try:
        return verify(*case), None
    except (BadSignature, BadSignatureOfArena) as error:
        return error.code, error.field
    except (BadSecret, BadSecretOfArena):
        return "bad-secret", None
