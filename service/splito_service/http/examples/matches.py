"""Examples of requests and responses of matches: one match of each game."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from splito_arena.match.messages import turn_of
from splito_engine.game import Explanation, Reason
from splito_engine.match import legal_moves
from splito_service.http.examples.example import LANGUAGE, Examples, one, plain
from splito_service.http.examples.played_match import GRACE, OPTIONS, Moments, illegal_move, moments
from splito_service.http.examples.problems import EXAMPLES
from splito_service.matches.events import Place, news_since
from splito_service.matches.list_store import from_kept
from splito_service.matches.model import OPEN, Sitter, StoredMatch
from splito_service.matches.schemas import (
    BotJoining,
    BotSeated,
    GameSchemas,
    Joining,
    MatchPage,
    NewBot,
    NewOpen,
    NewPerson,
    NewSeat,
    Sealed,
    match_of,
    summary_of,
)
from splito_service.problems import problem_fields

Json: TypeAlias = dict[str, Any]

TOKEN = "seat-{}-{}-example-example-example-example-"  # noqa: S105 (nobody's)


def create_match(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(body=_wanted(wire, shown), answer=_created(wire, shown))


def list_matches(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(one("page", "A page with one match", MatchPage([summary_of(from_kept(shown.later))], None)))


def get_match(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(_looks(wire, shown))


def join_match(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(body=_joining(shown), answer=_joined(wire, shown))


def seat_bot(_: GameSchemas) -> Examples:
    return Examples(
        body=one("house", "A house bot", BotJoining("planner")), answer=one("seat", "Its seat", BotSeated(1))
    )


def seal_move(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return _sealing(wire, shown)


def list_turns(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(one("turns", "The first turns", _turns(wire, shown.later)))


def watch_match(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(_streams(shown))


def get_record(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(one("record", "The whole match", shown.over.record()))


def explain_match(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return Examples(one("scores", "The points of each zone, group or column", _explanation(shown.over)))


def _wanted(wire: GameSchemas, shown: Moments) -> Json:
    return one("full", "No seat is open: the match begins at once", _new_match(wire, shown.begun)) | one(
        "open", "One seat is open for another person", _new_match(wire, shown.open)
    )


def _new_match(wire: GameSchemas, kept: StoredMatch) -> Any:
    seats = [_new_seat(sitter) for sitter in kept.sitters]
    chosen = wire.game.OpenOptions(**OPTIONS.get(wire.game.INFO.id, {}))
    return wire.NewMatch(seats=seats, options=chosen, clock=kept.deal.clock)


def _new_seat(sitter: Sitter) -> NewSeat:
    return {"person": NewPerson(sitter.name), "bot": NewBot(sitter.bot), "open": NewOpen()}[sitter.kind]


def _created(wire: GameSchemas, shown: Moments) -> Json:
    """Return a match with an open seat; the examples of `get_match` and `join_match` show matches that have begun."""
    created = wire.MatchCreated(tokens=list(_tokens(shown.open)), match=match_of(wire, shown.open, None))
    return one("open", "One seat is open", created)


def _tokens(kept: StoredMatch) -> Iterator[str | None]:
    """Yield the token of each seat with a person; None for the other seats. The persons are numbered from 1."""
    number = 0
    for seat, sitter in enumerate(kept.sitters):
        number += sitter.kind == "person"
        yield TOKEN.format(seat, number) if sitter.kind == "person" else None


def _looks(wire: GameSchemas, shown: Moments) -> Json:
    return one("seat", "A running match in the view of a seat", match_of(wire, shown.later, 0)) | one(
        "over", "A finished match in the public view", match_of(wire, shown.over, None)
    )


def _joining(shown: Moments) -> Json:
    return one("any", "Any open seat", Joining(GRACE.name)) | one(
        "chosen", "A chosen seat", Joining(GRACE.name, shown.open.sitters.index(OPEN))
    )


def _joined(wire: GameSchemas, shown: Moments) -> Json:
    seat = shown.open.sitters.index(OPEN)
    joined = wire.Joined(seat=seat, token=TOKEN.format(seat, seat + 1), match=match_of(wire, shown.begun, seat))
    return one("joined", "The last open seat was taken, so the match begins", joined)


def _sealing(wire: GameSchemas, shown: Moments) -> Examples:
    later = shown.later
    sealed = Sealed(later.id, later.turn, seat=0, next=later.turn + 1, over=False)
    moves = legal_moves(later.match, 0)
    nudge = next(iter(wire.game.nudges(later.match.state, 0)), None)
    said = {} if nudge is None else one("nudge", "A move with a nudge", wire.Decision(move=moves[-1], nudge=nudge))
    refused = {
        error.code: {"value": plain(wire.MoveProblem(**problem_fields(error), legal_moves=moves))}
        for error in (EXAMPLES["unknown-move"], illegal_move(shown))
    }
    return Examples(
        body=one("move", "A move", wire.Decision(move=moves[0])) | said,
        answer=one("sealed", "The last move of the turn, so the turn is revealed", sealed),
        refused=refused,
    )


def _turns(wire: GameSchemas, kept: StoredMatch) -> Any:
    return wire.Turns(turns=[turn_of(wire.game, number, turn) for number, turn in enumerate(kept.match.turns)])


def _streams(shown: Moments) -> Json:
    """Return the stream from the beginning, and the stream from before the last turn."""
    place, first = news_since(shown.later, Place())
    _, last = news_since(shown.over, Place(len(shown.over.match.turns) - 1, place.seating))
    return {
        "beginning": {"summary": "From the beginning", "value": "retry: 1000\n\n" + b"".join(first).decode()},
        "end": {
            "summary": "From before the last turn",
            "value": "retry: 1000\n\n" + b"".join(last).decode(),
        },
    }


def _explanation(kept: StoredMatch) -> Explanation:
    """Return the explanation of a match; of those reasons that score nothing, each section has one."""
    whole = kept.match.game.explain(kept.match.state, LANGUAGE)
    return replace(whole, sections=tuple(replace(one, reasons=_telling(one.reasons)) for one in whole.sections))


def _telling(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    missed = next((reason for reason in reasons if not reason.met), None)
    return tuple(reason for reason in reasons if reason.met or reason is missed)
