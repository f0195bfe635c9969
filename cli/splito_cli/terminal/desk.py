"""The dialogue of `splito play`: shows the table, reads commands and moves of the person, and shows the result.

A typed line is a command or a move. A command is a word of `COMMANDS` or its name in the language of the screen. A move
is its short text or its number in the list; if talk is on, a nudge may follow it: `r4< !play:left`.
"""

import sys
from collections.abc import Callable
from typing import Any

import msgspec
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from splito_arena.bots.direct import ask_bot, house_bot
from splito_cli.terminal.screen import explanation, scores_table, winners_line
from splito_cli.terminal.show import Scene, Show, have_numbers
from splito_cli.terminal.words import WORDS, Words
from splito_engine.errors import BadMove, BadNudge, GameError, UnknownMove
from splito_engine.game import Language, Seat
from splito_engine.match import Match, legal_moves


class Leave(Exception):
    """Raised when the person leaves the match."""


class Desk(msgspec.Struct, frozen=True):
    """The screen, the seat, the names and the language of the person at the terminal."""

    console: Console
    show: Show
    seat: Seat
    names: tuple[str, ...]
    language: Language

    @property
    def words(self) -> Words:
        return WORDS[self.language]


class Decision(msgspec.Struct, frozen=True):
    """The move of the person, and the nudge that goes with it."""

    move: Any
    nudge: str | None = None


def scene(desk: Desk, match: Match) -> Scene:
    return Scene(match.game.view(match.state, desk.seat), match.scores, match.over, desk.names, desk.language)


def decide(desk: Desk, match: Match) -> Decision:
    """Show the table and read lines until one of them is a legal move. Raise `Leave` if the person leaves."""
    show_all(desk, match)
    while True:
        typed = read_line(desk)
        word = _command(desk, typed.casefold())
        if word in COMMANDS:
            COMMANDS[word](desk, match)
        elif word in desk.show.EXTRAS:
            desk.console.print(desk.show.EXTRAS[word].draw(scene(desk, match)))
        else:
            try:
                return read_decision(desk, match, typed)
            except GameError as error:
                refused = Text(f"✗ {error.message}", "red")
                desk.console.print(refused, Text(desk.words.type_for_help, "dim"), sep="\n")


def read_line(desk: Desk) -> str:
    """Return a typed line. A line from a pipe is printed, so that the output reads like a game."""
    words = desk.words
    prompt = Text.assemble((f"\n{words.your_move}", "bold"), " ", (words.for_help, "dim"), " > ")
    typed = desk.console.input(prompt).strip()
    if not sys.stdin.isatty():
        desk.console.print(Text(typed))
    return typed


def read_decision(desk: Desk, match: Match, typed: str) -> Decision:
    """Return the move, and the nudge after a `!`. Raise `BadMove` or `BadNudge` in the language of the screen."""
    text, mark, nudge = typed.partition("!")
    move = _read_move(desk, match, text.strip())
    return Decision(move, _read_nudge(desk, match, nudge.strip()) if mark else None)


def _command(desk: Desk, word: str) -> str:
    """Return the English word of a command typed in the language of the screen; the same word if it is none."""
    extras = {extra.words[desk.language].typed: name for name, extra in desk.show.EXTRAS.items()}
    commands = {command.typed: name for name, command in desk.words.commands.items()}
    return extras.get(word) or commands.get(word) or word


def _read_move(desk: Desk, match: Match, text: str) -> Any:
    moves = legal_moves(match, desk.seat)
    by_text = {match.game.move_text(move).casefold(): move for move in moves}
    if text.casefold() in by_text:
        return by_text[text.casefold()]
    if text.isdecimal() and have_numbers(by_text):
        if 1 <= int(text) <= len(moves):
            return moves[int(text) - 1]
        raise BadMove(desk.words.no_number.format(number=text, last=len(moves)))
    raise BadMove(_refusal(desk, match, text))


def _refusal(desk: Desk, match: Match, text: str) -> str:
    """Return why a text is not a legal move, in the language of the screen."""
    try:
        move = match.game.move_text(match.game.parse_move(text))
    except UnknownMove:
        example = match.game.move_text(legal_moves(match, desk.seat)[0])
        return desk.words.no_move.format(text=text, example=example)
    return desk.show.refusal(scene(desk, match), move) or desk.words.not_legal.format(text=move)


def _read_nudge(desk: Desk, match: Match, text: str) -> str:
    allowed = match.game.nudges(match.state, desk.seat)
    if text.isdecimal() and 1 <= int(text) <= len(allowed):
        return allowed[int(text) - 1]
    if not allowed:
        raise BadNudge(desk.words.no_talk)
    if text not in allowed:
        raise BadNudge(desk.words.no_nudge.format(text=text))
    return text


def show_all(desk: Desk, match: Match) -> None:
    show_table(desk, match)
    show_moves(desk, match)


def show_table(desk: Desk, match: Match) -> None:
    desk.console.rule(style="dim")
    desk.console.print(desk.show.table(scene(desk, match)))


def show_moves(desk: Desk, match: Match) -> None:
    texts = [match.game.move_text(move) for move in legal_moves(match, desk.seat)]
    desk.console.print(Text(), desk.show.moves(scene(desk, match), texts))


def show_turn(desk: Desk, match: Match) -> None:
    """Show the moves and nudges that were revealed last."""
    now, turn = scene(desk, match), match.turns[-1]
    grid = Table.grid(padding=(0, 2, 0, 0))
    for seat, move in turn.moves.items():
        said = ""
        if seat in turn.talk:
            said = desk.words.says.format(nudge=desk.show.nudge(now, seat, turn.talk[seat]))
        drawn = desk.show.move(now, match.game.move_text(move))
        grid.add_row(Text(f"  {desk.names[seat]}", "dim"), drawn, Text(said, "italic"))
    desk.console.print(grid)


def show_result(desk: Desk, match: Match) -> None:
    console, scores = desk.console, match.scores
    show_table(desk, match)
    console.rule(Text(desk.words.end, "bold"), style="dim")
    console.print(explanation(match.game.explain(match.state, desk.language), desk.names))
    console.print(Text(), scores_table(scores, desk.names, desk.words.result))
    closing = desk.show.closing(scene(desk, match)) or winners_line(scores, desk.names, desk.words.result)
    console.print(Text(closing, "bold"))


def _help(desk: Desk, match: Match) -> None:
    words, texts = desk.words, [match.game.move_text(move) for move in legal_moves(match, desk.seat)]
    lines = [(texts[0], words.short_form)]
    if have_numbers(texts):
        lines.append(("1", words.by_number))
    nudges = match.game.nudges(match.state, desk.seat)
    if nudges:
        lines.append((f"{texts[0]} !1", words.with_nudge))
    lines += [
        (extra.words[desk.language].typed, extra.words[desk.language].about) for extra in desk.show.EXTRAS.values()
    ]
    lines += [(command.typed, command.about) for name, command in words.commands.items() if nudges or name != "talk"]
    grid = Table.grid(padding=(0, 3, 0, 2))
    for typed, about in lines:
        grid.add_row(Text(typed, "bold"), about)
    desk.console.print(grid)


def _hint(desk: Desk, match: Match) -> None:
    bot = house_bot(match)
    text = match.game.move_text(ask_bot(match, desk.seat, bot))
    drawn = desk.show.move(scene(desk, match), text)
    typed = "" if drawn.plain == text else desk.words.to_type.format(text=text)
    desk.console.print(Text.assemble(desk.words.would_play.format(bot=bot.name), drawn, typed))


def _talk(desk: Desk, match: Match) -> None:
    nudges = match.game.nudges(match.state, desk.seat)
    if not nudges:
        desk.console.print(Text(f"{desk.words.no_talk[0].upper()}{desk.words.no_talk[1:]}."))
    grid = Table.grid(padding=(0, 2, 0, 0))
    for number, nudge in enumerate(nudges, 1):
        meaning = Text(desk.show.nudge(scene(desk, match), desk.seat, nudge))
        grid.add_row(Text.assemble((f"{number:>3} ", "dim"), nudge), meaning)
    desk.console.print(grid)


def _why(desk: Desk, match: Match) -> None:
    desk.console.print(explanation(match.game.explain(match.state, desk.language), desk.names))


def _rules(desk: Desk, match: Match) -> None:
    desk.console.print(Markdown(match.game.rulebook(desk.language)))


def _leave(desk: Desk, match: Match) -> None:  # noqa: ARG001 (the signature of a command)
    raise Leave


COMMANDS: dict[str, Callable[[Desk, Match], None]] = {
    "hint": _hint,
    "why": _why,
    "explain": _why,
    "table": show_table,
    "": show_all,
    "moves": show_moves,
    "talk": _talk,
    "rules": _rules,
    "?": _help,
    "help": _help,
    "quit": _leave,
    "exit": _leave,
}
"""Commands by their English word, which is understood in every language; `words` has their other names."""
