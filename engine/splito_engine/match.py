"""A match: one play of a game, in which seats seal their moves in any order and all are revealed together.

A match is immutable; `seal` and `play` return the next one. Seed and turns determine every state. Moves are wire moves
here; only the rules see the inner form of a game.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from splito_engine.chance import check_seed
from splito_engine.errors import AlreadySealed, BadMove, BadNudge, IllegalMove, NotYourTurn
from splito_engine.game import AnyGame, Scores, Seat, check_actors, check_players, read_options


class Turn(msgspec.Struct, frozen=True):
    """A turn: one move for each seat that had to act, and the nudges that were said with them."""

    moves: Mapping[Seat, Any]
    talk: Mapping[Seat, str] = {}


class Match(msgspec.Struct, frozen=True):
    """A match with its state, its revealed turns, and the moves sealed so far for the current turn."""

    game: AnyGame
    players: int
    seed: str
    options: Any
    state: Any
    turns: tuple[Turn, ...] = ()
    sealed: Turn = Turn({})
    """The moves and nudges of the current turn, secret until all actors have sealed."""

    @property
    def actors(self) -> tuple[Seat, ...]:
        return self.game.actors(self.state)

    @property
    def over(self) -> bool:
        return not self.actors

    @property
    def scores(self) -> Scores:
        return self.game.scores(self.state)


def start(
    game: AnyGame, players: int, seed: str, options: Mapping[str, object] | msgspec.Struct | None = None
) -> Match:
    """Return a new match. Raise `WrongPlayers` or `BadOption`."""
    check_players(game.INFO, players)
    check_seed(seed)
    chosen = read_options(game, options)
    return Match(game, players, seed, chosen, game.setup(players, seed, chosen))


def seal(match: Match, seat: Seat, move: object, nudge: str | None = None) -> Match:
    """Return the match after one seat has sealed its move; the last seat to seal reveals the turn.

    Sealing the same move again changes nothing. Raise `AlreadySealed` for another move, `BadMove` or `BadNudge` for a
    move or nudge that is not allowed.
    """
    check_move(match.game, match.state, seat, move)
    if nudge is not None:
        check_nudge(match.game, match.state, seat, nudge)
    moves, talk = match.sealed.moves, match.sealed.talk
    if seat in moves and (moves[seat], talk.get(seat)) != (move, nudge):
        raise AlreadySealed(f"seat {seat} has already sealed another move", seat=seat)
    moves = {**moves, seat: move}
    talk = talk if nudge is None else {**talk, seat: nudge}
    if len(moves) < len(match.actors):
        return msgspec.structs.replace(match, sealed=Turn(moves, talk))
    return play(match, moves, talk)


def play(match: Match, moves: Mapping[Seat, object], talk: Mapping[Seat, str] | None = None) -> Match:
    """Return the match after a whole turn: one legal move for each actor. Raise `BadMove` or `BadNudge`."""
    game, state, said = match.game, match.state, talk or {}
    for seat, nudge in said.items():
        check_nudge(game, state, seat, nudge)
    check_actors(match.actors, moves)
    inner = {seat: _from_wire(game, state, seat, move) for seat, move in moves.items()}
    after = game.apply(state, inner)
    turn = Turn(dict(sorted(moves.items())), dict(sorted(said.items())) if said else {})
    return Match(game, match.players, match.seed, match.options, after, (*match.turns, turn))


def legal_moves(match: Match, seat: Seat) -> list[Any]:
    """Return the legal wire moves of a seat; an empty list if it has nothing to decide."""
    return [*match.game.to_wire(match.state, match.game.moves(match.state, seat))]


def check_move(game: AnyGame, state: object, seat: Seat, move: object) -> None:
    """Raise `BadMove` if the move is not legal for the seat now."""
    if seat not in game.actors(state):
        raise NotYourTurn(f"seat {seat} has nothing to decide now", seat=seat)
    if _from_wire(game, state, seat, move) not in game.moves(state, seat):
        raise IllegalMove(f"{game.move_text(move)} is not a legal move of seat {seat} now", seat=seat, field="move")


def _from_wire(game: AnyGame, state: object, seat: Seat, move: object) -> Any:
    try:
        return game.from_wire(state, move)
    except BadMove as error:
        error.seat = seat
        raise


def check_nudge(game: AnyGame, state: object, seat: Seat, nudge: str) -> None:
    """Raise `BadNudge` if the seat may not say the nudge now."""
    if nudge not in game.nudges(state, seat):
        raise BadNudge(f"seat {seat} cannot say {nudge!r} now", seat=seat, field="nudge")
