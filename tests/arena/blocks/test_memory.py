"""A bot that remembers every ask of its own and of its friends cannot foresee a hidden card, pile or roll.

All bots at the tables are friends here: they share one memory, over all games, blocks and tournaments. At the start of
a match the memory looks for the deal that it has seen before and that is most like this one, and foretells the rest of
it. What it foretells must come true as often as the view alone allows, and no more often.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import comb, sqrt
from typing import Any, NamedTuple, TypeAlias

import pytest

from splito_arena.blocks.ledger import BlockPlace, block_id
from splito_arena.blocks.play import BlockTerms, deal_of, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.in_process import Plugin
from splito_arena.experiments.blocks import duels
from splito_engine.game import Seat
from splito_engine.games.splito.deck import find_deck
from splito_engine.match import start
from splito_engine.player import Ask
from splito_engine.registry import find_game

PLAYERS = 3
TOURNAMENTS = ("of the spring cup", "of the autumn cup")
BLOCKS = 8

Item: TypeAlias = tuple[Any, Any]
"""Something hidden: where it is, and what it is."""
Seen: TypeAlias = dict[tuple[Seat, int], Any]
"""The views of one match, by seat and turn."""


class Luck(NamedTuple):
    """How the luck of a game is read out of views."""

    alike: Callable[[Any, Any], int]
    """By how much the first views of two matches agree."""
    shown: Callable[[Seen], Iterator[Item]]
    """Function that returns the hidden cards of the beginning that all views of a match together show."""
    chance: Callable[[Any, Item], float]
    """The chance of an item, as far as the first view tells."""


class Foretold(NamedTuple):
    view: Any
    items: frozenset[Item]


class Memory:
    """Everything that some bots were ever asked."""

    def __init__(self, luck: Luck) -> None:
        self.luck = luck
        self.seen = dict[str, Seen]()
        self.foretold = dict[str, Foretold]()

    def choose(self, ask: Ask) -> Any:
        if ask.match not in self.seen:
            self._foretell(ask)
        self.seen.setdefault(ask.match, {})[ask.seat, ask.turn] = ask.view
        return ask.moves[int(ask.seed, 16) % len(ask.moves)]

    def items(self, match: str) -> frozenset[Item]:
        return frozenset(self.luck.shown(self.seen[match]))

    def _foretell(self, ask: Ask) -> None:
        """From the match whose beginning, as the same seat saw it, is most like that of this one."""
        known = [match for match, seen in self.seen.items() if (ask.seat, 0) in seen]
        if known:
            like = max(known, key=lambda match: self.luck.alike(self.seen[match][ask.seat, 0], ask.view))
            self.foretold[ask.match] = Foretold(ask.view, self.items(like))


def _hand(view: Any) -> tuple[str, ...]:
    return view.seats[view.seat].hand


def _same_hand(one: Any, other: Any) -> int:
    return 100 * (one.commons == other.commons) + sum(
        left == right for left, right in zip(_hand(one), _hand(other), strict=True)
    )


def _hands(seen: Seen) -> Iterator[Item]:
    for (seat, turn), view in seen.items():
        if turn == 0:
            yield from ((seat, card) for card in _hand(view))


def _in_hand(view: Any, item: Item) -> float:
    """Return 1 for a card of the own hand; of another hand, the chance that it has the card at all."""
    seat, card = item
    if seat == view.seat:
        return 1.0
    deck = find_deck(view.options.deck)
    unseen = [deck.names[code] for code in deck.cards]
    for known in (*_hand(view), *view.commons):
        unseen.remove(known)
    size = view.seats[seat].hand_size
    return 1 - comb(len(unseen) - unseen.count(card), size) / comb(len(unseen), size)


def _rows(seen: Seen) -> Iterator[Item]:
    first = {view.round: view.row for view in seen.values() if view.phase == "split" and view.splits == 0}
    return (((number, place), card) for number, row in first.items() for place, card in enumerate(row))


def _in_row(view: Any, item: Item) -> float:
    (number, _), card = item
    return 1.0 if number == view.round else view.unseen.get(card, 0) / view.pile


def _same_row(one: Any, other: Any) -> int:
    return sum(left == right for left, right in zip(one.row, other.row, strict=True))


def _rolls(seen: Seen) -> Iterator[Item]:
    return ((view.rounds_played, view.roll) for view in seen.values())


def _rolled(view: Any, item: Item) -> float:
    return 1.0 if item[0] == view.rounds_played else 1 / 36


def _same_roll(one: Any, other: Any) -> int:
    return one.roll == other.roll


LUCK = {
    "splito": Luck(_same_hand, _hands, _in_hand),
    "splitit": Luck(_same_row, _rows, _in_row),
    "splitter": Luck(_same_roll, _rolls, _rolled),
}


def remembered(game: str, secrets: Sequence[str], blocks: int, *, paired: bool = False) -> Memory:
    """Let friends play tournaments of these secrets; in an experiment NEW, OLD and the field are friends too."""
    memory = Memory(LUCK[game])
    friends = [Plugin(f"friend {number}", memory.choose) for number in range(PLAYERS)]
    for secret, number in product(secrets, range(blocks)):
        terms = BlockTerms(
            game=find_game(game),
            block=block_id(BlockPlace(0, number, 0)),
            secret=secret,
            seatings=duels(PLAYERS, PLAYERS - 2) if paired else seatings(PLAYERS),
            paired=paired,
        )
        names = [f"friend-{bot}@1" for bot in range(PLAYERS)]
        asyncio.run(play_block(terms, names, friends, lambda _: friends[0], at_once=1))
    return memory


def recognised(memory: Memory) -> int:
    """Count the matches of which everything was foretold: the very deal had been seen before."""
    return sum(memory.items(match) == foretold.items for match, foretold in memory.foretold.items())


def foresight(memory: Memory) -> float:
    """By how many standard deviations more came true than the views allow."""
    hits = expected = variance = 0.0
    for match, (view, items) in memory.foretold.items():
        actual = memory.items(match)
        chances = {item: memory.luck.chance(view, item) for item in items}
        hidden = [item for item, chance in chances.items() if 0 < chance < 1]
        hits += sum(item in actual for item in hidden)
        expected += sum(chances[item] for item in hidden)
        variance += sum(chances[item] * (1 - chances[item]) for item in hidden)
    return (hits - expected) / sqrt(variance)


@pytest.mark.parametrize("game", LUCK)
def test_friends_with_a_perfect_memory_foresee_no_more_than_the_view_allows(game: str) -> None:
    memory = remembered(game, TOURNAMENTS, BLOCKS)
    assert len(memory.foretold) == len(TOURNAMENTS) * BLOCKS * len(seatings(PLAYERS)) - 1
    assert recognised(memory) == 0
    assert abs(foresight(memory)) < 4


@pytest.mark.parametrize("game", LUCK)
def test_the_same_memory_does_recognise_a_deal_that_is_played_twice(game: str) -> None:
    """In an experiment every second game repeats the deal of the one before it."""
    memory = remembered(game, TOURNAMENTS, 4, paired=True)
    assert recognised(memory) > len(memory.foretold) / 3
    assert foresight(memory) > 20


PLACES = [BlockPlace(*place) for place in product((0, 1, 2, 10**7), (0, 1, 2, 9999), (0, 1, 2, 99_999))]
"""Of rounds, numbers and tables: all formats name their blocks by them."""


@pytest.mark.parametrize(("game", "players"), [("splito", 2), ("splito", 5), ("splitit", 4), ("splitter", 3)])
def test_no_two_games_of_any_tournaments_have_the_same_deal_or_opening(game: str, players: int) -> None:
    games = list(product(TOURNAMENTS, map(block_id, PLACES), range(len(seatings(players)))))
    deals = [deal_of(*one) for one in games]
    openings = {start(find_game(game), players, seed).state for seed, _ in deals}
    assert len({seed for seed, _ in deals}) == len({salt for _, salt in deals}) == len(openings) == len(games)
