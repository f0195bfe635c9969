"""Names of push bots are looked up once, checked, and looked up again when they change."""

import asyncio
from collections.abc import Sequence

import pytest

from splito_arena.bots.push_client import FRESH, BotClient
from splito_arena.errors import BadAddress, LookupFailed
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key, new_secret
from tests.arena.bots.push_client.clients import Dns, Requests, client_of, outcome, sent
from tests.arena.net.servers import (
    HOST,
    LONG,
    NAME,
    Later,
    bot,
    nobody,
    says,
    serving,
    trusting,
)

pytestmark = pytest.mark.anyio

ELSEWHERE = "127.0.0.2"


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


async def test_the_certificate_is_checked_for_the_name_and_not_for_the_address() -> None:
    names: list[str | None] = []
    context = serving(NAME)
    context.sni_callback = lambda _socket, name, _context: names.append(name)
    here = Requests()
    async with bot(here, context) as target, Caller(tls=trusting(NAME)) as caller:
        assert await outcome(client_of(caller, target.port, scheme="https")) == b"{}"
    assert (names, here.headers[0]["Host"]) == ([NAME], f"{NAME}:{target.port}")


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_the_query_of_a_bot_url_stays_behind_the_path(scheme: str) -> None:
    here = Requests()
    context, trusted = (serving(NAME), trusting(NAME)) if scheme == "https" else (None, None)
    async with bot(here, context) as target, Caller(tls=trusted) as caller:
        await outcome(client_of(caller, target.port, scheme=scheme, path="/play/?level=3"))
    assert here.lines == ["POST /play/ask?level=3 HTTP/1.1"]


async def test_a_name_that_later_leads_to_an_inner_address_is_never_called_there() -> None:
    """Rebinding: what was checked is what is called, however soon DNS changes its mind."""
    inside = Requests()
    dns = Dns("127.0.0.3", HOST)
    async with bot(inside) as target, Caller() as caller:
        client = client_of(caller, target.port, dns)
        assert {await outcome(client) for _ in range(5)} == {"refused"}
    assert (inside.lines, dns.asked) == ([], [NAME])


@pytest.mark.parametrize("answers", ["169.254.169.254", f"{HOST} 169.254.169.254", "::ffff:127.0.0.1", ""])
async def test_a_name_that_leads_to_a_forbidden_address_later_is_the_fault_bad_address(answers: str) -> None:
    clock, dns, here = Later(), Dns(HOST, answers), Requests()
    async with bot(here) as target, Caller(clock) as caller:
        client = client_of(caller, target.port, dns)
        assert await outcome(client) == b"{}"
        clock.skipped += FRESH + 1
        assert await outcome(client) == b"{}"  # to the address that was checked, while the name is looked up
        assert await outcome(client) == "bad-address"
        assert await outcome(client) == "bad-address"
    assert len(here.lines) == 2


async def test_a_name_that_moves_to_another_allowed_address_is_called_there() -> None:
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


async def test_a_silent_name_server_is_no_fault_of_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_a_known_bot_is_called_while_the_name_server_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
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


async def test_an_error_of_the_arena_itself_reaches_the_caller() -> None:
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
async def test_an_inner_address_in_another_notation_is_refused_without_a_call(host: str) -> None:
    async with Caller() as caller:
        for allow_private in (False, True):
            with pytest.raises(BadAddress):
                BotClient(caller, f"http://{host}/", None, allow_private)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "10.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "localhost"],
)
async def test_an_inner_address_is_not_called(host: str) -> None:
    here = Requests()
    async with bot(here), Caller() as caller:
        assert await outcome(BotClient(caller, f"http://{host}/", None, allow_private=False)) == "bad-address"
    assert here.lines == []


@pytest.mark.parametrize("host", ["[::ffff:127.0.0.1]", "169.254.169.254", "0.0.0.0", "[fd00:ec2::254]"])  # noqa: S104
async def test_metadata_and_other_special_addresses_are_not_called_even_in_development(host: str) -> None:
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
