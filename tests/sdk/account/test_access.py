"""Which service and key a command uses, and that no key goes to a service that it is not for."""

from pathlib import Path

import pytest

from splito_bot.account.access import Access, Given, find_access
from splito_bot.account.address import read_address, same_address
from splito_bot.account.profiles import Profile, Profiles, SavedBot
from splito_bot.account.saved_secrets import saved_secret
from splito_bot.account.trouble import Trouble

HERE, THERE = "http://127.0.0.1:8000", "https://arena.example"
BOT = "06gpr1k08099qgdgdpas627q"


@pytest.fixture
def profiles(tmp_path: Path) -> Profiles:
    """Two profiles; the first is the default."""
    kept = Profiles(tmp_path / "splito")
    kept.put("home", Profile(HERE, "1", "Ada", "key-home"))
    kept.put("away", Profile(THERE, "2", "Ada", "key-away"))
    return kept


FOUND: dict[str, tuple[Given, dict[str, str], tuple[str, str, str | None]]] = {
    "nothing is given": (Given(), {}, (HERE, "key-home", "home")),
    "a profile by option": (Given(profile="away"), {}, (THERE, "key-away", "away")),
    "a profile by variable": (Given(), {"SPLITO_PROFILE": "away"}, (THERE, "key-away", "away")),
    "the option beats the variable": (Given(profile="home"), {"SPLITO_PROFILE": "away"}, (HERE, "key-home", "home")),
    "an address alone takes its profile": (Given(url=f"{THERE}/"), {}, (THERE, "key-away", "away")),
    "address and key": (Given(THERE, "key-other"), {}, (THERE, "key-other", None)),
    "address and the key of a profile": (Given(THERE, "key-away"), {}, (THERE, "key-away", "away")),
    "variables beat the profile": (
        Given(),
        {"SPLITO_URL": THERE, "SPLITO_KEY": "key-env"},
        (THERE, "key-env", None),
    ),
    "the old variable of connect": (Given(url=HERE), {"SPLITO_BOT_KEY": "key-old"}, (HERE, "key-old", None)),
    "options beat variables": (
        Given(HERE, "key-option"),
        {"SPLITO_URL": THERE, "SPLITO_KEY": "key-env"},
        (HERE, "key-option", None),
    ),
    "a profile beats variables": (
        Given(profile="away"),
        {"SPLITO_URL": HERE, "SPLITO_KEY": "key-env"},
        (THERE, "key-away", "away"),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_options_come_before_variables_and_variables_before_profiles(name: str, profiles: Profiles) -> None:
    given, environ, found = FOUND[name]
    assert tuple(find_access(given, environ, profiles)) == found


REFUSED: dict[str, tuple[Given, dict[str, str], str]] = {
    "a key without an address": (Given(key="key-x"), {}, "--key has a key, but no address"),
    "a key of the environment without one": (Given(), {"SPLITO_KEY": "key-x"}, "SPLITO_KEY has a key, but no address"),
    "the old variable without one": (Given(), {"SPLITO_BOT_KEY": "key-x"}, "SPLITO_BOT_KEY has a key"),
    "an address that no profile has": (Given(url="https://evil.example"), {}, "not logged in at https://evil.example"),
    "a profile and a key": (Given(key="key-x", profile="home"), {}, "--profile has an address and a key"),
    "an unknown profile": (Given(profile="nowhere"), {}, "there is no profile 'nowhere'"),
    "a profile that is a path": (Given(profile="../home"), {}, "no name of a profile"),
    "a key that is none": (Given(HERE, "key x"), {}, "this is no key"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_no_key_is_sent_to_an_address_that_it_was_not_given_with(name: str, profiles: Profiles) -> None:
    given, environ, cause = REFUSED[name]
    with pytest.raises(Trouble, match=cause) as trouble:
        find_access(given, environ, profiles)
    assert "key-x" not in f"{trouble.value.cause} {trouble.value.advice}"


def test_a_command_that_needs_no_key_has_none_at_an_unknown_address(profiles: Profiles) -> None:
    assert find_access(Given(url="https://other.example"), {}, profiles, keyless=True).key is None


def test_without_any_profile_the_next_step_is_to_log_in(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="not logged in at any arena") as trouble:
        find_access(Given(), {}, Profiles(tmp_path))
    assert "splito-bot login URL" in trouble.value.advice


def test_texts_of_profiles_and_bots_hold_no_secret(profiles: Profiles) -> None:
    access = Access(HERE, "key-home", "home")
    assert "key-home" not in f"{profiles.get('home')!r} {access!r} {access}"
    assert "whsec" not in repr(SavedBot(BOT, "owl", "push", "whsec_x"))


def test_the_default_profile_can_be_changed_and_removed(profiles: Profiles) -> None:
    assert profiles.default == "home"
    profiles.choose("away")
    assert (profiles.default, profiles.names) == ("away", ["away", "home"])
    profiles.put_bot("away", SavedBot(BOT, "owl", "push", "whsec_x"))
    profiles.remove("away")
    assert (profiles.default, profiles.names) == ("home", ["home"])
    assert not (profiles.folder / "profiles" / "away").exists()


def test_a_damaged_profile_is_named(profiles: Profiles) -> None:
    profiles.file("home").write_bytes(b"{")
    with pytest.raises(Trouble, match=r"profile\.json is damaged"):
        profiles.get("home")


def test_the_saved_secret_of_a_bot_is_found_by_its_name_or_id(profiles: Profiles) -> None:
    environ = {"XDG_CONFIG_HOME": str(profiles.folder.parent)}
    profiles.put_bot("home", SavedBot(BOT, "owl", "push", "whsec_x"))
    profiles.put_bot("home", SavedBot("1" * 24, "kite", "pull"))
    for name, bot in (("owl", None), ("my_bot", "owl"), ("my_bot", BOT)):
        found = saved_secret(name, bot, None, environ)
        assert found is not None
        assert (found.secret, found.bot.id, found.file.name) == ("whsec_x", BOT, f"{BOT}.json")
    assert saved_secret("kite", None, None, environ) is None
    assert saved_secret("owl", None, "away", environ) is None
    with pytest.raises(Trouble, match="the profile away has no secret of a bot 'owl'"):
        saved_secret("my_bot", "owl", "away", environ)


ADDRESSES = {
    "127.0.0.1:8000": "write http://127.0.0.1:8000",
    "localhost": "write http://localhost",
    "192.168.1.7:8000": "write http://192.168.1.7:8000",
    "arena.example": "write https://arena.example",
    "ftp://arena.example": "write https://host or http://host:port",
    "http://": "write https://host or http://host:port",
    "http://arena.example?key=1": "write https://host or http://host:port",
    "http://[::1": "write https://host or http://host:port",
}


@pytest.mark.parametrize("text", ADDRESSES)
def test_a_malformed_address_is_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(Trouble, match="is no address of a service") as trouble:
        read_address(text)
    assert trouble.value.advice == ADDRESSES[text]


@pytest.mark.parametrize("text", ["https://arena.example/?key-06gpr", "https://ada:secret@arena.example", "key-06gpr"])
def test_an_address_with_a_secret_is_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(Trouble, match="must hold no key and no password") as trouble:
        read_address(text)
    assert text not in trouble.value.cause


def test_the_same_address_can_be_written_in_several_ways() -> None:
    assert same_address("http://Arena.example:80/", "HTTP://arena.example")
    assert not same_address("http://arena.example", "https://arena.example")
    assert not same_address("http://arena.example/a", "http://arena.example/b")
