"""The arena calls bots on the Internet, and nothing that is ours or that only looks like the Internet."""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from splito_arena.errors import BadAddress
from splito_arena.net.allowed_addresses import LONGEST_URL, Place, ask_dns, read_address, resolve

PLACE = Place(host="bot.example", port=443, tls=True, path="/")


class Dns:
    """Gives its answers in turn, the last one for ever, and counts the questions."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = answers
        self.asked = 0

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        assert (host, port) == (PLACE.host, PLACE.port)
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def connects(*answers: str, allow_private: bool = False) -> str | None:
    try:
        return asyncio.run(resolve(PLACE, allow_private, Dns(answers)))
    except BadAddress:
        return None


ACCEPTED = {
    "https://bot.example": Place("bot.example", 443, True, "/"),
    "http://bot.example": Place("bot.example", 80, False, "/"),
    "HTTPS://Bot.Example/Play": Place("bot.example", 443, True, "/Play"),
    "http://bot.example:8080/play?level=3&x=a%20b": Place("bot.example", 8080, False, "/play?level=3&x=a%20b"),
    "https://bot.example?level=3": Place("bot.example", 443, True, "/?level=3"),
    "https://bot.example//twice": Place("bot.example", 443, True, "//twice"),
    "https://bot.example/@me:1": Place("bot.example", 443, True, "/@me:1"),
    "https://bot.example./": Place("bot.example", 443, True, "/"),
    "https://v1--bot.example/": Place("v1--bot.example", 443, True, "/"),
    "https://bücher.example/": Place("xn--bcher-kva.example", 443, True, "/"),
    "https://faß.example/": Place("xn--fa-hia.example", 443, True, "/"),
    "https://bot。example/": Place("bot.example", 443, True, "/"),
    "http://localhost:3000/": Place("localhost", 3000, False, "/"),
    "http://8.8.8.8:8999/": Place("8.8.8.8", 8999, False, "/"),
    "http://8.8.8.8./": Place("8.8.8.8", 80, False, "/"),
    "http://[2606:4700:0::1111]:3999/": Place("2606:4700::1111", 3999, False, "/"),
}

REFUSED = {
    "": "https://host/path",
    "bot.example": "https://host/path",
    "//bot.example/": "https://host/path",
    "https:bot.example": "https://host/path",
    "https:///path": "https://host/path",
    "https://:443/": "https://host/path",
    "ftp://bot.example/": "https://host/path",
    "file:///etc/passwd": "https://host/path",
    "gopher://bot.example/": "https://host/path",
    "https://bot.example:/": "https://host/path",
    "https://bot.example:0443/": "https://host/path",
    "https://bot.example:443:80/": "https://host/path",
    "https://bot.example:４４３/": "https://host/path",  # noqa: RUF001
    "https://bot.example/grün": "plain characters",
    "https://bot.example/%zz": "plain characters",
    'https://bot.example/"': "plain characters",
    "https://good@evil.example/": "name and password",
    "https://good:secret@evil.example/": "name and password",
    "https://@evil.example/": "name and password",
    "https://bot.example/#top": "fragment",
    "https://evil.example#@bot.example/": "fragment",
    "https://bot.example\\@evil.example/": "backslashes",
    "https:\\\\bot.example/": "backslashes",
    "https://bot.example/a b": "spaces",
    " https://bot.example/": "spaces",
    "https://bot.example/\r\nHost: evil": "line breaks",
    "https://bot.example/\n": "line breaks",
    "https://bot.exa\tmple/": "spaces",
    "https://bot.example/\x00": "control characters",
    "https://bot\u00ad.example/": "invisible",
    "https://bot\u200b.example/": "invisible",
    "https://%31%32%37.0.0.1/": "percent",
    "https://bot%2eexample/": "percent",
    "https://[fe80::1%25eth0]/": "zone",
    "https://[fe80::1%eth0]/": "zone",
    "https://bot.example:22/": "port 22",
    "https://bot.example:6379/": "port 6379",
    "https://bot.example:99999/": "port 99999",
    "http://2130706433/": "four decimal numbers",
    "http://0x7f000001/": "four decimal numbers",
    "http://0X7F.1/": "four decimal numbers",
    "http://0177.0.0.1/": "four decimal numbers",
    "http://127.1/": "four decimal numbers",
    "http://127.0.1/": "four decimal numbers",
    "http://0/": "four decimal numbers",
    "http://1.2.3.4.5/": "four decimal numbers",
    "http://8.8.8.256/": "four decimal numbers",
    "http://127.0.0.0x1/": "four decimal numbers",
    "http://8.8.8.08/": "four decimal numbers",
    "http://１２７.0.0.1/": "four decimal numbers",  # noqa: RUF001
    "http://①②⑦.0.0.1/": "four decimal numbers",
    "http://127。0。0。1/": "four decimal numbers",
    "http://[::1/": "https://host/path",
    "http://::1/": "https://host/path",
    "http://[::1]x/": "https://host/path",
    "http://[v1.a]/": "https://host/path",
    "http://[1.2.3.4.5]/": "IPv6 in brackets",
    "http://[:::]/": "IPv6 in brackets",
    "https://bot..example/": "host name",
    "https://bot.example../": "host name",
    "https://.bot.example/": "host name",
    "https://./": "host name",
    "https://-bot.example/": "host name",
    "https://bot-.example/": "host name",
    "https://my_bot.example/": "host name",
    "https://bot.example,evil.example/": "host name",
    f"https://{'a' * 64}.example/": "host name",
    f"https://{'a.' * 127}example/": "host name",
    "https://bot.example／evil/": "host name",  # noqa: RUF001
    "https://a℀b.example/": "host name",
    f"https://bot.example/{'a' * LONGEST_URL}": f"at most {LONGEST_URL}",
}

PUBLIC = ("8.8.8.8", "1.1.1.1", "223.255.255.254", "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808")

DEVELOPMENT = ("127.0.0.1", "127.255.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "::1", "fd12::1")

NEVER = (
    *("0.0.0.0", "0.1.2.3", "255.255.255.255", "240.0.0.1", "224.0.0.1", "239.1.2.3", "::", "ff02::1", "ff0e::1"),  # noqa: S104
    *("169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "fec0::1", "fd00:ec2::254", "fd20:ce::254"),
    *("168.63.129.16", "100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1", "198.19.255.255"),
    *("192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "2001:db8::1", "3fff::1", "100::1", "5f00::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::10.0.0.1"),
    *("2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::", "2001:0:7f00:1::80ff:fffe", "2001::f5ff:fffe"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::a00:1", "64:ff9b:1::808:808", "::ffff:0:127.0.0.1"),
    *("2606:4700::1111%eth0", "bot.example", "2130706433", ""),
)


@pytest.mark.parametrize("url", ACCEPTED)
def test_a_plain_url_is_accepted(url: str) -> None:
    assert read_address(url) == ACCEPTED[url]


@pytest.mark.parametrize("url", REFUSED)
def test_an_ambiguous_url_is_refused_with_advice(url: str) -> None:
    with pytest.raises(BadAddress) as caught:
        read_address(url)
    assert REFUSED[url] in caught.value.message
    assert (caught.value.code, caught.value.field) == ("bad-address", "url")


@given(st.text(alphabet="htps:/[]@#?%.\\0x7f1-a ①。", max_size=30))
def test_an_accepted_url_has_an_unambiguous_host(rest: str) -> None:
    try:
        place = read_address("http://" + rest)
    except BadAddress:
        return
    assert place.host.isascii()
    assert not {*place.host} & {*"/[]@#?%\\ "}
    assert not place.host.replace(".", "").isdigit() or str(ip_address(place.host)) == place.host


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_called(address: str) -> None:
    assert connects(address) == address


@pytest.mark.parametrize("address", DEVELOPMENT)
def test_a_private_address_is_called_in_development_only(address: str) -> None:
    assert connects(address) is None
    assert connects(address, allow_private=True) == address


@pytest.mark.parametrize("address", NEVER)
def test_metadata_and_other_special_addresses_are_never_called(address: str) -> None:
    assert connects(address) is None
    assert connects(address, allow_private=True) is None


@pytest.mark.parametrize("said", [True, False])
def test_the_public_addresses_do_not_depend_on_the_version_of_python(
    monkeypatch: pytest.MonkeyPatch, said: bool
) -> None:
    """`is_global` and `is_private` changed in 3.11.4, 3.12.4 and 3.13; whatever they say must not matter."""
    for kind in (IPv4Address, IPv6Address):
        monkeypatch.setattr(kind, "is_global", said)
        monkeypatch.setattr(kind, "is_private", said)
    assert all(connects(address) for address in PUBLIC)
    assert not any(connects(address) for address in (*DEVELOPMENT, *NEVER))


def test_a_name_with_one_forbidden_address_is_refused() -> None:
    assert connects("8.8.8.8", "1.1.1.1") == "8.8.8.8"
    assert connects("8.8.8.8", "10.0.0.1") is None
    assert connects("10.0.0.1", "169.254.169.254", allow_private=True) is None


def test_a_name_without_an_address_is_refused_in_the_words_for_an_internal_one() -> None:
    async def nobody(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    said: set[str] = set()
    for lookup in (nobody, Dns(()), Dns(["10.0.0.1"])):
        with pytest.raises(BadAddress, match="all the Internet can reach") as caught:
            asyncio.run(resolve(PLACE, False, lookup))
        said.add(caught.value.message)
    assert len(said) == 1


def test_a_name_is_looked_up_only_once() -> None:
    rebinding = Dns(["8.8.8.8"], ["127.0.0.1"])
    assert asyncio.run(resolve(PLACE, False, rebinding)) == "8.8.8.8"
    assert rebinding.asked == 1


@pytest.mark.parametrize(("url", "ip"), [("http://8.8.8.8/", "8.8.8.8"), ("http://[2a00::1]/", "2a00::1")])
def test_an_ip_address_is_called_without_a_look_up(url: str, ip: str) -> None:
    unasked = Dns(["127.0.0.1"])
    assert asyncio.run(resolve(read_address(url), False, unasked)) == ip
    assert unasked.asked == 0


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://[::1]/", "http://[::ffff:10.0.0.1]/"])
def test_a_private_ip_address_is_refused_without_a_look_up(url: str) -> None:
    with pytest.raises(BadAddress):
        asyncio.run(resolve(read_address(url), False, Dns(["8.8.8.8"])))


def test_the_resolver_of_the_machine_knows_localhost() -> None:
    found = asyncio.run(ask_dns("localhost", 80))
    assert {*found} <= {"127.0.0.1", "::1"}
    assert asyncio.run(resolve(read_address("http://localhost/"), True)) in found


def embedded(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    if isinstance(address, IPv4Address):
        return []
    last = IPv4Address(address.packed[-4:])
    upper = int(address) >> 32
    wrapped = [last] if upper in {0, 0xFFFF, 0x64FF9B << 64} else []
    return [one for one in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ()), *wrapped) if one]


def wrap(address: IPv4Address, form: str) -> IPv6Address:
    """The IPv4 address where `form` says X, as it is, or turned round as Teredo has it where it says Y."""
    number = int(address)
    groups = {"X": number, "Y": number ^ 0xFFFFFFFF}
    letter = "X" if "X" in form else "Y"
    return IPv6Address(form.replace(letter, f"{groups[letter] >> 16:x}:{groups[letter] & 0xFFFF:x}"))


WRAPPED = st.builds(
    wrap,
    st.ip_addresses(v=4),
    st.sampled_from(["::X", "::ffff:X", "::ffff:0:X", "64:ff9b::X", "64:ff9b:1::X", "2002:X::1", "2001:0:808:808::Y"]),
)


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6) | WRAPPED)
@example(IPv6Address("64:ff9b::7f00:1"))
def test_an_address_with_an_embedded_ipv4_address_is_called_only_if_both_are_public(
    address: IPv4Address | IPv6Address,
) -> None:
    if connects(str(address)) is not None:
        assert all(one.is_global and not one.is_multicast for one in (address, *embedded(address)))
