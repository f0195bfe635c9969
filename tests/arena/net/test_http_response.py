"""A connection reads each answer as if it were its first, whatever it has read before."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from splito_arena.faults import Fault
from splito_arena.net.http_response import HEAD_KEPT, HEADS_KEPT, AnyReader, Reader
from tests.arena.net.servers import JSON

BODY = b'{"index":0}'
PLAIN = JSON + b"Content-Length: 11\r\n\r\n"
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\n"
MISSING = PLAIN.replace(b"200 OK", b"404 Not Found")

HEADS = st.sampled_from(
    [
        PLAIN,
        JSON + b"Content-Length: 12\r\n\r\n",
        JSON + b"Content-Length: 11\r\nDate: today\r\n\r\n",
        JSON + b"Content-Length: 11\r\nConnection: close\r\n\r\n",
        JSON + b"Content-Length: 11\r\nContent-Encoding: gzip\r\n\r\n",
        JSON + b"Transfer-Encoding: chunked\r\n\r\n",
        JSON + b"\r\n",
        MISSING,
        JSON.replace(b"1.1", b"1.0") + b"Content-Length: 11\r\n\r\n",
        INTERIM + PLAIN,
        b"\r\n\r\n" + PLAIN,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n",
    ]
)
BODIES = st.sampled_from(
    [BODY, b'{"index":10}', b'{"index":0', b"2\r\n{}\r\n0\r\n\r\n", b"0\r\n\r\n", b"", BODY + PLAIN]
)
ANSWERS = st.tuples(HEADS, BODIES).map(b"".join)


def read(reader: Reader, parts: Sequence[bytes]) -> tuple[bytes | str | None, bool, int]:
    """The body or the fault, whether there may be another answer, and with which status."""
    reader.reset()
    found: bytes | str | None = None
    try:
        for part in parts:
            found = reader.feed(part)
            if found is not None:
                break
    except Fault as fault:
        return fault.code, False, 0
    return found, reader.keep_alive, reader.status


def cut(answer: bytes, at: int) -> list[bytes]:
    return [part for part in (answer[:at], answer[at:]) if part]


@pytest.mark.parametrize("kind", [Reader, AnyReader])
@given(earlier=st.lists(ANSWERS, max_size=8), last=ANSWERS, at=st.integers(0, 200))
@example(earlier=[PLAIN + BODY] * 2, last=PLAIN + BODY + PLAIN, at=0)
@example(earlier=[PLAIN + BODY] * 2, last=PLAIN + BODY[:-1], at=0)
@example(earlier=[MISSING + BODY] * 2, last=MISSING + BODY, at=0)
@example(earlier=[INTERIM + PLAIN + BODY], last=(INTERIM + PLAIN)[: len(INTERIM + BODY)], at=0)
def test_an_answer_is_read_as_if_it_were_the_first(
    kind: type[Reader], earlier: list[bytes], last: bytes, at: int
) -> None:
    reader = kind()
    for answer in earlier:
        body, another, _ = read(reader, [answer])
        if body is None or not another:
            reader = kind()  # as a new connection would
    parts = cut(last, at)
    assert read(reader, parts) == read(kind(), parts)


def test_a_head_that_was_in_order_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader()
    assert read(reader, [PLAIN + BODY]) == (BODY, True, 200)
    monkeypatch.setattr(reader, "_parser", None)
    assert read(reader, [PLAIN + b'{"index":7}']) == (b'{"index":7}', True, 200)
    with pytest.raises(AttributeError):
        read(reader, [PLAIN.replace(b"11", b"12") + b'{"index":10}'])


def test_only_a_limited_number_of_heads_is_remembered() -> None:
    reader = Reader()
    for number in range(10 * HEADS_KEPT):
        head = JSON + b"X: %d\r\nContent-Length: 11\r\n\r\n" % number
        assert read(reader, [head + BODY]) == (BODY, True, 200)
    long = JSON + b"X: " + HEAD_KEPT * b"x" + b"\r\nContent-Length: 11\r\n\r\n"
    assert read(reader, [long + BODY]) == (BODY, True, 200)
    kept = vars(reader)["_heads"]
    assert 0 < len(kept) <= HEADS_KEPT
    assert all(len(head) <= HEAD_KEPT for head in kept)
