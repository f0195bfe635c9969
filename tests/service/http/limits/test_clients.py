"""Limits are counted by address: the one that connected, or the one that the trusted proxies saw."""

import pytest

from splito_service.http.limits.clients import LOCAL, address_name, client_name

PEER = ("192.0.2.9", "51000")


def name(*lines: str, proxies: int = 1, client: tuple[str, str] | None = PEER) -> str:
    headers = [(b"host", b"arena"), *((b"x-forwarded-for", line.encode("latin-1")) for line in lines)]
    return client_name({"client": client, "headers": headers}, proxies)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("192.0.2.1", "192.0.2.1"),
        (" 192.0.2.1 ", "192.0.2.1"),
        ("192.0.2.1:8080", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("[::ffff:192.0.2.1]:443", "192.0.2.1"),
        ("2001:db8:0:1::7", "2001:db8:0:1::/64"),
        ("2001:DB8:0:1:ffff::", "2001:db8:0:1::/64"),
        ("[2001:db8:0:1::7]", "2001:db8:0:1::/64"),
        ("[2001:db8:0:1::7]:443", "2001:db8:0:1::/64"),
        ('"[2001:db8:0:1::7]:443"', "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
    ],
)
def test_different_spellings_of_an_address_count_as_one_client(text: str, named: str) -> None:
    assert address_name(text) == named


@pytest.mark.parametrize(
    "text", ["", "unknown", "_hidden", "192.0.2.256", "192.0.2", "1:2", "[", "[]:80", "\u0663.1.1.1"]
)
def test_an_invalid_address_has_no_client_name(text: str) -> None:
    assert address_name(text) is None


def test_without_a_proxy_x_forwarded_for_is_ignored() -> None:
    assert name("203.0.113.1", proxies=0) == "192.0.2.9"
    assert name("203.0.113.1", proxies=0, client=None) == LOCAL


def test_with_one_proxy_the_last_forwarded_address_counts() -> None:
    assert name("203.0.113.1, 198.51.100.2") == "198.51.100.2"
    assert name("203.0.113.1", "203.0.113.2, 198.51.100.2") == "198.51.100.2"
    assert name("203.0.113.2, 198.51.100.2", "198.51.100.3") == "198.51.100.3"


def test_with_several_proxies_the_address_seen_by_the_outermost_counts() -> None:
    assert name("203.0.113.1, 198.51.100.2, 10.0.0.1", proxies=2) == "198.51.100.2"
    assert name("203.0.113.1, 198.51.100.2", "10.0.0.1", proxies=2) == "198.51.100.2"
    assert name("203.0.113.1", "198.51.100.2", "10.0.0.2, 10.0.0.1", proxies=3) == "198.51.100.2"


@pytest.mark.parametrize("lines", [(), ("",), ("203.0.113.1,",), ("203.0.113.1, junk",), ("1" * 100_000,)])
def test_the_connected_address_counts_if_the_proxy_names_none(lines: tuple[str, ...]) -> None:
    assert name(*lines) == "192.0.2.9"


def test_the_connected_address_counts_if_fewer_proxies_have_written_than_configured() -> None:
    assert name("203.0.113.1", proxies=2) == "192.0.2.9"


def test_addresses_of_one_ipv6_64_prefix_count_as_one_client() -> None:
    assert name("2001:db8::1") == name("2001:db8::ffff:2") != name("2001:db8:0:1::1")
