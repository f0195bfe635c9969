"""The cards that players have won: one column per number, jokers on the columns, and the scores (I9 to I11).

A column is open when it has a number card, so a joker alone never opens one.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from splito_engine.game import Scores, Seat
from splito_engine.games.splitit.deck import JOKER, NUMBERS, Cards

Counts: TypeAlias = tuple[int, ...]
"""Ten numbers: entry `n - 1` belongs to the column of the number n."""


class SplititPlayer(msgspec.Struct, frozen=True):
    """The cards one player has won. In the end the longest column of a number, jokers included, scores the number."""

    numbers: Counts = (0,) * 10
    """Number cards in each of the columns 1 to 10."""
    jokers: Counts = (0,) * 10
    """Jokers on each of the columns 1 to 10."""
    waiting: int = 0
    """Jokers that lie on no column yet."""


def open_columns(player: SplititPlayer) -> tuple[int, ...]:
    """Return the numbers of the player's open columns."""
    return tuple(number for number in NUMBERS if player.numbers[number - 1])


def length(player: SplititPlayer, number: int) -> int:
    """Return the number of cards in a column, jokers included."""
    return player.numbers[number - 1] + player.jokers[number - 1]


def win(player: SplititPlayer, cards: Cards) -> SplititPlayer:
    """Return the player with the cards won, numbers first; waiting jokers join the first column opened (I9)."""
    laid = tuple(int(card) for card in cards if card != JOKER)
    numbers = tuple(count + laid.count(number) for number, count in zip(NUMBERS, player.numbers, strict=True))
    jokers, waiting = player.jokers, player.waiting
    if laid and not open_columns(player):
        jokers, waiting = _more(jokers, laid[0], waiting), 0
    return _without_asking(SplititPlayer(numbers, jokers, waiting + len(cards) - len(laid)))


def must_place(player: SplititPlayer) -> bool:
    """Return True if the player has a joker to place and more than one column to choose from."""
    return player.waiting > 0 and len(open_columns(player)) > 1


def place(player: SplititPlayer, number: int) -> SplititPlayer:
    """Return the player with one waiting joker put on the column of that number."""
    return SplititPlayer(player.numbers, _more(player.jokers, number, 1), player.waiting - 1)


def winners(table: Sequence[SplititPlayer], number: int) -> tuple[Seat, ...]:
    """Return the seats with the most cards in that column: several in a tie, none if no seat has a card (I10)."""
    lengths = [length(player, number) for player in table]
    most = max(lengths)
    return tuple(seat for seat, cards in enumerate(lengths) if cards == most > 0)


def scores_of(table: Sequence[SplititPlayer]) -> Scores:
    """Return per seat the points and, as tie-breaker, the number of columns (I10, I11)."""
    points = [0] * len(table)
    for number in NUMBERS:
        for seat in winners(table, number):
            points[seat] += number
    return tuple((points[seat], len(open_columns(player))) for seat, player in enumerate(table))


def _without_asking(player: SplititPlayer) -> SplititPlayer:
    """Return the player with waiting jokers on the only column; unchanged if there is a choice or no column."""
    columns = open_columns(player)
    if len(columns) != 1:
        return player
    return SplititPlayer(player.numbers, _more(player.jokers, columns[0], player.waiting))


def _more(counts: Counts, number: int, cards: int) -> Counts:
    return (*counts[: number - 1], counts[number - 1] + cards, *counts[number:])
