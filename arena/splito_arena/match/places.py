"""Places of the seats of a match, by their scores."""

from collections.abc import Sequence

from splito_engine.game import Scores, Seat


def judged(scores: Scores, replaced: Sequence[bool]) -> Scores:
    """Return scores by which bots that were replaced come last, and share the last places."""
    return tuple((0,) if out else (1, *score) for score, out in zip(scores, replaced, strict=True))


def rank(scores: Scores, seat: Seat) -> float:
    """Return the place of a seat, from 1; tied seats share the mean of their places."""
    better = sum(score > scores[seat] for score in scores)
    return better + (scores.count(scores[seat]) + 1) / 2


def winners(scores: Scores) -> tuple[Seat, ...]:
    best = max(scores)
    return tuple(seat for seat, score in enumerate(scores) if score == best)


def share_of_win(scores: Scores, seat: Seat) -> float:
    """Return the share of the win: 1/k for each of k winners, 0 for the others."""
    best = winners(scores)
    return 1 / len(best) if seat in best else 0.0
