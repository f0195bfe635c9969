"""The examples of the contract: what is asked and answered about one match of each game."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from splito_arena.match.messages import turn_of
from splito_engine.errors import GameError, IllegalMove
from splito_engine.game import AnyGame, Explanation, Language
from splito_engine.match import check_move, legal_moves
from splito_service.bots.ask_schemas import Answered
from splito_service.http.catalogue_schemas import Cards, Games, Health, House, ProblemKind, Problems, RulesText, game_of
from splito_service.http.contract.example_match import GRACE, OPTIONS, Moments, moments
from splito_service.http.contract.json_schemas import plain
from splito_service.http.contract.problem_responses import EXAMPLES
from splito_service.http.routes.match_events import Place, news_since
from splito_service.matches.list_store import from_kept
from splito_service.matches.model import OPEN, Sitter, StoredMatch
from splito_service.matches.schemas import (
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
from splito_service.problems import problem_fields, table

Json: TypeAlias = dict[str, Any]

TOKEN = "seat-{}-{}-example-example-example-example-"  # noqa: S105 (nobody's)
LANGUAGE: Language = "en"


class Examples(NamedTuple):
    """Of one operation: by name."""

    answer: Mapping[str, Json]
    body: Mapping[str, Json] = MappingProxyType({})
    refused: Mapping[str, Json] = MappingProxyType({})
    """Where a refusal says more than a `Problem`."""
    others: Mapping[str, Mapping[str, Json]] = MappingProxyType({})
    """Of answers in other media, by these."""


def of_service(games: Sequence[AnyGame]) -> dict[str, Examples]:
    return {
        "listGames": Examples(one("games", "What is played here", Games([game_of(game.INFO) for game in games]))),
        "listHouse": Examples(one("bots", "The bots of the house", House(["greedy", "planner", "random"]))),
        "listProblems": Examples(one("problems", "All codes", Problems([ProblemKind(*row) for row in table()]))),
        "getLiveness": Examples(one("live", "It lives", Health("live"))),
        "getReadiness": Examples(one("ready", "It is ready", Health("ready"))),
    }


def of_game(wire: GameSchemas) -> dict[str, Examples]:
    """By the id of the operation."""
    shown = moments(wire.game)
    return {
        "create{Game}Match": Examples(body=_wanted(wire, shown), answer=_created(wire, shown)),
        "list{Game}Matches": Examples(one("page", "One match", MatchPage([summary_of(from_kept(shown.later))], None))),
        "get{Game}Match": Examples(_looks(wire, shown)),
        "join{Game}Match": Examples(body=_joining(shown), answer=_joined(wire, shown)),
        "delete{Game}Match": Examples({}),
        "leave{Game}Match": Examples({}),
        "seal{Game}Move": _sealing(wire, shown),
        "answer{Game}Ask": _answering(wire, shown),
        "list{Game}Turns": Examples(one("turns", "The first turns", _turns(wire, shown.later))),
        "watch{Game}Match": Examples(_streams(shown)),
        "get{Game}Record": Examples(one("record", "The whole match", shown.over.record())),
        "explain{Game}Match": Examples(one("scores", "Where the points come from", _explanation(shown.over))),
        "get{Game}Rules": Examples(one("rules", "How the rules begin", _rules(wire.game))),
        "list{Game}Cards": Examples(one("cards", "The first cards", _cards(wire.game))),
    }


def one(name: str, summary: str, value: Any) -> Json:
    return {name: {"summary": summary, "value": plain(value)}}


def _wanted(wire: GameSchemas, shown: Moments) -> Json:
    return one("full", "Everybody is here: it begins at once", _new_match(wire, shown.begun)) | one(
        "open", "A seat is left for somebody else", _new_match(wire, shown.open)
    )


def _new_match(wire: GameSchemas, kept: StoredMatch) -> Any:
    seats = [_new_seat(sitter) for sitter in kept.sitters]
    chosen = wire.game.OpenOptions(**OPTIONS.get(wire.game.INFO.id, {}))
    return wire.NewMatch(seats=seats, options=chosen, clock=kept.deal.clock)


def _new_seat(sitter: Sitter) -> NewSeat:
    return {"person": NewPerson(sitter.name), "bot": NewBot(sitter.bot), "open": NewOpen()}[sitter.kind]


def _created(wire: GameSchemas, shown: Moments) -> Json:
    def answer(kept: StoredMatch) -> Any:
        return wire.MatchCreated(tokens=list(_tokens(kept)), match=match_of(wire, kept, None))

    return one("full", "It has begun", answer(shown.begun)) | one("open", "A seat is open", answer(shown.open))


def _tokens(kept: StoredMatch) -> Iterator[str | None]:
    """The sittings of persons are numbered."""
    number = 0
    for seat, sitter in enumerate(kept.sitters):
        number += sitter.kind == "person"
        yield TOKEN.format(seat, number) if sitter.kind == "person" else None


def _looks(wire: GameSchemas, shown: Moments) -> Json:
    return one("seat", "As a seat sees it", match_of(wire, shown.later, 0)) | one(
        "over", "As everybody sees it when it is over", match_of(wire, shown.over, None)
    )


def _joining(shown: Moments) -> Json:
    return one("any", "Any open seat", Joining(GRACE.name)) | one(
        "chosen", "A certain seat", Joining(GRACE.name, shown.open.sitters.index(OPEN))
    )


def _joined(wire: GameSchemas, shown: Moments) -> Json:
    seat = shown.open.sitters.index(OPEN)
    joined = wire.Joined(seat=seat, token=TOKEN.format(seat, seat + 1), match=match_of(wire, shown.begun, seat))
    return one("joined", "It was the last one, so the match begins", joined)


def _sealing(wire: GameSchemas, shown: Moments) -> Examples:
    later = shown.later
    sealed = Sealed(later.id, later.turn, seat=0, next=later.turn + 1, over=False)
    moves = legal_moves(later.match, 0)
    nudge = next(iter(wire.game.nudges(later.match.state, 0)), None)
    said = {} if nudge is None else one("nudge", "With a word", wire.Decision(move=moves[-1], nudge=nudge))
    refused = {
        error.code: {"value": plain(wire.MoveProblem(**problem_fields(error), legal_moves=moves))}
        for error in (EXAMPLES["unknown-move"], _illegal(shown))
    }
    return Examples(
        body=one("move", "A move", wire.Decision(move=moves[0])) | said,
        answer=one("sealed", "It was the last one, so the turn is revealed", sealed),
        refused=refused,
    )


def _answering(wire: GameSchemas, shown: Moments) -> Examples:
    moves, ask = legal_moves(shown.later.match, 0), f"{shown.later.id}-{shown.later.turn}-0"
    illegal = problem_fields(_illegal(shown))
    problem = wire.AnswerProblem(**illegal, legal_moves=moves, milliseconds_left=4321)
    by_index = wire.Answer(index=0, debug="all moves look the same to me")
    return Examples(
        body=one("move", "A move", wire.Answer(move=moves[0])) | one("index", "A move by its index", by_index),
        answer=one("taken", "It is taken", Answered(ask, 5678)),
        refused={problem.code: {"value": plain(problem)}},
    )


def _illegal(shown: Moments) -> GameError:
    """What the rules say to a move of another moment."""
    match = shown.later.match
    for move in (move for turn in shown.over.match.turns for move in turn.moves.values()):
        try:
            check_move(match.game, match.state, 0, move)
        except IllegalMove as error:
            return error
    return EXAMPLES["illegal-move"]


def _turns(wire: GameSchemas, kept: StoredMatch) -> Any:
    return wire.Turns(turns=[turn_of(wire.game, number, turn) for number, turn in enumerate(kept.match.turns)])


def _streams(shown: Moments) -> Json:
    """From the beginning, and from before the last turn."""
    place, first = news_since(shown.later, Place())
    _, last = news_since(shown.over, Place(len(shown.over.match.turns) - 1, place.seating))
    return {
        "beginning": {"summary": "From the beginning", "value": "retry: 1000\n\n" + b"".join(first).decode()},
        "end": {"summary": "Somebody comes back for the end", "value": "retry: 1000\n\n" + b"".join(last).decode()},
    }


def _explanation(kept: StoredMatch) -> Explanation:
    return kept.match.game.explain(kept.match.state, LANGUAGE)


def _rules(game: AnyGame) -> RulesText:
    beginning = "\n\n".join(game.rulebook(LANGUAGE).split("\n\n")[:3])
    return RulesText(game.INFO.id, game.INFO.version, LANGUAGE, beginning)


def _cards(game: AnyGame) -> Cards:
    return Cards(game.INFO.id, LANGUAGE, list(game.cards(LANGUAGE))[:3])
