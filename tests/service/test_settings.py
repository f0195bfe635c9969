"""Settings come from the environment, and nothing in it is overlooked."""

from pathlib import Path

import msgspec
import pytest
from platformdirs import user_data_path

from splito_engine.errors import BadSetting
from splito_service.http.app import create_app
from splito_service.redis_address import masked, read_redis_address
from splito_service.settings import TABLE, Settings, describe, read_settings
from splito_service.storage.connect import connect

URLS = [
    "redis://localhost",
    "redis://localhost:6379/0",
    "rediss://me:secret@redis.example:6380/1?ssl_cert_reqs=none",
    "redis://[::1]:6379",
    "redis://[fe80::1%eth0]:6379",
    "redis://redis_1.private:6379/0/",
    "redis://me:p,:@ss@127.0.0.1:1",
    "unix:///run/redis.sock",
    "unix://me:secret@/run/redis.sock?db=1",
    "redis+sentinel://one/first",
    "redis+sentinel://me:secret@one:26379,two,[::1]:26380/first/1?sentinel_username=me&sentinel_password=secret",
]

BAD = [
    ("SPLITO_REDIS", "redis://localhost"),
    ("SPLITO_redis_url", "redis://localhost"),
    ("SPLITO_", ""),
    ("SPLITO_DURABILITY", "never"),
    ("SPLITO_DURABILITY", ""),
    ("SPLITO_DATA", ""),
    ("SPLITO_DATA", "~nobody-of-that-name/x"),
    ("SPLITO_REDIS_URL", ""),
    ("SPLITO_REDIS_URL", "localhost:6379"),
    ("SPLITO_REDIS_URL", "http://localhost"),
    ("SPLITO_REDIS_URL", "redis://"),
    ("SPLITO_REDIS_URL", "redis://localhost:port"),
    ("SPLITO_REDIS_URL", "redis://localhost:0"),
    ("SPLITO_REDIS_URL", "redis://localhost/first"),
    ("SPLITO_REDIS_URL", "redis://[::1"),
    ("SPLITO_REDIS_URL", "redis://[::1]x:6379"),
    ("SPLITO_REDIS_URL", "redis://x[::1]:6379"),
    ("SPLITO_REDIS_URL", "redis://[v1.x]:6379"),
    ("SPLITO_REDIS_URL", "redis://[1.2.3.4]:6379"),
    ("SPLITO_REDIS_URL", "redis://[redis]:6379"),
    ("SPLITO_REDIS_URL", "redis://[fe80::1%]:6379"),
    ("SPLITO_REDIS_URL", "redis://::1"),
    ("SPLITO_REDIS_URL", "redis://a b"),
    ("SPLITO_REDIS_URL", "redis://a\tb"),
    ("SPLITO_REDIS_URL", "redis://h\n"),
    ("SPLITO_REDIS_URL", "redis://h/0\n"),
    ("SPLITO_REDIS_URL", " redis://h"),
    ("SPLITO_REDIS_URL", "redis://h%2f"),
    ("SPLITO_REDIS_URL", "redis://h\uff03x"),
    ("SPLITO_REDIS_URL", "redis://h,i"),
    ("SPLITO_REDIS_URL", "redis://h:65536"),
    ("SPLITO_REDIS_URL", "redis://h:\uff11"),
    ("SPLITO_REDIS_URL", "redis://h/\u0661"),
    ("SPLITO_REDIS_URL", "unix://"),
    ("SPLITO_REDIS_URL", "unix://h/run/redis.sock"),
    ("SPLITO_REDIS_URL", "redis+sentinel:///first"),
    ("SPLITO_REDIS_URL", "redis+sentinel://one:26379"),
    ("SPLITO_REDIS_URL", "redis+sentinel://one:26379//1"),
    ("SPLITO_REDIS_URL", "redis+sentinel://one,/first"),
    ("SPLITO_REDIS_URL", "redis+sentinel://one:0/first"),
    ("SPLITO_REDIS_URL", "redis+sentinel://one:port/first"),
    ("SPLITO_REDIS_URL", "redis+sentinel://one/first/second"),
]

WITH_BARE_SIGNS = [
    "redis://me:secret/12@h",
    "redis://me:12/secret@h",
    "redis://me:12#secret@h",
    "redis://me:1?secret@h",
    "redis://me:1[secret]@h",
    "redis://me:1]secret@h",
    "redis://me:1\u00e4secret@h",
    "redis://me:1 secret@h",
    "redis+sentinel://me:12/secret@one,two/first",
    "redis+sentinel://me:1/2/secret@one,two/first",
    "redis+sentinel://me:12#secret@one,two/first",
    "redis+sentinel://me:1?secret@one,two/first",
]


def test_without_variables_every_setting_has_its_default() -> None:
    assert read_settings({"PATH": "/bin", "splito_data": "/x"}) == Settings(
        redis_url=None, data=user_data_path("splito-arena", appauthor=False), durability="everysec"
    )


def test_each_setting_is_read_from_its_variable() -> None:
    environ = {"SPLITO_REDIS_URL": "unix:///run/r", "SPLITO_DATA": "/srv/splito", "SPLITO_DURABILITY": "always"}
    assert read_settings(environ) == Settings(redis_url="unix:///run/r", data=Path("/srv/splito"), durability="always")


def test_the_data_folder_is_absolute() -> None:
    assert read_settings({"SPLITO_DATA": "here"}).data == Path.cwd() / "here"
    assert read_settings({"SPLITO_DATA": "~/here"}).data == Path.home() / "here"


@pytest.mark.parametrize("url", URLS)
def test_valid_addresses_of_redis_are_accepted(url: str) -> None:
    assert read_settings({"SPLITO_REDIS_URL": url}).redis_url == url


@pytest.mark.parametrize("url", [url for url in URLS if url.startswith("redis")])
def test_redis_py_connects_to_the_host_and_port_of_the_address(url: str) -> None:
    address = read_redis_address(url)
    options = connect(url).connection_pool.connection_kwargs
    if not address.has_sentinels:
        assert (options["host"], options.get("port", 6379)) == address.places[0]
    assert options.get("password") == (address.user.partition(":")[2] or None)


def test_a_sentinel_without_a_port_has_port_26379() -> None:
    address = read_redis_address("redis+sentinel://one,[::1]:7,two:26380/first/1")
    assert address.places == (("one", 26379), ("::1", 7), ("two", 26380))
    assert (address.master, address.server_url) == ("first", "redis:///1?")


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_wrong_setting_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name) as caught:
        read_settings({"SPLITO_DATA": "/srv/splito", name: value})
    assert caught.value.field == name


@pytest.mark.parametrize("url", WITH_BARE_SIGNS)
def test_an_error_about_the_address_does_not_show_the_password(url: str) -> None:
    with pytest.raises(BadSetting, match="percent-encoded") as caught:
        read_settings({"SPLITO_REDIS_URL": url})
    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://localhost:6379/0", "redis://localhost:6379/0"),
        ("redis://:secret@h:1", "redis://:***@h:1"),
        ("rediss://me:sec:r@et@h/0?ssl_password=secret&x=/y", "rediss://me:***@h/0?ssl_password=***&x=/y"),
        ("unix:///run/r", "unix:///run/r"),
        ("unix://me@/run/r?db=1&password=secret", "unix://me@/run/r?db=1&password=***"),
        (
            "redis+sentinel://me:secret@one:1,two/first/0?sentinel_username=us&sentinel_password=secret",
            "redis+sentinel://me:***@one:1,two/first/0?sentinel_username=us&sentinel_password=***",
        ),
    ],
)
def test_passwords_of_addresses_are_masked(url: str, shown: str) -> None:
    assert masked(url) == shown
    assert describe(Settings(redis_url=url))[0].value == shown


def test_organisers_are_ids_of_owners_or_an_asterisk() -> None:
    one, other = "0" * 24, "v" * 24
    settings = read_settings({"SPLITO_ORGANISERS": f"{one}, {other}"})
    assert settings.organisers == (one, other)
    assert {line.name: line.value for line in describe(settings)}["SPLITO_ORGANISERS"] == f"{one},{other}"
    assert read_settings({}).organisers == read_settings({"SPLITO_ORGANISERS": ""}).organisers == ()
    assert read_settings({"SPLITO_ORGANISERS": "*"}).organisers == ("*",)
    with pytest.raises(BadSetting, match="ids of owners"):
        read_settings({"SPLITO_ORGANISERS": "Ada"})
    with pytest.raises(BadSetting, match="ids of owners"):
        read_settings({"SPLITO_ORGANISERS": f"*,{one}"})


def test_development_mode_changes_only_settings_that_are_not_set() -> None:
    mode = read_settings({"SPLITO_DEV": "1"})
    assert (mode.organisers, mode.allow_private_bots, mode.health_seconds) == (("*",), True, 5)
    said = {"SPLITO_ORGANISERS": "", "SPLITO_ALLOW_PRIVATE_BOTS": "0", "SPLITO_HEALTH_SECONDS": "60"}
    strict = read_settings({"SPLITO_DEV": "1", **said})
    assert (strict.organisers, strict.allow_private_bots, strict.health_seconds) == ((), False, 60)
    off = read_settings({"SPLITO_DEV": "0"})
    assert (off.organisers, off.allow_private_bots) == ((), False)


@pytest.mark.parametrize("place", ["192.0.2.1", "192.0.2.1:5353", "2001:db8::1", "[2001:db8::1]:53"])
def test_name_servers_are_ip_addresses_with_or_without_a_port(place: str) -> None:
    assert read_settings({"SPLITO_NAMESERVERS": f"{place}, 127.0.0.1"}).nameservers == (place, "127.0.0.1")


@pytest.mark.parametrize("place", ["dns.example", "192.0.2.1:0", "192.0.2.1:x", "192.0.2.1:70000", "192.0.2", ":53"])
def test_name_servers_that_are_not_ip_addresses_are_refused(place: str) -> None:
    with pytest.raises(BadSetting, match="IP addresses like"):
        read_settings({"SPLITO_NAMESERVERS": place})


def test_every_setting_is_described() -> None:
    assert list(TABLE) == [field.name for field in msgspec.structs.fields(Settings)]
    assert all(line.meaning.endswith(".") for line in describe(Settings()))


def test_an_app_without_a_redis_address_is_refused() -> None:
    with pytest.raises(BadSetting, match="splito serve"):
        create_app(Settings())
