"""Options of a game: all options, and the open options for clients on the network."""

import msgspec
import pytest

from splito_engine.errors import BadOption
from splito_engine.game import read_options
from splito_engine.games import splitit, splito, splitter
from splito_engine.match import start


@pytest.mark.clause("S18", "S20")
def test_open_options_are_options_with_the_standard_deck() -> None:
    chosen = splito.OpenOptions(deals=3, talk=True)
    assert read_options(splito, chosen) == splito.Options(deals=3, talk=True, deck="standard")
    assert start(splito, 4, "open", chosen).state == start(splito, 4, "open", {"deals": 3, "talk": True}).state


@pytest.mark.parametrize("deck", ["standard", "/etc/passwd", "deck.toml"])
def test_open_options_cannot_name_a_deck(deck: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `deck`"):
        msgspec.convert({"deck": deck}, splito.OpenOptions)


def test_options_with_a_deck_do_not_pass_for_open_ones() -> None:
    assert not isinstance(splito.Options(), splito.OpenOptions)


def test_open_options_made_in_python_are_checked_too() -> None:
    with pytest.raises(BadOption) as caught:
        read_options(splito, splito.OpenOptions(deals=99))
    assert caught.value.field == "deals"


def test_all_options_are_open_in_games_whose_options_name_no_files() -> None:
    assert splitit.OpenOptions is splitit.Options
    assert splitter.OpenOptions is splitter.Options
