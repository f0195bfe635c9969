"""Refusals of moves that do not belong to the current turn or the seat."""

from splito_engine.errors import AlreadySealed, WrongTurn
from splito_engine.game import Seat
from splito_service.errors import NotBegun, OutOfTime, wrong_token
from splito_service.matches.model import Decision, StoredMatch


def not_begun(seat: Seat) -> NotBegun:
    """Return the refusal of every move while seats are open."""
    return NotBegun("the match has not begun: seats are still open", seat=seat, field="turn")


def refuse(word: bytes, turn: int, now: int, seat: Seat) -> None:
    """Raise the error for the word of the script that sealed no move; do nothing for another word."""
    match word:
        case b"early":
            raise not_begun(seat)
        case b"gone":
            raise wrong_token(seat)
        case b"late":
            raise WrongTurn(f"turn {turn} has been revealed; the current turn is {now}", seat=seat, field="turn")
        case b"taken":
            raise AlreadySealed(f"seat {seat} has already sealed another move", seat=seat, field="move")
        case b"expired":
            raise OutOfTime(f"the time of seat {seat} for turn {turn} is over", seat=seat, field="turn")
        case _:
            return


def settled(kept: StoredMatch, decision: Decision) -> StoredMatch:
    """Return the match if its revealed turn contains the same decision, else raise."""
    match, turn, seat = kept.match, decision.turn, decision.seat
    if 0 <= turn < len(match.turns):
        revealed = match.turns[turn]
        said = (decision.move, decision.nudge)
        if seat in revealed.moves and (revealed.moves[seat], revealed.talk.get(seat)) == said:
            return kept
    what = "the match is over" if match.over else f"the current turn is {len(match.turns)}"
    raise WrongTurn(f"turn {turn} cannot be played; {what}", seat=seat, field="turn")
