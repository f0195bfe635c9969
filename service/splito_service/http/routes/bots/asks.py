"""Endpoints of asks: pull bots poll for asks and answer them, and owners read the log."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from time import monotonic
from typing import Any

from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.faults import Fault, FaultNote
from splito_arena.match.question import Question, question_in, valid_answer
from splito_arena.match.seat import Exchange
from splito_engine.errors import BadNudge, GameError, IllegalMove
from splito_service.bots.ask_schemas import Answered, AskPage, LoggedAsk, OpenAsks, logged_of, summary_of
from splito_service.bots.ask_store import AcceptedAnswer, StoredAsk, poll_key, unknown
from splito_service.bots.model import Registered
from splito_service.errors import AlreadyAnswered, OutOfTime, UnknownAsk, UnknownBot, WrongAsk, WrongSchema
from splito_service.http.access import owner_of
from splito_service.http.answers.responses import Answer
from splito_service.http.common import AnyRequest, encode, json, read_body, read_key
from splito_service.http.endpoint import BODY, KEY, Endpoints, Link
from splito_service.http.examples import asks as examples
from splito_service.http.limits.client_limits import client_of, limits_of
from splito_service.http.queries import AsksQuery, LogQuery, read_query
from splito_service.http.services.bots import AskServices
from splito_service.matches.schemas import game_schemas
from splito_service.owners.keys import Holder
from splito_service.problems import MEDIA_TYPE, problem_fields
from splito_service.storage.notices import seen

ENDPOINTS = Endpoints("Bots")

_LOGGED = {"bot": "$request.path.bot", "ask": "$response.body#/asks/0/id"}

REFUSED: dict[str, type[GameError]] = {
    "illegal-move": IllegalMove,
    "bad-nudge": BadNudge,
    "wrong-ask": WrongAsk,
    "wrong-schema": WrongSchema,
}
"""Errors for answers of the right form that are not valid, by the code of the fault."""


@ENDPOINTS.declare(
    "GET /v1/bot/asks",
    id="listOpenAsks",
    summary="Poll for asks",
    description="Returns the open asks of your bot, of all matches and games, up to the number that the bot takes at a"
    " time. With `wait` the server waits until there is an ask (long poll); several connections may wait at the same"
    " time. Answer each ask separately, in any order. Your key needs the scope `play`.",
    parameters=("polling", "wait", "limit"),
    answer=OpenAsks,
    errors=("bad-request", *KEY, "unknown-bot"),
    access=owner_of("play", "unknown-bot"),
    example=examples.list_open_asks,
)
async def list_open_asks(request: AnyRequest, services: NamedDependency[AskServices]) -> ASGIApp:
    query = read_query(request, AsksQuery)
    bot = await _own_bot(services, await read_key(request, services.keys), query.bot)
    concurrency = bot.info.concurrency if bot.info else 1
    limit = monotonic() + query.wait
    with closing(limits_of(request.scope).streams.take(client_of(request.scope))):
        async with _polling(request, services, bot) as (notice, gone):
            while True:
                handed = await services.store.hand_out(bot.id, concurrency, query.limit)
                left = limit - monotonic()
                if handed.asks or left <= 0:
                    return Answer(b'{"asks":[%b]}' % b",".join(handed.asks))
                await seen(notice, left if handed.again is None else min(left, handed.again))
                if gone.is_set():
                    return Answer(b'{"asks":[]}')
                await read_key(request, services.keys)  # the key may have been revoked during the wait


@ENDPOINTS.declare(
    "PUT /v1/bot/{game}/asks/{ask}",
    id="answer{Game}Ask",
    summary="Answer an ask",
    description="For pull bots. The first valid answer is final. The same answer again is accepted, so a request may"
    " be repeated. A rejected answer may be corrected while there is time: the problem contains the reason, the legal"
    " moves and the milliseconds that are left. Your key needs the scope `play`.",
    parameters=("ask",),
    body="Answer",
    answer=Answered,
    refused="AnswerProblem",
    errors=(
        *BODY,
        "no-key",
        "wrong-scope",
        "unknown-ask",
        "illegal-move",
        "bad-nudge",
        "wrong-ask",
        "wrong-schema",
        "already-answered",
        "out-of-time",
    ),
    access=owner_of("play", "unknown-ask", while_banned=True),
    example=examples.answer_ask,
)
async def answer_ask(
    request: AnyRequest, services: NamedDependency[AskServices], game: FromPath[str], ask: FromPath[str]
) -> ASGIApp:
    holder = await read_key(request, services.keys)
    wire = game_schemas(services.games.find(game))
    kept = await _own_ask(services, holder, game, ask)
    sent = await read_body(request, wire.Answer)
    asked, said = question_in(wire.game, kept.body), encode(sent)
    try:
        answer = valid_answer(asked, sent)
    except Fault as fault:
        return await _refuse(services, kept, asked, fault, said)
    accepted = AcceptedAnswer(asked.moves.index(answer.move), answer.nudge, answer.debug)
    left = await services.store.answer(ask, kept.bot, accepted, said)
    return json(Answered(ask, left))


@ENDPOINTS.declare(
    "GET /v1/bots/{bot}/asks",
    id="listAsks",
    summary="Read the log of a bot",
    description="Returns the asks of your push or pull bot and their outcomes: the last 2,000 asks of 7 days, newest"
    " first, in pages. Your key needs the scope `logs`.",
    parameters=("bot", "cursor", "limit"),
    answer=AskPage,
    links=(Link("getAsk", _LOGGED),),
    errors=("bad-request", *KEY, "unknown-bot"),
    access=owner_of("logs", "unknown-bot"),
    example=examples.list_asks,
)
async def list_asks(request: AnyRequest, services: NamedDependency[AskServices], bot: FromPath[str]) -> ASGIApp:
    query = read_query(request, LogQuery)
    found = await _own_bot(services, await read_key(request, services.keys), bot)
    page = await services.log.page(found.id, query.cursor or None, query.limit)
    return json(AskPage([summary_of(row) for row in page], page[-1].id if len(page) == query.limit else None))


@ENDPOINTS.declare(
    "GET /v1/bots/{bot}/asks/{ask}",
    id="getAsk",
    summary="Read an ask of the log",
    description="Returns the request that your bot was sent and its response, as texts. Your key needs the scope"
    " `logs`.",
    parameters=("bot", "ask"),
    answer=LoggedAsk,
    errors=(*KEY, "unknown-bot", "unknown-ask"),
    access=owner_of("logs", "unknown-bot"),
    example=examples.get_ask,
)
async def get_ask(
    request: AnyRequest, services: NamedDependency[AskServices], bot: FromPath[str], ask: FromPath[str]
) -> ASGIApp:
    found = await _own_bot(services, await read_key(request, services.keys), bot)
    logged = await services.log.get(found.id, ask)
    if logged is None:
        raise UnknownAsk(f"the log of this bot has no ask {ask!r}", field="ask")
    return json(logged_of(logged))


@asynccontextmanager
async def _polling(
    request: AnyRequest, services: AskServices, bot: Registered
) -> AsyncGenerator[tuple[asyncio.Event, asyncio.Event]]:
    """Yield two events: there may be new asks, and the client has gone, so that no ask must be handed out to it."""
    with services.notices.about(poll_key(bot.id)) as notice:
        gone = asyncio.Event()
        watch = asyncio.create_task(_watch(request, notice, gone))
        try:
            yield notice, gone
        finally:
            watch.cancel()


async def _watch(request: AnyRequest, notice: asyncio.Event, gone: asyncio.Event) -> None:
    message: Any = {}
    while message.get("type") != "http.disconnect":
        message = await request.receive()
    gone.set()
    notice.set()


async def _own_bot(services: AskServices, holder: Holder, bot_id: str) -> Registered:
    """Return a bot of the key's owner. A bot of another owner raises the same error as a missing one."""
    bot = await services.bots.get(bot_id)
    if bot.owner != holder.owner:
        raise UnknownBot(f"you have no bot {bot_id!r}", field="bot")
    return bot


async def _own_ask(services: AskServices, holder: Holder, game: str, ask_id: str) -> StoredAsk:
    kept = await services.store.get(ask_id)
    try:
        await _own_bot(services, holder, kept.bot)
    except UnknownBot:
        raise unknown(ask_id) from None
    if kept.game != game:
        raise unknown(ask_id)
    return kept


async def _refuse(services: AskServices, kept: StoredAsk, asked: Question, fault: Fault, said: bytes) -> Answer:
    """Return the refusal of an answer. The bot may correct it while there is time and no valid answer is stored."""
    now = await services.store.time()
    if kept.answered:
        raise AlreadyAnswered(f"ask {asked.id} already has another answer", field="ask")
    if now >= kept.deadline:
        raise OutOfTime(f"the time limit of ask {asked.id} is over", field="ask")
    await services.log.write(kept.bot, kept.game, _exchange(kept, asked, fault, said, now - kept.put))
    error = REFUSED[fault.code](fault.detail, seat=asked.seat, field="ask" if fault.code == "wrong-ask" else "move")
    problem = game_schemas(asked.game).AnswerProblem(
        **problem_fields(error), legal_moves=asked.moves, milliseconds_left=kept.deadline - now
    )
    return Answer(encode(problem), problem.status, kind=MEDIA_TYPE)


def _exchange(kept: StoredAsk, asked: Question, fault: Fault, said: bytes, elapsed: int) -> Exchange:
    return Exchange(
        id=asked.id,
        match=asked.match_id,
        turn=asked.turn,
        seat=asked.seat,
        request=kept.body,
        response=said,
        elapsed_ms=elapsed,
        fault=FaultNote(asked.turn, fault.code, str(fault)),
        debug=None,
    )
