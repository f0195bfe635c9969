"""The examples of asks that wait and of the log: a turn of each game, and what Ada's bot made of it."""

from collections.abc import Sequence

from splito_arena.faults import Fault, FaultNote
from splito_engine.game import AnyGame
from splito_service.bots.ask_log import Logged, Row, Try
from splito_service.bots.ask_schemas import AskPage, OpenAsks, logged_of, summary_of
from splito_service.http.contract.bot.examples import asked
from splito_service.http.contract.example_match import moments
from splito_service.http.contract.examples import Examples, one
from splito_service.http.contract.parameters import EXAMPLE_ID
from splito_service.ids import moment


def of_asks(games: Sequence[AnyGame]) -> dict[str, Examples]:
    waiting = [asked(game)[0].to_wire(moment(moments(game).later.began)) for game in games]
    late, corrected = _late(games[0]), _corrected(games[0])
    return {
        "listOpenAsks": Examples(
            one("asks", "A turn of each game", OpenAsks(waiting)) | one("none", "Nothing", OpenAsks([]))
        ),
        "listAsks": Examples(one("page", "Two asks", AskPage([summary_of(late), summary_of(corrected)], None))),
        "getAsk": Examples(
            one("corrected", "The second answer was good", logged_of(corrected))
            | one("late", "There was no answer", logged_of(late))
        ),
    }


def _corrected(game: AnyGame) -> Logged:
    later, _ = asked(game)
    request = later.encoded(moment(moments(game).later.began)).decode()
    ask, wrong = later.ask, Fault("wrong-schema", "name either `move` or `index`")
    fault = FaultNote(ask.turn, wrong.code, str(wrong))
    row = Row(match=ask.match, game=ask.game, turn=ask.turn, seat=ask.seat, elapsed_ms=240, fault=None)
    tries = (
        Try(request=request, response="{}", debug=None, elapsed_ms=160, fault=fault),
        Try(request=request, response='{"index":0}', debug="the first is as good as any", elapsed_ms=240, fault=None),
    )
    return Logged(EXAMPLE_ID, later.id, row, tries)


def _late(game: AnyGame) -> Logged:
    _, begun = asked(game)
    ask, elapsed = begun.ask, 1000 * begun.allowed
    fault = FaultNote(ask.turn, "time-out", str(Fault("time-out", f"nothing within {begun.allowed:g} s")))
    request = begun.encoded(moment(moments(game).begun.began)).decode()
    row = Row(match=ask.match, game=ask.game, turn=ask.turn, seat=ask.seat, elapsed_ms=elapsed, fault=fault)
    return Logged(
        EXAMPLE_ID, begun.id, row, (Try(request=request, response="", debug=None, elapsed_ms=elapsed, fault=fault),)
    )
