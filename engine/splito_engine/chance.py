"""Random numbers of all games: pure functions from a seed to an order of cards or a row of dice.

The stream is SHAKE-256 of the text `splito/1/<purpose>/<seed>`, so it is the same in every Python version and easy to
compute in any other language. `purpose` separates several streams of one seed.
"""

import hashlib
import secrets
import struct
from collections.abc import Sequence
from typing import TypeVar

from splito_engine.errors import BadOption

T = TypeVar("T")

MAX_SEED = 128


def new_seed() -> str:
    """Return a random seed that cannot be guessed."""
    return secrets.token_hex(16)


def check_seed(seed: str) -> None:
    """Raise `BadOption` unless the seed is 1 to `MAX_SEED` printable ASCII characters."""
    if not 0 < len(seed) <= MAX_SEED or not seed.isprintable() or not seed.isascii():
        raise BadOption(f"a seed is 1 to {MAX_SEED} printable ASCII characters", field="seed")


def words(count: int, seed: str, purpose: str) -> tuple[int, ...]:
    """Return the first numbers of the stream, 64 bits each, big-endian."""
    return struct.unpack(f">{count}Q", _stream(seed, purpose, 8 * count))


def draw(cards: list[T], words: Sequence[int]) -> list[T]:
    """Take one card out of the list for each word, at the remainder of the word by the number of cards left.

    The bias of the remainder is below 10**-17: no card is likelier than another by more than that.
    """
    left = range(len(cards), len(cards) - len(words), -1)
    return [cards.pop(word % size) for word, size in zip(words, left, strict=True)]


def shuffled(cards: Sequence[T], seed: str, purpose: str) -> list[T]:
    """Return the cards in the order that the seed gives."""
    return draw(list(cards), words(len(cards), seed, purpose))


def dice(count: int, seed: str, purpose: str) -> list[int]:
    """Return rolls of fair dice: a byte below 252 is one roll (its remainder by 6, plus 1), others are skipped."""
    length = count + 32
    while True:
        rolls = [byte % 6 + 1 for byte in _stream(seed, purpose, length) if byte < 252]
        if len(rolls) >= count:
            return rolls[:count]
        length *= 2


def _stream(seed: str, purpose: str, length: int) -> bytes:
    return hashlib.shake_256(f"splito/1/{purpose}/{seed}".encode()).digest(length)
