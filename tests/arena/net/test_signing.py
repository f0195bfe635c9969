"""A bot can tell that a message is the arena's, that it is new, and that it was not changed on the way."""

import base64
import hashlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splito_arena.errors import (
    BadSecret,
    BadSignature,
    MissingHeader,
    Replayed,
    StaleMessage,
    WrongRecipient,
    WrongSignature,
)
from splito_arena.net.signing import (
    ID,
    SIGNATURE,
    TIMESTAMP,
    TOLERANCE,
    Key,
    Seen,
    new_secret,
    sign,
    signed_lines,
    verify,
)

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
OTHER = "whsec_" + base64.b64encode(bytes(range(32))).decode()
NOW = 1614265330
BODY = b'{"test": 2432232314}'
HEADERS = sign(Key(SECRET), "msg_1", NOW, BODY)


def hmac_by_hand(key: bytes, content: bytes) -> bytes:
    """RFC 2104, from its definition."""
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + content).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in block) + inner).digest()


def test_a_signature_is_the_one_of_the_reference_libraries_tests() -> None:
    headers = sign(Key(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", NOW, BODY)
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


@given(st.binary(min_size=24, max_size=64), st.binary(max_size=200), st.integers(0, 10**12 - 1))
def test_a_signature_is_an_hmac_over_id_time_and_body(key: bytes, body: bytes, timestamp: int) -> None:
    headers = sign(Key("whsec_" + base64.b64encode(key).decode()), "msg_1", timestamp, body)
    expected = hmac_by_hand(key, b"msg_1." + str(timestamp).encode() + b"." + body)
    assert headers[SIGNATURE] == "v1," + base64.b64encode(expected).decode()


@given(st.binary(max_size=200), st.from_regex(r"[A-Za-z0-9_-]{1,128}", fullmatch=True))
def test_a_signed_message_verifies_and_gives_its_id(body: bytes, message_id: str) -> None:
    key = Key(new_secret())
    assert verify(key.secrets, sign(key, message_id, NOW, body), body, NOW) == message_id


def test_names_of_headers_are_not_case_sensitive() -> None:
    assert verify([SECRET], {name.title(): value for name, value in HEADERS.items()}, BODY, NOW) == "msg_1"


def test_while_a_secret_changes_both_sides_may_change_first() -> None:
    key = Key(SECRET).rotated(OTHER)
    headers = sign(key, "msg_1", NOW, BODY)
    assert len(headers[SIGNATURE].split(" ")) == 2
    for known in ([SECRET], [OTHER], [OTHER, SECRET]):
        assert verify(known, headers, BODY, NOW) == "msg_1"
    assert verify(key.secrets, HEADERS, BODY, NOW) == "msg_1"


def test_after_the_change_the_old_secret_is_refused() -> None:
    key = Key(SECRET).rotated(OTHER).settled()
    assert key == Key(OTHER)
    with pytest.raises(WrongSignature):
        verify([SECRET], sign(key, "msg_1", NOW, BODY), BODY, NOW)
    with pytest.raises(WrongSignature):
        verify(key.secrets, HEADERS, BODY, NOW)


def test_an_ed25519_signature_stands_beside_the_others_over_the_same_content() -> None:
    headers = sign(Key(SECRET, ed25519=(lambda content: b"signed " + content,)), "msg_1", NOW, BODY)
    first, second = headers[SIGNATURE].split(" ")
    assert first == HEADERS[SIGNATURE]
    assert second == "v1a," + base64.b64encode(b"signed msg_1.1614265330." + BODY).decode()
    assert verify([SECRET], headers, BODY, NOW) == "msg_1"


def test_while_the_arena_changes_its_key_there_is_an_ed25519_signature_by_each() -> None:
    headers = sign(Key(SECRET, ed25519=(lambda _: b"new", lambda _: b"old")), "msg_1", NOW, BODY)
    assert headers[SIGNATURE].split(" ")[1:] == ["v1a,bmV3", "v1a,b2xk"]


def test_the_id_of_a_message_names_its_recipient_and_is_signed() -> None:
    headers = sign(Key(SECRET, recipient="owl"), "msg_1", NOW, BODY)
    assert headers[ID] == "owl_msg_1"
    assert verify([SECRET], headers, BODY, NOW, recipient="owl") == "owl_msg_1"
    assert signed_lines(Key(SECRET, recipient="owl"), "msg_1", NOW, BODY).startswith(b"webhook-id: owl_msg_1\r\n")
    for other in ("ow", "owl_", "fox", "msg_1"):
        with pytest.raises(WrongRecipient):
            verify([SECRET], headers, BODY, NOW, recipient=other)
    with pytest.raises(WrongSignature):
        verify([SECRET], {**headers, ID: "fox_msg_1"}, BODY, NOW, recipient="fox")


@pytest.mark.parametrize("place", range(len(BODY)))
def test_a_changed_byte_of_the_body_is_refused(place: int) -> None:
    changed = bytes(byte ^ (place == index) for index, byte in enumerate(BODY))
    with pytest.raises(WrongSignature):
        verify([SECRET], HEADERS, changed, NOW)


RIGHT = HEADERS[SIGNATURE]
TAMPERED = {
    "another id": {ID: "msg_2"},
    "another time": {TIMESTAMP: str(NOW + 1)},
    "the same time in other digits": {TIMESTAMP: f"0{NOW}"},
    "no version": {SIGNATURE: RIGHT.removeprefix("v1,")},
    "another version": {SIGNATURE: RIGHT.replace("v1,", "v2,")},
    "the version of another scheme": {SIGNATURE: RIGHT.replace("v1,", "v1a,")},
    "a signature cut short": {SIGNATURE: RIGHT[:-4]},
    "a signature without padding": {SIGNATURE: RIGHT.rstrip("=")},
    "an empty signature": {SIGNATURE: "v1,"},
    "a signature with commas": {SIGNATURE: "v1,,," + RIGHT},
    "a signature in lower case": {SIGNATURE: RIGHT.lower()},
}


@pytest.mark.parametrize("changed", TAMPERED.values(), ids=TAMPERED.keys())
def test_a_changed_header_is_refused(changed: dict[str, str]) -> None:
    with pytest.raises(WrongSignature, match="sign the bytes of the body") as caught:
        verify([SECRET], {**HEADERS, **changed}, BODY, NOW)
    assert (caught.value.code, caught.value.field) == ("wrong-signature", SIGNATURE)


@pytest.mark.parametrize("known", [[], [OTHER]])
def test_a_signature_by_an_unknown_secret_is_refused(known: list[str]) -> None:
    with pytest.raises(WrongSignature):
        verify(known, HEADERS, BODY, NOW)


def test_one_right_signature_among_wrong_ones_is_enough() -> None:
    assert verify([SECRET], {**HEADERS, SIGNATURE: f"v9,future v1,AAAA {RIGHT}"}, BODY, NOW) == "msg_1"


@pytest.mark.parametrize("name", HEADERS)
def test_a_missing_header_is_named(name: str) -> None:
    with pytest.raises(MissingHeader, match=f"{name} is missing") as caught:
        verify([SECRET], {other: value for other, value in HEADERS.items() if other != name}, BODY, NOW)
    assert caught.value.field == name


MALFORMED = (
    *((ID, value) for value in ("", "msg.1", "msg 1", "msg\r\n1", "m" * 129, "mésg")),
    *((TIMESTAMP, value) for value in ("", "-1", "1e9", "1614265330.0", "nan", "²", "1" * 13, f" {NOW}", f"{NOW}\n")),
    *((SIGNATURE, value) for value in ("", " ", f" {RIGHT}", f"{RIGHT}\n", "v1,é", " ".join([RIGHT] * 17))),
)


@pytest.mark.parametrize(("name", "value"), MALFORMED)
def test_a_malformed_header_is_named(name: str, value: str) -> None:
    with pytest.raises(MissingHeader, match=f"{name} is malformed") as caught:
        verify([SECRET], {**HEADERS, name: value}, BODY, NOW)
    assert caught.value.field == name


def test_an_id_with_a_dot_and_a_negative_time_cannot_be_signed() -> None:
    with pytest.raises(MissingHeader):
        sign(Key(SECRET), "msg.1", NOW, BODY)
    with pytest.raises(MissingHeader):
        sign(Key(SECRET), "msg_1", -1, BODY)


@pytest.mark.parametrize("late", [-TOLERANCE, -1, 0, 0.5, TOLERANCE])
def test_a_clock_may_be_a_little_off(late: float) -> None:
    assert verify([SECRET], HEADERS, BODY, NOW + late) == "msg_1"


@pytest.mark.parametrize(
    ("late", "said"), [(TOLERANCE + 1, "too old"), (-TOLERANCE - 1, "too new"), (300.5, "too old")]
)
def test_a_stale_message_is_refused_however_well_signed(late: float, said: str) -> None:
    with pytest.raises(StaleMessage, match=said) as caught:
        verify([SECRET], HEADERS, BODY, NOW + late)
    assert (caught.value.code, caught.value.field) == ("stale-message", TIMESTAMP)


def test_the_caller_chooses_the_tolerance() -> None:
    assert verify([SECRET], HEADERS, BODY, NOW + 10, tolerance=10) == "msg_1"
    with pytest.raises(StaleMessage):
        verify([SECRET], HEADERS, BODY, NOW + 11, tolerance=10)


BAD_SECRETS = ("", "whsec_", SECRET.removeprefix("whsec_"), "whsec_short", SECRET + "!", "whsec_" + "é" * 32)


@pytest.mark.parametrize("secret", [*BAD_SECRETS, "whsec_" + "A" * 28, "whsec_" + "A" * 88, "whsk_" + "A" * 44])
def test_a_secret_of_another_form_is_refused_and_not_repeated(secret: str) -> None:
    for attempt in (lambda: Key(secret), lambda: Key(SECRET, secret), lambda: verify([secret], HEADERS, BODY, NOW)):
        with pytest.raises(BadSecret) as caught:
            attempt()
        assert len(secret) < 10 or secret not in caught.value.message


def test_new_secrets_are_long_and_different() -> None:
    made = {new_secret() for _ in range(20)}
    assert len(made) == 20
    assert {len(base64.b64decode(secret.removeprefix("whsec_"))) for secret in made} == {32}


def test_a_key_does_not_show_its_secrets() -> None:
    key = Key(SECRET, OTHER)
    shown = f"{key} {key!r} {[*key.__rich_repr__()]}"
    assert SECRET not in shown
    assert OTHER not in shown


def test_a_message_is_admitted_once() -> None:
    seen = Seen(limit=10)
    seen.admit(verify([SECRET], HEADERS, BODY, NOW), NOW)
    with pytest.raises(Replayed, match="come before") as caught:
        seen.admit(verify([SECRET], HEADERS, BODY, NOW + 1), NOW + 1)
    assert (caught.value.code, caught.value.field) == ("replayed", ID)
    seen.admit("msg_2", NOW + 1)


@pytest.mark.parametrize("ahead", [-TOLERANCE, 0, TOLERANCE])
def test_a_replayed_message_is_refused_at_every_later_second(ahead: int) -> None:
    """A replayed message is refused for its age or because it is known, at every second."""
    headers, seen = sign(Key(SECRET), "msg_1", NOW + ahead, BODY), Seen(limit=1)
    seen.admit(verify([SECRET], headers, BODY, NOW), NOW)
    for later in range(3 * TOLERANCE):
        with pytest.raises(BadSignature):
            seen.admit(verify([SECRET], headers, BODY, NOW + later), NOW + later)


def test_old_ids_are_forgotten_and_make_room() -> None:
    seen = Seen(limit=2, tolerance=10)
    seen.admit("msg_1", 0)
    seen.admit("msg_2", 5)
    with pytest.raises(Replayed, match="raise the limit"):
        seen.admit("msg_3", 20)
    seen.admit("msg_3", 21)
    assert len(seen) == 2


def test_a_clock_that_goes_back_forgets_nothing() -> None:
    seen = Seen(limit=3, tolerance=10)
    seen.admit("msg_1", 100)
    seen.admit("msg_2", 50)
    with pytest.raises(Replayed):
        seen.admit("msg_2", 71)


def test_the_library_of_the_specification_agrees() -> None:
    library = pytest.importorskip("standardwebhooks").Webhook(SECRET)
    now = datetime.now(UTC).replace(microsecond=0)
    headers = sign(Key(OTHER).rotated(SECRET), "msg_1", int(now.timestamp()), BODY)
    assert library.sign("msg_1", now, BODY.decode()) == headers[SIGNATURE].split(" ")[0]
    assert library.verify(BODY, headers) == {"test": 2432232314}
    theirs = {**headers, SIGNATURE: library.sign("msg_1", now, BODY.decode())}
    assert verify([SECRET], theirs, BODY, now.timestamp()) == "msg_1"
