"""Bots that poll: they fetch what they are asked, and answer. And what their owners can read of it afterwards."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from time import monotonic
from typing import Any

from litestar import get, put
from litestar.params import FromPath
from litestar.types import ASGIApp

from splito_arena.faults import Fault, FaultNote
from splito_arena.match.question import Question, judge, question_in, read_answer
from splito_arena.match.seat import Exchange
from splito_engine.errors import BadNudge, GameError, IllegalMove
from splito_service.bots.ask_schemas import Answered, AskPage, logged_of, summary_of
from splito_service.bots.ask_store import StoredAsk, poll_key, unknown
from splito_service.bots.store import Registered
from splito_service.errors import AlreadyAnswered, OutOfTime, UnknownAsk, UnknownBot, WrongAsk, WrongSchema
from splito_service.http.common import AnyRequest, client_of, encode, json, read_body
from splito_service.http.context import Context, context_of
from splito_service.http.queries import AsksQuery, LogQuery, read_query
from splito_service.http.responses import Answer
from splito_service.http.routes.owners import read_key
from splito_service.matches.schemas import game_schemas
from splito_service.owners.keys import Holder
from splito_service.problems import MEDIA_TYPE, problem_fields
from splito_service.storage.notices import seen

REFUSED: dict[str, type[GameError]] = {
    "illegal-move": IllegalMove,
    "bad-nudge": BadNudge,
    "wrong-ask": WrongAsk,
    "wrong-schema": WrongSchema,
}
"""What is wrong with an answer that was of the right form, by the code of the fault."""


@get("/bot/asks")
async def list_open_asks(request: AnyRequest) -> ASGIApp:
    context, query = context_of(request), read_query(request, AsksQuery)
    bot = await _own_bot(context, await read_key(request, "play"), query.bot)
    concurrency = bot.info.concurrency if bot.info else 1
    limit = monotonic() + query.wait
    with closing(context.streams.take(client_of(request))):
        async with _polling(request, context, bot) as (notice, gone):
            while True:
                handed = await context.asks.hand_out(bot.id, concurrency, query.limit)
                left = limit - monotonic()
                if handed.asks or left <= 0:
                    return Answer(b'{"asks":[%b]}' % b",".join(handed.asks))
                await seen(notice, left if handed.again is None else min(left, handed.again))
                if gone.is_set():
                    return Answer(b'{"asks":[]}')
                await read_key(request, "play")  # it may have been revoked meanwhile


@put("/bot/{game:str}/asks/{ask:str}")
async def answer_ask(request: AnyRequest, game: FromPath[str], ask: FromPath[str]) -> ASGIApp:
    context, holder = context_of(request), await read_key(request, "play")
    wire = game_schemas(context.game(game))
    kept = await _own_ask(context, holder, game, ask)
    said = encode(await read_body(request, wire.Answer))
    asked = question_in(wire.game, kept.body)
    try:
        answer = read_answer(asked, said)
        judge(asked, answer)
    except Fault as fault:
        return await _refuse(context, kept, asked, fault, said)
    left = await context.asks.answer(ask, kept.bot, encode((answer.move, answer.nudge)), said)
    return json(Answered(ask, left))


@get("/bots/{bot:str}/asks")
async def list_asks(request: AnyRequest, bot: FromPath[str]) -> ASGIApp:
    context, query = context_of(request), read_query(request, LogQuery)
    found = await _own_bot(context, await read_key(request, "logs"), bot)
    page = await context.log.page(found.id, query.cursor or None, query.limit)
    return json(AskPage([summary_of(row) for row in page], page[-1].id if len(page) == query.limit else None))


@get("/bots/{bot:str}/asks/{ask:str}")
async def get_ask(request: AnyRequest, bot: FromPath[str], ask: FromPath[str]) -> ASGIApp:
    context = context_of(request)
    found = await _own_bot(context, await read_key(request, "logs"), bot)
    logged = await context.log.get(found.id, ask)
    if logged is None:
        raise UnknownAsk(f"nothing is kept of an ask {ask!r} to this bot", field="ask")
    return json(logged_of(logged))


@asynccontextmanager
async def _polling(
    request: AnyRequest, context: Context, bot: Registered
) -> AsyncGenerator[tuple[asyncio.Event, asyncio.Event]]:
    """Something to wait for: that there may be asks, or that the client has gone, to whom none must be handed out."""
    with context.notices.about(poll_key(bot.id)) as notice:
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


async def _own_bot(context: Context, holder: Holder, bot_id: str) -> Registered:
    """Of somebody else's, nothing is told."""
    bot = await context.bots.get(bot_id)
    if bot.owner != holder.owner:
        raise UnknownBot(f"you have no bot {bot_id!r}", field="bot")
    return bot


async def _own_ask(context: Context, holder: Holder, game: str, ask_id: str) -> StoredAsk:
    kept = await context.asks.get(ask_id)
    try:
        await _own_bot(context, holder, kept.bot)
    except UnknownBot:
        raise unknown(ask_id) from None
    if kept.game != game:
        raise unknown(ask_id)
    return kept


async def _refuse(context: Context, kept: StoredAsk, asked: Question, fault: Fault, said: bytes) -> Answer:
    """It may be corrected as long as there is time, and if nothing better was said before."""
    now = await context.asks.time()
    if kept.answered:
        raise AlreadyAnswered(f"{asked.id} has been answered otherwise", field="ask")
    if now >= kept.deadline:
        raise OutOfTime(f"the time for {asked.id} is over", field="ask")
    await context.log.write(kept.bot, kept.game, _exchange(kept, asked, fault, said, now - kept.put))
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
