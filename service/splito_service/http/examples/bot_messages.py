"""Examples of the bot's document: requests to a bot and its answers, in the matches of `played_match`."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from splito_arena.bots.push_client import proof
from splito_arena.faults import Fault
from splito_arena.match.messages import BotInfo, Challenge, ChallengeMet, Ended, Noted, messages_of
from splito_arena.match.question import History, Question, question, read_answer
from splito_arena.match.referee import places
from splito_arena.match.seat import Clock
from splito_arena.net.signing import Key, sign
from splito_engine.game import AnyGame
from splito_engine.player import Cost, Time
from splito_service.bots.schemas import BotProblem
from splito_service.http.examples.example import EXAMPLE_ID, Json, plain
from splito_service.http.examples.played_match import moments
from splito_service.ids import moment
from splito_service.matches.model import StoredMatch

SECRET = "whsec_ZXhhbXBsZS1leGFtcGxlLWV4YW1wbGUt"  # noqa: S105 (nobody's)
CHALLENGE = Challenge("example-example-example-example")
MESSAGE, SENT = "example-1", 1_794_830_400
REFUSES = BotProblem(status=401, title="Unauthorized", detail="no signature is right", code="wrong-signature")
FAILS = BotProblem(status=500, title="Internal Server Error", detail="KeyError: 'star-9'", code="crashed")
OTHER_ID = EXAMPLE_ID[:-1] + "r"
CLOCK = Clock()
LAST = Cost(elapsed_ms=1204.5, charged_ms=205, outcome="ok")
LATER = Time(CLOCK.turn_ms + CLOCK.bank_ms - LAST.charged_ms, CLOCK.turn_ms, CLOCK.bank_ms - LAST.charged_ms)
FIRST = Time(CLOCK.turn_ms + CLOCK.bank_ms, CLOCK.turn_ms, CLOCK.bank_ms)


def bot_examples(games: Sequence[AnyGame]) -> dict[str, Json]:
    """Return all examples by name.

    The first example of each answer suits every request, so that a mock server made from the document is a legal bot:
    it takes no batches, and answers every ask with the default move.
    """
    info = BotInfo(name="Marvin", author="Ada", version="1.2.0", games=[game.INFO.id for game in games], concurrency=8)
    full = replace(info, batch=64, notices=True, ed25519=True)
    by_index = messages_of(games[0]).Answer(index=0)
    found = {
        "BotInfo": _example("A bot that takes one ask per request", info),
        "BotInfoInFull": _example("A bot that takes batches and notices, and checks Ed25519 signatures", full),
        "AnswerByIndex": _example("The default move, by its index: legal in every turn of every game", by_index),
        "Noted": _example("An empty answer", Noted()),
        "Challenge": _example("A challenge", CHALLENGE),
        "ChallengeMet": _example("The proof for this challenge", ChallengeMet(proof(SECRET, CHALLENGE.challenge))),
        "BotRefuses": _example("The signature is wrong", REFUSES),
        "BotFails": _example("The bot failed", FAILS),
    }
    for game in games:
        found |= {game.INFO.id.capitalize() + name: example for name, example in _of_game(game)}
    return found


def signed_headers() -> dict[str, str]:
    """Return the headers of the challenge in the examples."""
    return sign(Key(SECRET), MESSAGE, SENT, msgspec.json.encode(CHALLENGE))


def asked(game: AnyGame) -> tuple[Question, Question]:
    """Return two questions: from the third turn of a match, and from the first turn of another."""
    shown = moments(game)
    later = question(shown.later.match, 0, shown.later.id, History(), time=LATER, last=LAST)
    begun = shown.begun.match
    return later, question(begun, begun.actors[0], OTHER_ID, History(), time=FIRST)


def _of_game(game: AnyGame) -> Iterator[tuple[str, Json]]:
    title, types, shown = game.INFO.titles["en"], messages_of(game), moments(game)
    later, begun = asked(game)
    wires = [_again(game), begun.to_wire(moment(shown.begun.began))]
    by_move = types.Answer(ask=later.id, move=later.ask.moves[0], nudge=next(iter(later.ask.nudges), None))
    by_index = types.Answer(ask=begun.id, index=0, debug="all moves look the same to me")
    yield "Ask", _example(f"{title}: a turn", later.to_wire(moment(shown.later.began)))
    yield "Answer", _example(f"{title}: a move", by_move)
    yield "Asks", _example(f"{title}: an ask that is sent again, and the first turn of a match", types.Asks(asks=wires))
    yield "Answers", _example(f"{title}: an answer to each ask", types.Answers(answers=[by_index, by_move]))
    yield "Started", _example(f"{title}: a match begins", _started(game, shown.begun))
    yield "Ended", _example(f"{title}: a match is over", _ended(game, shown.over))


def _again(game: AnyGame) -> Any:
    """Return the ask that follows 20 ms later, after an answer with an index that is one too large."""
    first, shown = asked(game)[0], moments(game)
    try:
        read_answer(first, b'{"index": %d}' % len(first.ask.moves))
    except Fault as fault:
        return first.again(fault, first.allowed - 0.02).to_wire(moment(shown.later.began + 20))
    raise ValueError("there is no such move")


def _started(game: AnyGame, kept: StoredMatch) -> Any:
    return messages_of(game).Started(
        game=game.INFO.id,
        version=game.INFO.version,
        match=kept.id,
        seat=0,
        players=kept.match.players,
        options=kept.match.options,
        turn_ms=CLOCK.turn_ms,
        bank_ms=CLOCK.bank_ms,
    )


def _ended(game: AnyGame, kept: StoredMatch) -> Ended:
    scores = kept.match.scores
    return Ended(
        game=game.INFO.id,
        match=kept.id,
        seat=0,
        scores=[list(points) for points in scores],
        places=list(places(scores, [False] * len(scores))),
        faults=[],
        replaced=False,
    )


def _example(summary: str, value: Any) -> Json:
    return {"summary": summary, "value": plain(value)}
