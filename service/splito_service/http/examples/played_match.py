"""The example match of a game, really played, at the moments that the examples show.

Nothing in it is left to chance or to the clock, so the contract is the same whenever it is written.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from splito_engine.errors import GameError, IllegalMove
from splito_engine.game import AnyGame
from splito_engine.match import Match, check_move, legal_moves, play, start
from splito_service.http.examples.example import EXAMPLE_ID
from splito_service.http.examples.problems import EXAMPLES
from splito_service.ids import created
from splito_service.matches.model import OPEN, Deal, Sitter, StoredMatch, TurnClock

SEED, SALT = "example", "00112233445566778899aabbccddeeff"
OPTIONS = {"splito": {"talk": True}}
"""Options of the example match by game; the standard options for the other games."""
ADA, GRACE, PLANNER = Sitter("person", "Ada"), Sitter("person", "Grace"), Sitter("bot", "planner", "planner")


class Moments(NamedTuple):
    open: StoredMatch
    """The match while the seat of Grace is open."""
    begun: StoredMatch
    later: StoredMatch
    """The match after some revealed turns, when all seats but Ada's have decided for the next."""
    over: StoredMatch


@cache
def moments(game: AnyGame) -> Moments:
    """Return the moments of an example match of Ada, Grace and a bot, or as many of them as may play."""
    players = max(game.INFO.min_players, min(game.INFO.max_players, 3))
    matches = list(_turns(start(game, players, SEED, OPTIONS.get(game.INFO.id))))
    later = next(match for match in matches[2:] if 0 in match.actors)
    guest = min(1, players - 1)
    begun = _kept(matches[0])
    return Moments(
        open=replace(begun, begun=False, sitters=tuple(_sitter(seat, guest) for seat in range(players))),
        begun=begun,
        later=replace(_kept(later), sealed=frozenset(later.actors) - {0}),
        over=_kept(matches[-1]),
    )


def _turns(match: Match) -> Iterator[Match]:
    """Yield the match before the first turn and after each. In the first turn Ada sends a nudge if she may."""
    nudges = match.game.nudges(match.state, 0)
    talk = {0: nudges[0]} if nudges else {}
    while not match.over:
        yield match
        legal = {seat: legal_moves(match, seat) for seat in match.actors}
        numbers = {seat: (5 * len(match.turns) + 3 * seat) % len(moves) for seat, moves in legal.items()}
        match = play(match, {seat: moves[numbers[seat]] for seat, moves in legal.items()}, talk)
        talk = {}
    yield match


def _kept(match: Match) -> StoredMatch:
    info, options = match.game.INFO, msgspec.to_builtins(match.options)
    return StoredMatch(
        id=EXAMPLE_ID,
        deal=Deal(info.id, info.version, match.players, SEED, SALT, options, TurnClock(60)),
        match=match,
        sitters=tuple(_sitter(seat) for seat in range(match.players)),
        change=4 * len(match.turns),
        began=round(1000 * created(EXAMPLE_ID).timestamp()) + 10_000 * len(match.turns),
    )


def _sitter(seat: int, missing: int | None = None) -> Sitter:
    return OPEN if seat == missing else (ADA, GRACE)[seat] if seat < 2 else PLANNER


def illegal_move(shown: Moments) -> GameError:
    """Return the error that the rules raise for a move of another turn."""
    match = shown.later.match
    for move in (move for turn in shown.over.match.turns for move in turn.moves.values()):
        try:
            check_move(match.game, match.state, 0, move)
        except IllegalMove as error:
            return error
    return EXAMPLES["illegal-move"]
