"""Golden files: what the rules do today, written down, so that nobody changes it by accident.

`playthroughs/` has one match per game and number of players: every move, every score, a digest of every view, and the
explanation at the end. `perft.json` counts the ways in which small positions can go on, split by the first turn
(*divide*), so that a wrong count says where to look. `make golden` writes them anew.
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec

from splito_engine.game import AnyGame
from splito_engine.match import Match, legal_moves, play, start
from splito_engine.registry import find_game

FOLDER = Path(__file__).parent
HOUSE = ("splito", "splitit", "splitter")


class Position(NamedTuple):
    """A match after some random turns, and how deep to count from there."""

    game: str
    players: int
    options: dict[str, object]
    turns: int
    depth: int

    @property
    def name(self) -> str:
        return f"{self.game} {self.players} {json.dumps(self.options)} turn {self.turns} depth {self.depth}"


POSITIONS = [
    Position("splito", 2, {}, 24, 2),
    Position("splito", 3, {}, 11, 2),
    Position("splito", 3, {"deals": 2}, 12, 2),
    Position("splito", 4, {}, 12, 1),
    Position("splitit", 2, {}, 0, 4),
    Position("splitit", 2, {"remove_at_every_split": True}, 3, 4),
    Position("splitit", 3, {}, 0, 3),
    Position("splitit", 4, {}, 1, 2),
    Position("splitter", 1, {"sheet": "A"}, 19, 3),
    Position("splitter", 1, {"sheet": "B"}, 19, 3),
    Position("splitter", 2, {"sheet": "A"}, 20, 2),
]


def playthrough(game: AnyGame, players: int) -> str:
    """One random match as a text."""
    match = start(game, players, "golden")
    lines = [f"{game.INFO.id} {game.INFO.version}, {players} players, seed 'golden'", _views(match)]
    for number, after in enumerate(_random_turns(match, Random("golden"))):
        moves = after.turns[-1].moves.items()
        lines.append(f"{number}: " + "  ".join(f"{seat} {game.move_text(move)}" for seat, move in moves))
        lines.append(f"   scores {_scores(after)}  {_views(after)}")
        match = after
    explanation = game.explain(match.state, "en")
    for section in explanation.sections:
        lines.append(f"{section.title}: {section.points}")
        lines += [f"  {'+' if reason.met else '-'}{reason.points} {reason.text}" for reason in section.reasons]
    return "\n".join([*lines, *explanation.totals, ""])


def divide(position: Position) -> dict[str, list[int]]:
    """For each first turn: how many ways lead on from there, and the points of all seats at their ends, added up."""
    game = find_game(position.game)
    match = start(game, position.players, "golden", position.options)
    for after in _random_turns(match, Random(position.name)):
        if len(match.turns) == position.turns:
            break
        match = after
    counts: dict[str, list[int]] = {}
    for moves in _joint_moves(game, match.state):
        name = " ".join(map(game.move_text, game.to_wire(match.state, [*moves.values()])))
        counts[name] = list(_count(game, game.apply(match.state, moves), position.depth - 1))
    return counts


def _count(game: AnyGame, state: Any, depth: int) -> tuple[int, int]:
    if depth == 0 or not game.actors(state):
        ways = prod(len(game.moves(state, seat)) for seat in game.actors(state))
        return ways, sum(score[0] for score in game.scores(state))
    counts = [_count(game, game.apply(state, moves), depth - 1) for moves in _joint_moves(game, state)]
    return sum(ways for ways, _ in counts), sum(points for _, points in counts)


def _joint_moves(game: AnyGame, state: Any) -> Iterator[dict[int, Any]]:
    seats = game.actors(state)
    for moves in product(*(game.moves(state, seat) for seat in seats)):
        yield dict(zip(seats, moves, strict=True))


def _random_turns(match: Match, rng: Random) -> Iterator[Match]:
    """The matches after each turn, to the end. Only `random()` is used: it is the same in every Python."""
    while not match.over:
        legal = {seat: legal_moves(match, seat) for seat in match.actors}
        match = play(match, {seat: moves[int(rng.random() * len(moves))] for seat, moves in legal.items()})
        yield match


def _scores(match: Match) -> str:
    return " ".join(":".join(map(str, score)) for score in match.scores)


def _views(match: Match) -> str:
    """A digest of everything that anybody is shown."""
    seats = (None, *range(match.players))
    shown = [(match.game.view(match.state, seat), legal_moves(match, seat or 0)) for seat in seats]
    return "views " + hashlib.sha256(msgspec.json.encode(shown)).hexdigest()[:16]


def playthrough_file(game_id: str, players: int) -> Path:
    return FOLDER / "playthroughs" / f"{game_id}-{players:02}.txt"


def playthroughs() -> Iterator[tuple[str, int]]:
    for game_id in HOUSE:
        info = find_game(game_id).INFO
        for players in range(info.min_players, info.max_players + 1):
            yield game_id, players


def write() -> None:
    (FOLDER / "playthroughs").mkdir(exist_ok=True)
    for game_id, players in playthroughs():
        playthrough_file(game_id, players).write_text(playthrough(find_game(game_id), players), "utf-8")
    counts = {position.name: divide(position) for position in POSITIONS}
    lines = [f"{json.dumps(name)}: {json.dumps(counted)}" for name, counted in counts.items()]
    (FOLDER / "perft.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    write()
