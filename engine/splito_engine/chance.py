"""All luck of all games: pure functions from a seed to an order of cards or a row of dice.

The stream is SHAKE-256 of the text `splito/1/<purpose>/<seed>`, so it is the same for every Python version and easy to
compute in any other language. `purpose` keeps several streams of one seed apart.
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
    """A seed nobody can guess."""
    return secrets.token_hex(16)


def check_seed(seed: str) -> None:
    if not 0 < len(seed) <= MAX_SEED or not seed.isprintable() or not seed.isascii():
        raise BadOption(f"a seed is 1 to {MAX_SEED} printable ASCII characters", field="seed")


def words(count: int, seed: str, purpose: str) -> tuple[int, ...]:
    """The first numbers of the stream, 64 bits each, big-endian."""
    return struct.unpack(f">{count}Q", _stream(seed, purpose, 8 * count))


def draw(cards: list[T], words: Sequence[int]) -> list[T]:
    """Take one card out of the list for each word: the one at the word's remainder by the number of cards left.

    No card is likelier than another by more than the share of the modulo, which is below 10**-17.
    """
    left = range(len(cards), len(cards) - len(words), -1)
    return [cards.pop(word % size) for word, size in zip(words, left, strict=True)]


def shuffled(cards: Sequence[T], seed: str, purpose: str) -> list[T]:
    return draw(list(cards), words(len(cards), seed, purpose))


def dice(count: int, seed: str, purpose: str) -> list[int]:
    """Fair dice: each byte below 252 is one roll (its remainder by 6, plus 1), the others are passed over."""
    length = count + 32
    while True:
        rolls = [byte % 6 + 1 for byte in _stream(seed, purpose, length) if byte < 252]
        if len(rolls) >= count:
            return rolls[:count]
        length *= 2


def _stream(seed: str, purpose: str, length: int) -> bytes:
    return hashlib.shake_256(f"splito/1/{purpose}/{seed}".encode()).digest(length)
