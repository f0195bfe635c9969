"""The referee plays a match to its end: it asks all seats that act at once, waits for every decision and plays the
turn.

No seat learns whether another seat has decided, because all are asked in the same step and no decision is revealed
before the last one. The faults of one bot do not affect the others: the referee plays its default moves, and after too
many faults a house bot plays on for it; the results of the other bots stand. An error of the arena voids the match.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from splito_arena.faults import FaultNote, Void
from splito_arena.match.messages import Ended, messages_of
from splito_arena.match.places import judged, rank
from splito_arena.match.player import Player
from splito_arena.match.question import History, Sheet
from splito_arena.match.seat import Decided, Log, PendingDecision, SeatState
from splito_arena.match.terms import Terms
from splito_engine.game import Scores, Seat
from splito_engine.match import Match, play, start
from splito_engine.record import Record, record_of


class SeatReport(msgspec.Struct, frozen=True):
    """The faults, times and replacement of one seat in a match."""

    name: str
    faults: tuple[FaultNote, ...]
    replaced: bool
    """True if a house bot played on for the seat."""
    elapsed_ms: tuple[float, ...]
    """Milliseconds of each turn that the bot itself played."""


class Played(msgspec.Struct, frozen=True):
    """A finished match."""

    match: str
    record: Record
    seats: tuple[SeatReport, ...]

    @property
    def places(self) -> tuple[float, ...]:
        """Return the places in the order of the seats, from 1; tied seats share the mean of their places, replaced bots
        come last.
        """
        return places(self.record.scores, [seat.replaced for seat in self.seats])


async def referee(terms: Terms, players: Sequence[Player], stand_in: Callable[[Seat], Player]) -> Played:
    """Play a whole match between the players, given in the order of their seats, and return it.

    The player from `stand_in` plays on for a seat with too many faults. Raise `Void` for an error of the arena.
    """
    match = start(terms.game, len(players), terms.seed, terms.options)
    chairs = [SeatState(player, terms.play.clock, terms.play.strikes) for player in players]
    _tell_start(terms, match, chairs)
    history, log = History(), _log(terms, players)
    while actors := match.actors:
        decided = await _turn(terms, match, chairs, history, log)
        for seat in actors:
            _settle(chairs[seat], seat, decided[seat], stand_in)
        talk = {seat: one.nudge for seat, one in decided.items() if one.nudge is not None}
        match = play(match, {seat: one.move for seat, one in decided.items()}, talk)
    played = _played(terms, match, players, chairs)
    _tell_end(terms, played, players)
    return played


def places(scores: Scores, replaced: Sequence[bool]) -> tuple[float, ...]:
    """Return the places in the order of the seats; replaced bots come last."""
    ordered = judged(scores, replaced)
    return tuple(rank(ordered, seat) for seat in range(len(scores)))


async def _turn(
    terms: Terms, match: Match, chairs: Sequence[SeatState], history: History, log: Log | None
) -> dict[Seat, Decided]:
    """Ask all seats that act and return their decisions."""
    actors, decided = match.actors, dict[Seat, Decided]()
    last: asyncio.Future[None] | None = None

    def done(seat: Seat, one: Decided) -> None:
        decided[seat] = one
        if last is not None and len(decided) == len(actors) and not last.done():
            last.set_result(None)

    sheet = Sheet(match, terms.match, history, terms.dice)
    asked = [sheet.question(seat, chairs[seat].time, chairs[seat].last) for seat in actors]
    for one in asked:
        PendingDecision(chairs[one.seat].player, one, done, log).begin()
    if len(decided) < len(actors):
        last = asyncio.get_running_loop().create_future()
        await last
    return decided


def _settle(chair: SeatState, seat: Seat, decided: Decided, stand_in: Callable[[Seat], Player]) -> None:
    if decided.void is not None:
        raise Void(f"seat {seat}: {type(decided.void).__name__}: {decided.void}") from decided.void
    if not chair.replaced and chair.settle(decided):
        chair.hand_over(stand_in(seat))


def _played(terms: Terms, match: Match, players: Sequence[Player], chairs: Sequence[SeatState]) -> Played:
    names = _names(terms, players)
    seats = tuple(
        SeatReport(name, tuple(chair.faults), chair.replaced, tuple(chair.elapsed_ms))
        for name, chair in zip(names, chairs, strict=True)
    )
    return Played(terms.match, record_of(match, names, terms.salt), seats)


def _names(terms: Terms, players: Sequence[Player]) -> tuple[str, ...]:
    return terms.names or tuple(player.name for player in players)


def _log(terms: Terms, players: Sequence[Player]) -> Log | None:
    """Return the log of this match, which writes each exchange under the name of the bot that sat in its seat."""
    write = terms.play.log
    if write is None:
        return None
    names = terms.logged_as or _names(terms, players)
    return lambda exchange: write(names[exchange.seat], exchange)


def _tell_start(terms: Terms, match: Match, chairs: Sequence[SeatState]) -> None:
    info = terms.game.INFO
    started = messages_of(terms.game).Started
    for seat, chair in enumerate(chairs):
        if not chair.player.notices:
            continue
        notice: Any = started(
            game=info.id,
            version=info.version,
            match=terms.match,
            seat=seat,
            players=match.players,
            options=match.options,
            turn_ms=terms.play.clock.turn_ms,
            bank_ms=terms.play.clock.bank_ms,
        )
        chair.player.start(notice)


def _tell_end(terms: Terms, played: Played, players: Sequence[Player]) -> None:
    if not any(player.notices for player in players):
        return
    scores, places = [list(points) for points in played.record.scores], list(played.places)
    for seat, (player, report) in enumerate(zip(players, played.seats, strict=True)):
        if not player.notices:
            continue
        player.end(
            Ended(
                game=terms.game.INFO.id,
                match=terms.match,
                seat=seat,
                scores=scores,
                places=places,
                faults=list(report.faults),
                replaced=report.replaced,
            )
        )
