"""Play of a tournament block: a balanced set of seatings, each a game with its own deal, and its ledger entry.

No two games of a tournament share a deal, because a bot with a memory would recognise it and know the other hands. Only
the two games of a pair in an experiment do (`splito_arena.experiments.blocks`), and there each seat has the same dice
in both games too.

All luck follows from the secret of the tournament and the id of the block, by keyed hashes: the deals, the number of
each bot in the design, the ids of the matches and the dice of the bots. A block that is played again after a crash is
therefore the same to the byte, and a bot that knows some deals cannot compute another one.

Tournaments with the same seed have the same secret, and so the same deals, seats and dice. Their matches have ids of
their own nevertheless, because an id of a match, and so of an ask or an event, must never occur twice.
"""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from splito_arena.blocks.ledger import Entry, Game, VersionId, record_name
from splito_arena.blocks.seatings import Seating, relabelled
from splito_arena.latency import Times, counted
from splito_arena.match.player import Player
from splito_arena.match.referee import Played, referee
from splito_arena.match.terms import PlayTerms, Terms, sent_only
from splito_engine.errors import WrongPlayers
from splito_engine.game import AnyGame, Seat

T = TypeVar("T")

PAIR = 2
"""Number of bots that an experiment compares, NEW and OLD, and of games there that share a deal and dice."""


class BlockTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a block: game, secret, seatings, and how its matches are played."""

    game: AnyGame
    block: str
    secret: str
    """Secret of the tournament."""
    tournament: str | None = None
    """Id of a tournament that was given a seed, because several may have its secret; else None."""
    seatings: tuple[Seating, ...]
    """Seatings of the design; the bots are numbered anew for each block before they are seated."""
    paired: bool = False
    """True in an experiment: the first two bots, NEW and OLD, keep their numbers, and the two games of a pair share a
    deal and the dice of each seat.
    """
    options: Mapping[str, object] | msgspec.Struct | None = None
    play: PlayTerms = PlayTerms()


class BlockPlayed(msgspec.Struct, frozen=True):
    """A finished block. Its times are kept apart from the entry, because they differ whenever the block is played."""

    entry: Entry
    times: dict[VersionId, Times]


async def play_block(
    terms: BlockTerms,
    bots: Sequence[VersionId],
    players: Sequence[Player],
    stand_in: Callable[[Seat], Player],
    *,
    at_once: int,
) -> BlockPlayed:
    """Play all games of a block, some of them at the same time, and return it; the players are in the order of the
    bots.

    Raise `Void` as soon as one of the games is void: then the whole block does not count and must be played again.
    """
    games, free = _seated(terms, len(bots)), asyncio.Semaphore(at_once)

    async def game(number: int) -> Played:
        async with free:
            at_table = [players[bot] for bot in games[number]]
            return await referee(_terms(terms, number, [bots[bot] for bot in games[number]]), at_table, stand_in)

    played = await _all_or_none([game(number) for number in range(len(games))])
    return _summed_up(terms, bots, games, played)


def commitment_of(tournament: str, secret: str) -> str:
    """Return the commitment that is published before the first deal, by which the secret can be checked once it is
    revealed.
    """
    return hashlib.sha256(f"splito/tournament/1/{tournament}/{secret}".encode()).hexdigest()


def secret_of_seed(seed: str) -> str:
    """Return the secret of all tournaments that are given this seed."""
    return hashlib.sha256(f"splito/seed/1/{seed}".encode()).hexdigest()


def deal_of(secret: str, block: str, number: int, *, paired: bool = False) -> tuple[str, str]:
    """Return the seed and the salt of a game of the block; in an experiment they are those of its pair."""
    deal = f"{block}/{number // PAIR if paired else number}"
    return _keyed(secret, "deal", deal).hex()[:32], _keyed(secret, "salt", deal).hex()[:32]


def dice_of(secret: str, block: str, number: int) -> str:
    """Return the text from which the dice of all seats follow in both games of a pair of an experiment."""
    return _keyed(secret, "dice", f"{block}/{number // PAIR}").hex()[:32]


def seated(
    games: Sequence[Seating], bots: int, secret: str, block: str, *, paired: bool = False
) -> tuple[Seating, ...]:
    """Return the seatings of a block: those of the design, with the bots numbered anew."""
    return relabelled(games, bots, _keyed(secret, "seatings", block).hex(), PAIR if paired else 0)


def match_of(secret: str, block: str, number: int, tournament: str | None = None) -> str:
    """Return the match id of a game of the block: 120 bits, in 24 characters of 0 to 9 and a to v.

    `tournament` is the id of a tournament that was given a seed, else None.
    """
    game = f"{block}/{number}" if tournament is None else f"{tournament}/{block}/{number}"
    return base64.b32hexencode(_keyed(secret, "match", game)[:15]).decode().lower()


def _seated(terms: BlockTerms, bots: int) -> tuple[Seating, ...]:
    if max(map(max, terms.seatings)) >= bots:
        raise WrongPlayers(f"the seatings of block {terms.block} are for more than {bots} bots", field="bots")
    return seated(terms.seatings, bots, terms.secret, terms.block, paired=terms.paired)


def _terms(terms: BlockTerms, number: int, bots: Sequence[VersionId]) -> Terms:
    seed, salt = deal_of(terms.secret, terms.block, number, paired=terms.paired)
    return Terms(
        game=terms.game,
        match=match_of(terms.secret, terms.block, number, terms.tournament),
        seed=seed,
        salt=salt,
        dice=(dice_of if terms.paired else match_of)(terms.secret, terms.block, number),
        options=terms.options,
        play=msgspec.structs.replace(terms.play, log=sent_only(terms.play.log)),
        names=tuple(map(record_name, bots)),
        logged_as=tuple(bots),
    )


async def _all_or_none(games: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results of all games; the first error cancels the others."""
    tasks = [asyncio.create_task(game) for game in games]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _summed_up(
    terms: BlockTerms, bots: Sequence[VersionId], seated: Sequence[Seating], played: Sequence[Played]
) -> BlockPlayed:
    games = tuple(_game(seating, match) for seating, match in zip(seated, played, strict=True))
    spent = {bot: list[float]() for bot in bots}
    for seating, match in zip(seated, played, strict=True):
        for bot, report in zip(seating, match.seats, strict=True):
            spent[bots[bot]] += report.elapsed_ms
    entry = Entry(block=terms.block, bots=tuple(bots), games=games)
    return BlockPlayed(entry, {bot: counted(times) for bot, times in spent.items()})


def _game(seating: Seating, played: Played) -> Game:
    return Game(
        match=played.match,
        seating=seating,
        record=played.record,
        faults=tuple(tuple(note.code for note in seat.faults) for seat in played.seats),
        replaced=tuple(seat.replaced for seat in played.seats),
        fault_turns=tuple(tuple(note.turn for note in seat.faults) for seat in played.seats),
    )


def _keyed(secret: str, purpose: str, what: str) -> bytes:
    return hmac.digest(secret.encode(), f"splito/1/{purpose}/{what}".encode(), "sha256")
