"""The screen of all commands: text is shown as it is, and nothing in it steers the terminal."""

from collections.abc import Callable

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from splito_cli.terminal.screen import headline, screen, side_screen, wide_screen

HOSTILE = "[/nope][red]x[/red] :smile: \x1b[31m\x1b]8;;http://evil\x1b\\ \x07\x9b1m\u202e"


@pytest.mark.parametrize("console", [screen, wide_screen, side_screen])
def test_no_text_is_read_as_markup_or_controls_the_terminal(
    console: Callable[[], Console], capsys: pytest.CaptureFixture[str]
) -> None:
    shown, table = console(), Table(HOSTILE)
    table.add_row(HOSTILE)
    table.add_row(Text(HOSTILE))
    for what in (HOSTILE, Text(HOSTILE), headline(HOSTILE, HOSTILE), table):
        shown.print(what)
    out = "".join(capsys.readouterr())
    assert all(letter.isprintable() or letter == "\n" for letter in out)
    assert out.count("[/nope][red]x[/red]") == 7
    assert out.count(":smile:") == 7


def test_control_sequences_of_our_own_colours_are_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    screen().print(Text("good", "bold green"))
    assert capsys.readouterr().out == "\x1b[1;32mgood\x1b[0m\n"
