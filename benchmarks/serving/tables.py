"""Tables for the load: matches created through the service, with their moves computed beforehand.

The deal is a secret of the server, so it is read from Redis.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from random import Random

import msgspec
from msgspec import Struct

from benchmarks.serving.load import Load, Talk, Talker, once
from splito_engine.game import Scores, Seat
from splito_engine.match import legal_moves, play
from splito_service.matches.model import Decision, StoredMatch
from splito_service.matches.store import Matches

GAME = "splito"
NAMES = ("Ada", "Ben", "Chloé", "Dora")
PLAYERS = len(NAMES)
SEALS = 13 * PLAYERS
"""Number of moves of a match."""
AT_ONCE = 64
RNG = Random(1)


class Place(Struct, frozen=True, eq=False):
    """A match and the tokens of its seats."""

    id: str
    tokens: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"/v1/{GAME}/matches/{self.id}"

    def view(self, seat: Seat | None = None, *fields: str) -> bytes:
        """Return the request for the view, with these further header fields."""
        return request("GET", self.path, *fields, token=None if seat is None else self.tokens[seat])


class Table(Place, frozen=True, eq=False):
    """A match whose moves are computed beforehand."""

    turns: tuple[tuple[Decision, ...], ...]
    """Decisions in the order in which the seats make them."""
    scores: Scores
    """The final scores of the match."""

    def seal(self, decision: Decision) -> bytes:
        """Return the request that seals the decision."""
        path = f"{self.path}/turns/{decision.turn}/seats/{decision.seat}"
        return request("PUT", path, token=self.tokens[decision.seat], body={"move": decision.move})


class Id(Struct, frozen=True):
    id: str


class Created(Struct, frozen=True):
    """The fields that the load needs from the answer to a new match."""

    tokens: tuple[str, ...]
    match: Id


def request(method: str, path: str, *fields: str, token: str | None = None, body: object = None) -> bytes:
    """Return the bytes of a request."""
    head, content = [f"{method} {path} HTTP/1.1", "Host: splito.test", *fields], b""
    if token:
        head.append(f"Authorization: Bearer {token}")
    if body is not None:
        content = msgspec.json.encode(body)
        head += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    return "\r\n".join((*head, "", "")).encode() + content


async def make(load: Load, count: int) -> list[Place]:
    """Create matches through the service."""
    found: list[Place] = []
    todo = iter(range(count))
    run = await load.run([Talker(_making(todo, found)) for _ in range(load.size)])
    if run.statuses != {201: count}:
        raise RuntimeError(f"{count} matches were to be made; the answers: {dict(run.statuses)}")
    return found


def _making(todo: Iterator[int], found: list[Place]) -> Talk:
    body = {"seats": [{"kind": "person", "name": name} for name in NAMES]}
    new = request("POST", f"/v1/{GAME}/matches", body=body)
    for _ in todo:
        created = msgspec.json.decode((yield new).body, type=Created)
        found.append(Place(created.match.id, created.tokens))


async def plan(matches: Matches, places: Iterable[Place]) -> list[Table]:
    """Return a match with random moves."""
    return [await _plan(matches, place) for place in places]


async def _plan(matches: Matches, place: Place) -> Table:
    match = (await matches.get(place.id)).match
    turns: list[tuple[Decision, ...]] = []
    while not match.over:
        moves = {seat: RNG.choice(legal_moves(match, seat)) for seat in match.actors}
        order = RNG.sample(match.actors, len(match.actors))
        turns.append(tuple(Decision(len(turns), seat, moves[seat]) for seat in order))
        match = play(match, moves)
    return Table(place.id, place.tokens, tuple(turns), match.scores)


async def advance(matches: Matches, places: Sequence[Place], turns: int) -> None:
    """Play the first turns in the store, without the service, because they are not measured."""
    for begin in range(0, len(places), AT_ONCE):
        await asyncio.gather(*(_advance(matches, place.id, turns) for place in places[begin : begin + AT_ONCE]))


async def _advance(matches: Matches, match_id: str, turns: int) -> None:
    kept = await matches.get(match_id)
    for _ in range(turns):
        kept = await play_turn(matches, kept)


async def play_turn(matches: Matches, kept: StoredMatch) -> StoredMatch:
    """Play a random turn in the store."""
    match = kept.match
    for seat in match.actors:
        kept = await matches.seal(kept.id, Decision(len(match.turns), seat, RNG.choice(legal_moves(match, seat))))
    return kept


def alone(tables: Iterable[Table]) -> Talk:
    """Play match after match, one decision at a time: every fourth reveals a turn, the last one ends the match.

    All requests are encoded beforehand, like those for the constant, because the load shares its core with Redis.
    """
    return once([table.seal(decision) for table in tables for turn in table.turns for decision in turn])


class Crowd:
    """Tables at which all seats decide at the same time, each on its own connection."""

    def __init__(self, tables: Iterable[Table], busy: int) -> None:
        """Create the crowd; `busy` is the number of tables that are played at the same time."""
        self._tables = iter(tables)
        self._todo: deque[tuple[Table, Decision]] = deque()
        self._missing: Counter[Table] = Counter()
        for _ in range(busy):
            self._begin(next(self._tables), 0)

    def talk(self) -> Talk:
        while self._todo:
            table, decision = self._todo.popleft()
            yield table.seal(decision)
            self._missing[table] -= 1
            if not self._missing[table]:
                self._go_on(table, decision.turn + 1)

    def _go_on(self, table: Table, turn: int) -> None:
        if turn < len(table.turns):
            self._begin(table, turn)
        elif other := next(self._tables, None):
            self._begin(other, 0)

    def _begin(self, table: Table, turn: int) -> None:
        self._todo.extend((table, decision) for decision in table.turns[turn])
        self._missing[table] = len(table.turns[turn])
