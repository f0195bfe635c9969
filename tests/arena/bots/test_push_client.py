"""A bot is called where it was found to be, and nowhere else, and can tell that it is the arena that calls."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
import standardwebhooks

from splito_arena.bots.push_client import FRESH, BotClient, Letter, proof
from splito_arena.errors import BadAddress, LookupFailed, WrongSignature
from splito_arena.faults import Fault
from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import Reply
from splito_arena.net.signing import ID, Key, new_secret, verify
from tests.arena.net.servers import (
    HOST,
    LONG,
    NAME,
    Later,
    Serve,
    answer,
    bot,
    nobody,
    read_request,
    says,
    serving,
    trusting,
)

pytestmark = pytest.mark.anyio

ELSEWHERE = "127.0.0.2"


class Dns:
    """Gives its answers in turn, the last one for ever, and notes for whom it was asked."""

    def __init__(self, *answers: str) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers[min(len(self.asked), len(self.answers)) - 1].split()


class Requests:
    """A server that notes what came, and answers the same to all of it."""

    def __init__(self, body: bytes = b"{}") -> None:
        self.heads: list[list[str]] = []
        self.bodies: list[bytes] = []
        self._answer = answer(body)

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            self.heads.append([line.decode() for line in head])
            self.bodies.append(body)
            writer.write(self._answer)

    @property
    def headers(self) -> list[dict[str, str]]:
        return [dict(line.split(": ", 1) for line in head[1:]) for head in self.heads]

    @property
    def lines(self) -> list[str]:
        return [head[0] for head in self.heads]


def client_of(  # noqa: PLR0913 (what a client is made of)
    caller: Caller,
    port: int,
    dns: Callable[[str, int], Awaitable[Sequence[str]]] | None = None,
    *,
    key: Key | None = None,
    scheme: str = "http",
    path: str = "/",
) -> BotClient:
    url = f"{scheme}://{NAME}:{port}{path}"
    return BotClient(caller, url, key, allow_private=True, lookup=dns or Dns(HOST))


async def sent(client: BotClient, limit: float = LONG, letter: str = "x-1") -> tuple[str | bytes, float]:
    """The body of what came, or the code of the fault; and after how many seconds in all."""
    begun = client.clock()
    outcome = await asyncio.wait_for(client.sent(Letter("ask", letter, b"{}", limit)), LONG)
    total = client.clock() - begun
    if isinstance(outcome, Reply):
        return outcome.body, total
    if isinstance(outcome, Fault):
        return outcome.code, total
    raise outcome


async def outcome(client: BotClient, limit: float = LONG) -> str | bytes:
    return (await sent(client, limit))[0]


# Where it is


async def test_a_name_is_looked_up_once_and_its_address_used_for_all_calls() -> None:
    dns = Dns(HOST, ELSEWHERE)
    async with bot(Requests()) as target, Caller() as caller:
        client = client_of(caller, target.port, dns)
        assert await asyncio.gather(*(outcome(client) for _ in range(20))) == 20 * [b"{}"]
        assert [await outcome(client) for _ in range(5)] == 5 * [b"{}"]
    assert dns.asked == [NAME]


async def test_the_connection_goes_to_the_address_and_the_request_to_the_name() -> None:
    here, there = Requests(), Requests()
    async with bot(here) as one, bot(there, host=ELSEWHERE) as other, Caller() as caller:
        assert await outcome(client_of(caller, one.port, path="/my/bot")) == b"{}"
        assert await outcome(client_of(caller, other.port, Dns(ELSEWHERE))) == b"{}"
    assert (here.lines, there.lines) == (["POST /my/bot/ask HTTP/1.1"], ["POST /ask HTTP/1.1"])
    assert here.headers[0]["Host"] == f"{NAME}:{one.port}"
    assert there.headers[0]["Host"] == f"{NAME}:{other.port}"


async def test_tls_is_for_the_name_too() -> None:
    names: list[str | None] = []
    context = serving(NAME)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    here = Requests()
    async with bot(here, context) as target, Caller(tls=trusting(NAME)) as caller:
        assert await outcome(client_of(caller, target.port, scheme="https")) == b"{}"
    assert (names, here.headers[0]["Host"]) == ([NAME], f"{NAME}:{target.port}")


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_query_of_the_address_stays_at_its_end(scheme: str) -> None:
    here = Requests()
    context, trusted = (serving(NAME), trusting(NAME)) if scheme == "https" else (None, None)
    async with bot(here, context) as target, Caller(tls=trusted) as caller:
        await outcome(client_of(caller, target.port, scheme=scheme, path="/play/?level=3"))
    assert here.lines == ["POST /play/ask?level=3 HTTP/1.1"]


async def test_a_name_that_leads_inside_later_is_never_followed() -> None:
    """Rebinding: what was checked is what is called, however soon DNS changes its mind."""
    inside = Requests()
    dns = Dns("127.0.0.3", HOST)
    async with bot(inside) as target, Caller() as caller:
        client = client_of(caller, target.port, dns)
        assert {await outcome(client) for _ in range(5)} == {"refused"}
    assert (inside.lines, dns.asked) == ([], [NAME])


@pytest.mark.parametrize("answers", ["169.254.169.254", f"{HOST} 169.254.169.254", "::ffff:127.0.0.1", ""])
async def test_a_name_that_leads_astray_when_it_is_looked_up_again_is_condemned(answers: str) -> None:
    clock, dns, here = Later(), Dns(HOST, answers), Requests()
    async with bot(here) as target, Caller(clock) as caller:
        client = client_of(caller, target.port, dns)
        assert await outcome(client) == b"{}"
        clock.skipped += FRESH + 1
        assert await outcome(client) == b"{}"  # to the address that was checked, while the name is looked up
        assert await outcome(client) == "bad-address"
        assert await outcome(client) == "bad-address"
    assert len(here.lines) == 2


async def test_a_name_may_move() -> None:
    clock = Later()
    async with bot(Requests(b"[1]")) as target, Caller(clock) as caller:
        client = client_of(caller, target.port, Dns(HOST, ELSEWHERE))
        assert await outcome(client) == b"[1]"
        clock.skipped += FRESH + 1
        assert await outcome(client) == b"[1]"
        assert await outcome(client) == "refused"


async def test_a_name_that_was_not_found_is_looked_up_for_the_next_call() -> None:
    dns = Dns("", HOST)
    async with bot(Requests()) as target, Caller() as caller:
        client = client_of(caller, target.port, dns)
        assert [await outcome(client) for _ in range(3)] == ["bad-address", b"{}", b"{}"]
    assert len(dns.asked) == 2


async def test_silence_of_dns_is_no_fault_of_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_arena.bots.push_client.PATIENCE", 0.1)

    async def silence(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    async def refusal(_host: str, _port: int) -> Sequence[str]:
        raise LookupFailed("our resolver does not answer")

    async with Caller() as caller:
        for lookup in (silence, refusal):
            client = client_of(caller, nobody(), lookup)
            found = await asyncio.gather(*(sent(client) for _ in range(3)), return_exceptions=True)
            assert [type(one) for one in found] == 3 * [LookupFailed]


async def test_the_time_of_a_call_begins_when_the_name_is_known() -> None:
    clock = Later()

    async def slow(_host: str, _port: int) -> Sequence[str]:
        clock.skipped += 10
        return [HOST]

    async with bot(Requests()) as target, Caller(clock) as caller:
        assert await outcome(client_of(caller, target.port, slow), limit=5) == b"{}"


async def test_silence_of_dns_does_not_lose_a_bot_that_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("splito_arena.bots.push_client.PATIENCE", 0.01)
    clock, given_up = Later(), asyncio.Event()

    async def lookup(_host: str, _port: int) -> Sequence[str]:
        try:
            if clock.skipped:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            given_up.set()
            raise
        return [HOST]

    async with bot(Requests()) as target, Caller(clock) as caller:
        client = client_of(caller, target.port, lookup)
        assert await outcome(client) == b"{}"
        clock.skipped += FRESH + 1
        assert await outcome(client) == b"{}"
        await asyncio.wait_for(given_up.wait(), LONG)
        assert [await outcome(client) for _ in range(5)] == 5 * [b"{}"]


async def test_whoever_waits_hears_of_trouble_of_our_own() -> None:
    async def broken(_host: str, _port: int) -> Sequence[str]:
        raise RuntimeError("cannot start a thread")

    async with bot(Requests()) as target, Caller() as caller:
        with pytest.raises(RuntimeError, match="thread"):
            await sent(client_of(caller, target.port, broken))
        with pytest.raises(Exception, match="malformed"):
            await sent(client_of(caller, target.port, key=Key(new_secret())), letter="no.dots.in.ids")


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.0x1", "0"),
        *("user@127.0.0.1", "bot.example@127.0.0.1", "bot.example:80@127.0.0.1", "%31%32%37.0.0.1", "①②⑦.0.0.1"),
        *("[fe80::1%25eth0]", "127.0.0.1#.bot.example", "127.0.0.1\\.bot.example", "bot.example\r\nX: y"),
    ],
)
async def test_an_address_in_disguise_is_refused_before_anybody_is_called(host: str) -> None:
    async with Caller() as caller:
        for allow_private in (False, True):
            with pytest.raises(BadAddress):
                BotClient(caller, f"http://{host}/", None, allow_private)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "10.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "localhost"],
)
async def test_an_address_inside_is_not_called(host: str) -> None:
    here = Requests()
    async with bot(here), Caller() as caller:
        assert await outcome(BotClient(caller, f"http://{host}/", None, allow_private=False)) == "bad-address"
    assert here.lines == []


@pytest.mark.parametrize("host", ["[::ffff:127.0.0.1]", "169.254.169.254", "0.0.0.0", "[fd00:ec2::254]"])  # noqa: S104
async def test_some_addresses_are_not_called_in_development_either(host: str) -> None:
    async with Caller() as caller:
        assert await outcome(BotClient(caller, f"http://{host}:8080/", None, allow_private=True)) == "bad-address"


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(code: int) -> None:
    inside = Requests()
    async with bot(inside) as secret, Caller() as caller:
        line = f"HTTP/1.1 {code} Go\r\nLocation: http://{HOST}:{secret.port}/\r\nContent-Length: 0\r\n\r\n"
        async with bot(says(line.encode())) as target:
            assert await outcome(client_of(caller, target.port)) == "redirect"
    assert inside.lines == []


# Who calls


async def test_what_is_sent_is_signed_with_all_secrets_of_the_bot() -> None:
    old, new = new_secret(), new_secret()
    here = Requests()
    async with bot(here) as target, Caller() as caller:
        await sent(client_of(caller, target.port, key=Key(old).rotated(new)), letter="m-0-1-1")
    [headers], [body] = here.headers, here.bodies
    for secret in (old, new):
        assert verify([secret], headers, body, time.time()) == "m-0-1-1"
        assert standardwebhooks.Webhook(secret).verify(body, headers) == {}
    with pytest.raises(WrongSignature):
        verify([new_secret()], headers, body, time.time())
    with pytest.raises(WrongSignature):
        verify([new], headers, body + b" ", time.time())


async def test_a_bot_without_a_secret_gets_no_signature() -> None:
    here = Requests()
    async with bot(here) as target, Caller() as caller:
        await sent(client_of(caller, target.port))
    assert not any(name.startswith("webhook") for name in here.headers[0])


async def test_a_notice_is_signed_with_an_id_of_its_own_and_whatever_comes_of_it_is_nothing() -> None:
    here, secret = Requests(b"nonsense"), new_secret()
    async with bot(here) as target, Caller() as caller:
        client = client_of(caller, target.port, key=Key(secret))
        for _ in range(3):
            client.tell("start", b'{"match":"m"}')
            await outcome(client)
        client_of(caller, nobody()).tell("end", b"{}")
    notices = [n for n, line in enumerate(here.lines) if line == "POST /start HTTP/1.1"]
    ids = {verify([secret], here.headers[n], here.bodies[n], time.time()) for n in notices}
    assert len(ids) == len(notices) == 3


async def test_info_is_asked_for_with_get() -> None:
    here = Requests(json.dumps({"name": "Ada", "author": "Grace", "version": "3", "games": ["splito"]}).encode())
    secret = new_secret()
    async with bot(here) as target, Caller() as caller:
        info = await client_of(caller, target.port, key=Key(secret), path="/bot").info()
    assert (info.name, info.batch, info.concurrency, info.notices) == ("Ada", 0, 1, False)
    assert here.lines == ["GET /bot/info HTTP/1.1"]
    assert verify([secret], here.headers[0], b"", time.time()) == here.headers[0][ID]


BAD_INFO: dict[str, tuple[dict[str, Any], str]] = {
    "no name": ({"name": ""}, "wrong-schema"),
    "a name for the terminal": ({"name": "\x1b[2J"}, "wrong-schema"),
    "a name of two lines": ({"name": "Ada\nGrace"}, "wrong-schema"),
    "a long name": ({"name": 65 * "x"}, "wrong-schema"),
    "no games": ({"games": []}, "wrong-schema"),
    "another contract": ({"contract": 2}, "wrong-schema"),
    "more at once than one may want": ({"concurrency": 10_000}, "wrong-schema"),
    "nothing at once": ({"concurrency": 0}, "wrong-schema"),
    "large batches": ({"batch": 65}, "wrong-schema"),
    "more to tell": ({"elo": 3000}, "wrong-schema"),
}


@pytest.mark.parametrize("name", BAD_INFO)
async def test_bad_info_is_a_fault(name: str) -> None:
    change, code = BAD_INFO[name]
    here = Requests(
        json.dumps({"name": "Ada", "author": "Grace", "version": "3", "games": ["splito"], **change}).encode()
    )
    async with bot(here) as target, Caller() as caller:
        with pytest.raises(Fault) as caught:
            await client_of(caller, target.port).info()
    assert caught.value.code == code


# Whose it is


def proving(secret: str) -> Serve:
    """Proves that it knows the secret, if the challenge was signed with it."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, body = await read_request(reader)
        headers = dict(line.decode().split(": ", 1) for line in head[1:])
        challenge = standardwebhooks.Webhook(secret).verify(body, headers)
        said = {"answer": proof(secret, challenge["challenge"])}
        writer.write(answer(json.dumps(said).encode()))

    return serve


async def proves(serve: Serve, key: Key) -> str | None:
    """The code of the fault, if there is one."""
    async with bot(serve) as target, Caller() as caller:
        try:
            await client_of(caller, target.port, key=key).prove()
        except Fault as fault:
            return fault.code
    return None


async def test_who_knows_the_secret_proves_it() -> None:
    old, new = new_secret(), new_secret()
    assert await proves(proving(old), Key(old)) is None
    assert await proves(proving(old), Key(old).rotated(new)) is None
    assert await proves(proving(new), Key(old).rotated(new)) is None


async def test_the_proof_is_the_one_of_the_contract() -> None:
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
    assert proof(secret, "hello") == "wR5u6fQZUvx7ZrpxoNvalf/EtYO61J7tWM0cTK9e6o8="


def answering(make: Callable[[str], object]) -> Serve:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, body = await read_request(reader)
        writer.write(answer(json.dumps(make(json.loads(body)["challenge"])).encode()))

    return serve


async def test_who_does_not_know_the_secret_proves_nothing() -> None:
    key, settled = Key(new_secret()), Key(new_secret()).rotated(new_secret()).settled()
    wrong = new_secret()
    assert await proves(answering(lambda challenge: {"answer": proof(wrong, challenge)}), key) == "wrong-schema"
    assert (
        await proves(answering(lambda challenge: {"answer": proof(key.current, challenge)}), settled) == "wrong-schema"
    )
    assert await proves(answering(lambda _: {"answer": proof(key.current, "an older one")}), key) == "wrong-schema"
    assert await proves(answering(lambda challenge: {"answer": challenge}), key) == "wrong-schema"
    assert await proves(answering(lambda _: {"answer": "ÄÖÜ"}), key) == "wrong-schema"
    assert await proves(answering(lambda _: {}), key) == "wrong-schema"


async def test_who_does_not_answer_proves_nothing() -> None:
    async with bot(says(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")) as target, Caller() as caller:
        with pytest.raises(Fault) as caught:
            await client_of(caller, target.port, key=Key(new_secret())).prove()
    assert caught.value.code == "bad-status"


async def test_without_a_secret_there_is_nothing_to_prove() -> None:
    async with Caller() as caller:
        with pytest.raises(ValueError, match="secret"):
            await client_of(caller, nobody()).prove()
