"""Dealing: draws the commons and the hands, which are stored as the moves they allow (S7)."""

from collections.abc import Iterable

from splito_engine.chance import draw, words
from splito_engine.games.splito.deck import Code, Deck
from splito_engine.games.splito.state import SplitoPack

HAND = 13
BOTH = tuple(bytes((2 * code, 2 * code + 1)) for code in range(128))
"""Both moves of a card, by its code."""


def cards_dealt(players: int) -> int:
    """Return the number of cards that are dealt in one deal."""
    return HAND * (players if players > 2 else 2 * players)


def empty_zones(players: int) -> tuple[bytes, ...]:
    """Return the zones before the first round."""
    return (b"",) * (players if players > 2 else 4)


def deal_out(deck: Deck, players: int, seed: str) -> list[SplitoPack]:
    """Return the packs of one deal: a star and a moon as commons, and hands (S7); two packs for two players (S19)."""
    star, moon, *rest = words(2 + cards_dealt(players), seed, "splito")
    commons = deck.stars[star % len(deck.stars)], deck.moons[moon % len(deck.moons)]
    cards = list(deck.cards)
    for common in sorted(commons):
        del cards[common - len(deck.names)]  # Objectives are at the end, one of each, so they are counted from there
    dealt = draw(cards, rest)
    packs = [take_pack(dealt, players, commons)]
    return packs if players > 2 else [*packs, take_pack(dealt, players)]


def take_pack(cards: list[Code], players: int, commons: tuple[Code, ...] = ()) -> SplitoPack:
    """Take a hand for each player from the front of the cards."""
    hands = [cards[at : at + HAND] for at in range(0, players * HAND, HAND)]
    del cards[: players * HAND]
    return pack_of(hands, commons)


def pack_of(hands: Iterable[list[Code]], commons: tuple[Code, ...]) -> SplitoPack:
    """Return a pack of hands that are given as card codes."""
    split = [_moves_of(hand) for hand in hands]
    return SplitoPack(tuple([hand for hand, _ in split]), tuple([doubles for _, doubles in split]), commons)


def _moves_of(cards: list[Code]) -> tuple[bytes, bytes]:
    """Return the moves of the different cards, and the moves of the second copies."""
    once = sorted({*cards})
    hand = b"".join([BOTH[card] for card in once])
    if len(once) == len(cards):
        return hand, b""
    more = sorted(cards)
    for card in once:
        more.remove(card)
    return hand, b"".join([BOTH[card] for card in more])
