"""A person at the terminal: sees the table, asks for help, decides.

Everything typed is either one of the words in `COMMANDS`, or a move: its short text or its number in the list, and
after it, where talk is on, a nudge: `r4< !play:left`.
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
from splito_cli.screen import explanation, scores_table, winners_line
from splito_cli.show import Scene, Show, have_numbers
from splito_engine.errors import BadMove, BadNudge, GameError
from splito_engine.game import Language, Seat
from splito_engine.match import Match, check_nudge, legal_moves, play


class Leave(Exception):
    """The person goes."""


class Desk(msgspec.Struct, frozen=True):
    """What stays the same for the person over a match."""

    console: Console
    show: Show
    seat: Seat
    names: tuple[str, ...]
    language: Language


class Decision(msgspec.Struct, frozen=True):
    move: Any
    nudge: str | None = None


def scene(desk: Desk, match: Match) -> Scene:
    return Scene(match.game.view(match.state, desk.seat), match.scores, match.over, desk.names, desk.language)


def decide(desk: Desk, match: Match) -> Decision:
    """Ask until there is a legal move."""
    show_all(desk, match)
    while True:
        typed = read_line(desk.console)
        word = typed.casefold()
        if word in COMMANDS:
            COMMANDS[word].run(desk, match)
        elif word in desk.show.EXTRAS:
            desk.console.print(desk.show.EXTRAS[word].draw(scene(desk, match)))
        else:
            try:
                return read_decision(match, desk.seat, typed)
            except GameError as error:
                desk.console.print(Text(f"✗ {error.message}", "red"), Text("Type ? for help.", "dim"), sep="\n")


def read_line(console: Console) -> str:
    """What is typed; where it comes out of a pipe it is shown, so that the output reads like a game."""
    typed = console.input(Text.assemble(("\nYour move", "bold"), " ", ("(? for help)", "dim"), " > ")).strip()
    if not sys.stdin.isatty():
        console.print(Text(typed))
    return typed


def read_decision(match: Match, seat: Seat, typed: str) -> Decision:
    text, mark, nudge = typed.partition("!")
    move = _read_move(match, seat, text.strip())
    return Decision(move, _read_nudge(match, seat, nudge.strip()) if mark else None)


def _read_move(match: Match, seat: Seat, text: str) -> Any:
    moves = legal_moves(match, seat)
    by_text = {match.game.move_text(move).casefold(): move for move in moves}
    if text.casefold() in by_text:
        return by_text[text.casefold()]
    if text.isdecimal() and have_numbers(by_text):
        if 1 <= int(text) <= len(moves):
            return moves[int(text) - 1]
        raise BadMove(f"there is no move {text}: the list goes from 1 to {len(moves)}")
    raise BadMove(_why_not(match, seat, match.game.parse_move(text)))


def _why_not(match: Match, seat: Seat, move: Any) -> str:
    """The rules know best: the move is tried, with anything legal for the others."""
    others = {other: legal_moves(match, other)[0] for other in match.actors}
    try:
        play(match, {**others, seat: move})
    except GameError as error:
        return error.message
    return f"{match.game.move_text(move)} is not legal now"


def _read_nudge(match: Match, seat: Seat, text: str) -> str:
    allowed = match.game.nudges(match.state, seat)
    if text.isdecimal() and 1 <= int(text) <= len(allowed):
        return allowed[int(text) - 1]
    if not allowed:
        raise BadNudge("there is no table talk in this match")
    check_nudge(match.game, match.state, seat, text)
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
    """What was revealed last."""
    now, turn = scene(desk, match), match.turns[-1]
    grid = Table.grid(padding=(0, 2, 0, 0))
    for seat, move in turn.moves.items():
        said = f"says {turn.talk[seat]}" if seat in turn.talk else ""
        drawn = desk.show.move(now, match.game.move_text(move))
        grid.add_row(Text(f"  {desk.names[seat]}", "dim"), drawn, Text(said, "italic"))
    desk.console.print(grid)


def show_result(desk: Desk, match: Match) -> None:
    console, scores = desk.console, match.scores
    show_table(desk, match)
    console.rule(Text("The end", "bold"), style="dim")
    console.print(explanation(match.game.explain(match.state, desk.language), desk.names))
    console.print(Text(), scores_table(scores, desk.names))
    console.print(Text(desk.show.closing(scene(desk, match)) or winners_line(scores, desk.names), "bold"))


def _help(desk: Desk, match: Match) -> None:
    texts = [match.game.move_text(move) for move in legal_moves(match, desk.seat)]
    example = texts[0]
    grid = Table.grid(padding=(0, 3, 0, 2))
    grid.add_row(Text(example, "bold"), "a move, in its short form")
    if have_numbers(texts):
        grid.add_row(Text("1", "bold"), "a move, by its number in the list")
    if match.game.nudges(match.state, desk.seat):
        grid.add_row(Text(f"{example} !1", "bold"), "a move, and a nudge that everybody sees with it")
        grid.add_row(Text("talk", "bold"), "the nudges there are")
    for name, extra in desk.show.EXTRAS.items():
        grid.add_row(Text(name, "bold"), extra.about)
    for name, command in COMMANDS.items():
        if command.about:
            grid.add_row(Text(name, "bold"), command.about)
    desk.console.print(grid)


def _hint(desk: Desk, match: Match) -> None:
    bot = house_bot(match)
    text = match.game.move_text(ask_bot(match, desk.seat, bot))
    drawn = desk.show.move(scene(desk, match), text)
    typed = "" if drawn.plain == text else f"  (type {text})"
    desk.console.print(Text.assemble(f"{bot.name} would play ", drawn, typed))


def _talk(desk: Desk, match: Match) -> None:
    nudges = match.game.nudges(match.state, desk.seat)
    if not nudges:
        desk.console.print("There is no table talk in this match.")
    for number, nudge in enumerate(nudges, 1):
        desk.console.print(Text.assemble((f"{number:>3} ", "dim"), nudge))


def _why(desk: Desk, match: Match) -> None:
    desk.console.print(explanation(match.game.explain(match.state, desk.language), desk.names))


def _rules(desk: Desk, match: Match) -> None:
    desk.console.print(Markdown(match.game.rulebook(desk.language)))


def _leave(desk: Desk, match: Match) -> None:  # noqa: ARG001 (the signature of a command)
    raise Leave


class Command(msgspec.Struct, frozen=True):
    run: Callable[[Desk, Match], None]
    about: str = ""
    """Empty for what the help shows elsewhere, or not at all: another word for the same."""


COMMANDS: dict[str, Command] = {
    "hint": Command(_hint, "what the best bot of the house would play"),
    "why": Command(_why, "where the points come from, as if the match ended now"),
    "explain": Command(_why),
    "table": Command(show_table, "the table again"),
    "": Command(show_all),
    "moves": Command(show_moves, "your moves again"),
    "talk": Command(_talk),
    "rules": Command(_rules, "the rules of the game"),
    "?": Command(_help, "this list"),
    "help": Command(_help),
    "quit": Command(_leave, "leave the match; nothing is recorded"),
    "exit": Command(_leave),
}
