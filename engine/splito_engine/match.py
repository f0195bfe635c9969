"""One play of a game: moves are sealed one by one, in any order, and revealed together.

A match is immutable; `seal` and `play` return the next one. The states in between are derived from seed and turns.
Moves are those of the wire here; only the rules see a game's inner form.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from splito_engine.chance import check_seed
from splito_engine.errors import AlreadySealed, BadMove, BadNudge, IllegalMove, NotYourTurn
from splito_engine.game import AnyGame, Scores, Seat, check_actors, check_players, read_options


class Turn(msgspec.Struct, frozen=True):
    """What was revealed together: one move for each seat that had to act, and what some of them said."""

    moves: Mapping[Seat, Any]
    talk: Mapping[Seat, str] = {}


class Match(msgspec.Struct, frozen=True):
    game: AnyGame
    players: int
    seed: str
    options: Any
    state: Any
    turns: tuple[Turn, ...] = ()
    sealed: Turn = Turn({})
    """The secret part of the turn that is going on."""

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
    check_players(game.INFO, players)
    check_seed(seed)
    chosen = read_options(game, options)
    return Match(game, players, seed, chosen, game.setup(players, seed, chosen))


def seal(match: Match, seat: Seat, move: object, nudge: str | None = None) -> Match:
    """One seat decides. The last one to do so reveals the turn; the same decision twice is one."""
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
    """One whole turn at once."""
    game, state, said = match.game, match.state, talk or {}
    for seat, nudge in said.items():
        check_nudge(game, state, seat, nudge)
    check_actors(match.actors, moves)
    inner = {seat: _from_wire(game, state, seat, move) for seat, move in moves.items()}
    after = game.apply(state, inner)
    turn = Turn(dict(sorted(moves.items())), dict(sorted(said.items())) if said else {})
    return Match(game, match.players, match.seed, match.options, after, (*match.turns, turn))


def legal_moves(match: Match, seat: Seat) -> list[Any]:
    return [*match.game.to_wire(match.state, match.game.moves(match.state, seat))]


def check_move(game: AnyGame, state: object, seat: Seat, move: object) -> None:
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
    if nudge not in game.nudges(state, seat):
        raise BadNudge(f"seat {seat} cannot say {nudge!r} now", seat=seat, field="nudge")
