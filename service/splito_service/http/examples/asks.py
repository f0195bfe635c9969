"""Examples of open asks and of the log of asks: a turn of each game, and the answers of Ada's bot."""

from collections.abc import Sequence

from splito_arena.faults import Fault, FaultNote, Refusal, explained
from splito_engine.game import AnyGame
from splito_engine.match import legal_moves
from splito_service.bots.ask_model import Logged, Row, Try
from splito_service.bots.ask_schemas import Answered, AskPage, OpenAsks, logged_of, summary_of
from splito_service.http.examples.bot_messages import asked
from splito_service.http.examples.example import EXAMPLE_ID, Examples, one, plain
from splito_service.http.examples.played_match import Moments, illegal_move, moments
from splito_service.ids import moment
from splito_service.matches.schemas import GameSchemas
from splito_service.problems import problem_fields


def list_open_asks(games: Sequence[AnyGame]) -> Examples:
    waiting = [asked(games[0])[0].to_wire(moment(moments(games[0]).later.began))]
    return Examples(one("asks", "One open ask", OpenAsks(waiting)) | one("none", "No open ask", OpenAsks([])))


def list_asks(games: Sequence[AnyGame]) -> Examples:
    logged = [_late(games[0]), _refused(games[0]), _corrected(games[0])]
    return Examples(one("page", "Three asks", AskPage([summary_of(ask) for ask in logged], None)))


def get_ask(games: Sequence[AnyGame]) -> Examples:
    late, corrected = _late(games[0]), _corrected(games[0])
    return Examples(
        one("corrected", "The second answer was valid", logged_of(corrected))
        | one("late", "No answer came in time", logged_of(late))
    )


def _corrected(game: AnyGame) -> Logged:
    later, _ = asked(game)
    request = later.encoded(moment(moments(game).later.began)).decode()
    ask, wrong = later.ask, Fault("wrong-schema", "name either `move` or `index`")
    fault = FaultNote(ask.turn, wrong.code, str(wrong))
    row = Row(match=ask.match, game=ask.game, turn=ask.turn, seat=ask.seat, elapsed_ms=240, fault=None, status=200)
    tries = (
        Try(request=request, response="{}", debug=None, elapsed_ms=160, fault=fault, status=200),
        Try(
            request=request,
            response='{"index":0}',
            debug="the first is as good as any",
            elapsed_ms=240,
            fault=None,
            status=200,
        ),
    )
    return Logged(EXAMPLE_ID, later.id, row, tries)


def _refused(game: AnyGame) -> Logged:
    _, begun = asked(game)
    ask, said = begun.ask, Fault("bad-status", "401")
    said.refusal = Refusal(
        401, b'{"code":"replayed","detail":"message owl_1 has come before: send a new one with a new id"}'
    )
    fault = FaultNote(ask.turn, said.code, explained(said))
    row = Row(match=ask.match, game=ask.game, turn=ask.turn, seat=ask.seat, elapsed_ms=3.1, fault=fault, status=401)
    return Logged(EXAMPLE_ID, begun.id, row)


def _late(game: AnyGame) -> Logged:
    _, begun = asked(game)
    ask, elapsed = begun.ask, 1000 * begun.allowed
    fault = FaultNote(ask.turn, "time-out", str(Fault("time-out", f"nothing within {begun.allowed:g} s")))
    request = begun.encoded(moment(moments(game).begun.began)).decode()
    row = Row(match=ask.match, game=ask.game, turn=ask.turn, seat=ask.seat, elapsed_ms=elapsed, fault=fault)
    return Logged(
        EXAMPLE_ID, begun.id, row, (Try(request=request, response="", debug=None, elapsed_ms=elapsed, fault=fault),)
    )


def answer_ask(wire: GameSchemas) -> Examples:
    shown = moments(wire.game)
    return _answering(wire, shown)


def _answering(wire: GameSchemas, shown: Moments) -> Examples:
    moves, ask = legal_moves(shown.later.match, 0), f"{shown.later.id}-{shown.later.turn}-0"
    illegal = problem_fields(illegal_move(shown))
    problem = wire.AnswerProblem(**illegal, legal_moves=moves, milliseconds_left=4321)
    by_index = wire.Answer(index=0, debug="all moves look the same to me")
    return Examples(
        body=one("move", "A move", wire.Answer(move=moves[0])) | one("index", "A move by its index", by_index),
        answer=one("taken", "The arena accepts the answer", Answered(ask, 5678)),
        refused={problem.code: {"value": plain(problem)}},
    )
