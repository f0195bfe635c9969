"""Pull: the bot fetches its asks from the service and hands in answers. It works from behind any router.

    splito-bot connect my_bot:choose

If the service cannot be reached, the bot tries again, after longer and longer pauses. An answer that the service
rejects is corrected while there is time. The program ends if the service refuses the bot.
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

import httpx
import msgspec

from splito_bot.bot import Bot, Crashed, ReadAsk
from splito_bot.contract import AnswerProblem, AnyAsk, Rejection, Time, split_asks, typed
from splito_bot.errors import PASSING, Refused, refusal
from splito_bot.running.console import GRACE, say, stop_at_signals
from splito_bot.running.tally import Tally
from splito_bot.running.threads import Threads

WAIT = 25
"""Seconds of one long poll."""
TIMEOUT = 10.0
"""Seconds beyond the long poll after which the service counts as lost."""
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds before the next attempts, unless the service names a time; the last one is repeated."""
NOTHING_NEW = 0.2
"""Seconds before the next poll, if the last one returned only asks that the bot already thinks about."""
POLLERS = 2
"""Long polls at a time, so that threads that become free during one of them are used by the other."""
MOST_ASKS = 64
"""Asks in one poll; the service returns at most 100."""
MOST_CORRECTIONS = 8
FINAL = ("already-answered", "out-of-time")
"""Codes of rejections that no other answer can change."""
CONFLICT, SERVER_ERROR = 409, 500
CHECK = "check-"
"""Begin of the match ids of checks."""

pause = asyncio.sleep


class Place(NamedTuple):
    """The service of a pull bot, the id of the bot there, and the key of its owner."""

    url: str
    bot: str
    key: str


def connect(bot: Bot, place: Place, tally: Tally | None = None) -> int:
    """Play until Ctrl-C or SIGTERM, and return how many asks were left unanswered at the end.

    Raise `Refused` if the service refuses the bot.
    """
    return asyncio.run(_connect(bot, place, tally or Tally()))


async def _connect(bot: Bot, place: Place, tally: Tally) -> int:
    stop = stop_at_signals()
    say(f"{bot.info.name} {bot.info.version} fetches its asks from {place.url}; Ctrl-C stops it")
    showing = asyncio.create_task(tally.show())
    try:
        left = await pull(bot, place, stop, tally)
    finally:
        await _cancel([showing])
        tally.hide()
    say(f"stopped: {tally}" + (f"; {left} asks were left unanswered" if left else ""))
    return left


async def pull(bot: Bot, place: Place, stop: asyncio.Event, tally: Tally | None = None) -> int:
    headers, timeout = {"Authorization": f"Bearer {place.key}"}, httpx.Timeout(TIMEOUT, read=WAIT + TIMEOUT)
    async with httpx.AsyncClient(base_url=place.url, headers=headers, timeout=timeout) as http:
        with Threads(bot.info.concurrency) as threads:
            return await _Pull(bot, Desk(http, place.bot, bot.read), threads, tally or Tally()).run(stop)


class Desk:
    """The two requests of a pull bot: fetch asks, hand in an answer."""

    def __init__(self, http: httpx.AsyncClient, bot: str, read: ReadAsk) -> None:
        self._http, self._bot, self._read = http, bot, read

    async def asks(self, limit: int) -> list[AnyAsk]:
        response = await self._http.get("/v1/bot/asks", params={"bot": self._bot, "wait": WAIT, "limit": limit})
        if not response.is_success:
            raise refusal(response)
        return [self._read(ask) for ask in split_asks(response.content)]

    async def hand_in(self, ask: AnyAsk, answer: bytes) -> AnyAsk | None:
        """Return None if the answer was accepted; otherwise the ask again, with `rejected` set."""
        response = await self._http.put(
            f"/v1/bot/{ask.game}/asks/{ask.id}", content=answer, headers={"Content-Type": "application/json"}
        )
        if response.is_success:
            return None
        if response.status_code != CONFLICT:
            raise refusal(response)
        return _once_more(ask, response)


class _Pull:
    def __init__(self, bot: Bot, desk: Desk, threads: Threads, tally: Tally) -> None:
        self._bot, self._desk, self._threads, self._tally = bot, desk, threads, tally
        self._free = bot.info.concurrency
        self._freed = asyncio.Condition()
        self._answering: dict[str, asyncio.Task[None]] = {}
        self._answered: list[set[str]] = [set() for _ in range(min(POLLERS, self._free))]
        """For each poller, the asks that were answered since its poll began."""

    async def run(self, stop: asyncio.Event) -> int:
        """Poll until `stop` is set, and return how many asks were left unanswered.

        Asks that the bot thinks about at that moment are still answered.
        """
        pollers = [asyncio.create_task(self._poll(answered)) for answered in self._answered]
        stopped = asyncio.create_task(stop.wait())
        ended, _ = await asyncio.wait([*pollers, stopped], return_when=asyncio.FIRST_COMPLETED)
        await _cancel([*pollers, stopped])
        if self._answering:
            say(f"stopping: {len(self._answering)} asks are still answered")
            await asyncio.wait([*self._answering.values()], timeout=GRACE)
        left = len(self._answering)
        await _cancel([*self._answering.values()])
        for task in {*ended} - {stopped}:
            task.result()  # a poller ends only with an exception
        return left

    async def _poll(self, answered: set[str]) -> None:
        """Fetch asks for ever. An ask that was answered during the poll is not new, because the service may have
        returned it before the answer came; if the answer was lost, the next poll has the ask again.
        """
        patience = Patience("the service cannot give any asks", self._tally.back)
        while True:
            threads = await self._reserve()
            new: list[AnyAsk] = []
            answered.clear()
            try:
                asks = await self._desk.asks(threads)
                new = [ask for ask in asks if ask.id not in answered | self._answering.keys()]
                self._tally.asks += sum(not is_of_check(ask) for ask in new)
                for ask in new:
                    self._answering[ask.id] = asyncio.create_task(self._answer(ask))
                patience.rewarded()
            except (httpx.TransportError, msgspec.DecodeError, Refused) as error:
                await patience.try_once_more(error)
            else:
                await pause(NOTHING_NEW if asks and not new else 0)
            finally:
                await self._release(threads - len(new))

    async def _reserve(self) -> int:
        """Reserve the free threads, as soon as there is one, and return their number."""
        async with self._freed:
            await self._freed.wait_for(lambda: self._free > 0)
            threads = min(self._free, MOST_ASKS)
            self._free -= threads
        return threads

    async def _release(self, threads: int) -> None:
        async with self._freed:
            self._free += threads
            self._freed.notify()

    async def _answer(self, ask: AnyAsk) -> None:
        accepted = False
        try:
            accepted = await self._persuade(ask, asyncio.get_running_loop().time() + ask.time.allowed_ms / 1000)
        except Crashed:
            pass  # because the traceback is already on stderr
        except TimeoutError:
            say(f"{ask.id} was not answered in time" + (", which a check may provoke" if is_of_check(ask) else ""))
        except Refused as refused:
            say(f"the answer to {ask.id} was not accepted: {refused}")
        finally:
            if not is_of_check(ask):
                self._tally.count(answered=accepted)
            del self._answering[ask.id]
            for recent in self._answered:
                recent.add(ask.id)
            await self._release(1)

    async def _persuade(self, ask: AnyAsk, deadline: float) -> bool:
        """Hand in answers until one is accepted, or the bot has no new one. Return True if one was accepted."""
        refused: set[bytes] = set()
        again: AnyAsk | None = ask
        while again is not None:
            answer = await self._think(again)
            if answer in refused or len(refused) == MOST_CORRECTIONS:
                say(f"no better answer to {ask.id} was found: look at ask.rejected, and return one of ask.moves")
                return False
            refused.add(answer)
            async with asyncio.timeout_at(deadline):
                again = await self._hand_in(again, answer)
        return True

    async def _think(self, ask: AnyAsk) -> bytes:
        return await self._threads.run(lambda: self._bot.answer(ask))

    async def _hand_in(self, ask: AnyAsk, answer: bytes) -> AnyAsk | None:
        """Hand in an answer, again if it may be lost, because the same answer twice is harmless."""
        patience = Patience(f"the service cannot take the answer to {ask.id}")
        while True:
            try:
                return await self._desk.hand_in(ask, answer)
            except (httpx.TransportError, Refused) as error:
                await patience.try_once_more(error)


class Patience:
    """Growing pauses between attempts, each with a line on stderr. Permanent refusals are raised instead."""

    def __init__(self, what: str, back: Callable[[], object] | None = None) -> None:
        """Make a patience about `what` cannot be done; `back` is called when it can be done again."""
        self._what, self._back = what, back
        self._tries = 0

    async def try_once_more(self, error: Exception) -> None:
        if isinstance(error, Refused) and error.status not in PASSING and error.status < SERVER_ERROR:
            raise error
        seconds = getattr(error, "retry_after", None)
        if seconds is None:
            seconds = PAUSES[min(self._tries, len(PAUSES) - 1)]
        self._tries += 1
        say(f"{self._what}: {str(error) or type(error).__name__}; trying again in {seconds:g} s")
        await pause(seconds)

    def rewarded(self) -> None:
        if self._tries:
            say("the service answers again")
            if self._back is not None:
                self._back()
        self._tries = 0


def _once_more(ask: AnyAsk, response: httpx.Response) -> AnyAsk:
    """Return the ask again, with the rejection. Raise `Refused` if there is no time left for another answer."""
    try:
        problem: AnswerProblem[Any] = msgspec.json.decode(response.content, type=typed(ask.game, AnswerProblem))
    except msgspec.DecodeError:
        raise refusal(response) from None
    if not problem.milliseconds_left or problem.code in FINAL:
        raise refusal(response)
    return msgspec.structs.replace(
        ask,
        rejected=Rejection(problem.code, problem.detail),
        moves=problem.legal_moves or ask.moves,
        time=Time(problem.milliseconds_left, ask.time.turn_ms, ask.time.bank_ms),
    )


def is_of_check(ask: AnyAsk) -> bool:
    """True if the ask is of a check, which also asks what no bot can answer in time. It counts for no game."""
    return ask.match.startswith(CHECK)


async def _cancel(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
