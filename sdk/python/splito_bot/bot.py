"""A bot: a function that gets an `Ask` and returns one of its moves, with the info that the arena reads.

    def choose(ask):
        return ask.moves[0]

The function may also return an `Answer`, which can have a nudge and a note for the bot's owner. An ask that comes
again, because its answer was lost, gets the same answer again; the function is called again only if its answer was
rejected.
"""

import inspect
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from numbers import Integral
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, Raw

from splito_bot.contract import Answer, AnyAsk, AnyMove, BotInfo, Ended, Started, read_ask, shown
from splito_bot.games import GAMES
from splito_bot.running.fault_log import FaultLog
from splito_bot.running.limited_log import LimitedLog

MAX_DEBUG = 1024
"""Bytes that are kept of a note for the owner."""
REMEMBERED = 1024
"""Answers that are kept, for asks that come again."""

Choose: TypeAlias = Callable[[AnyAsk], AnyMove]
OnStart: TypeAlias = Callable[[Started[Any]], object]
OnEnd: TypeAlias = Callable[[Ended], object]
ReadAsk: TypeAlias = Callable[[bytes | Raw], AnyAsk]


class BadBot(ValueError):
    """The function of a bot cannot be found, or its info is wrong."""


class Crashed(Exception):
    """The function of a bot raised, or returned a value that cannot be sent; its author has read why on stderr."""


class Bot:
    """A function that chooses moves, with the info that the arena reads.

    Without `info` the bot has the name of its module and plays all built-in games. `read` decodes an ask: a bot that
    has types of its own for views and moves gives its own decoder.
    """

    def __init__(
        self,
        choose: Choose,
        info: BotInfo | None = None,
        on_start: OnStart | None = None,
        on_end: OnEnd | None = None,
        read: ReadAsk = read_ask,
    ) -> None:
        told = info or BotInfo(name=_name(choose), author="anonymous", version="1", games=[*GAMES])
        self.info = _checked(told, notices=told.notices or (on_start or on_end) is not None)
        self.read = read
        self.log = LimitedLog()
        """The log of the bot on stderr, for its server too."""
        self._faults = FaultLog(self.log)
        self._choose, self._on_start, self._on_end = choose, on_start, on_end
        self._memory = _Memory()

    def answer(self, ask: AnyAsk) -> bytes:
        """Return the answer, encoded. Raise `Crashed` if the function fails."""
        return self._memory.recall(ask, self._think)

    def start(self, notice: Started[Any]) -> None:
        self._run("on_start", self._on_start or _pass, notice)

    def end(self, notice: Ended) -> None:
        self._run("on_end", self._on_end or _pass, notice)

    def _think(self, ask: AnyAsk) -> bytes:
        return self._run(f"the answer to {ask.id} of {ask.game}", self._decide, ask)

    def _decide(self, ask: AnyAsk) -> bytes:
        answer = as_answer(self._choose(ask), ask)
        if wrong := fault_of(answer, ask):
            self._faults.illegal(f"{ask.id} of {ask.game}", wrong)
        try:
            return msgspec.json.encode(answer)
        except (TypeError, ValueError) as error:
            self._faults.unsendable(f"{ask.id} of {ask.game}", error)
            raise Crashed(str(error)) from None

    def _run(self, what: str, function: Callable[[Any], Any], argument: Any) -> Any:
        try:
            return function(argument)
        except Crashed:
            raise
        except BaseException as error:  # noqa: BLE001 (the code of a bot author may raise anything, and may not end the program)
            self._faults.raised(what, error)
            raise Crashed(f"{type(error).__name__}: {error}") from None


def as_answer(said: Any, ask: AnyAsk) -> Answer[Any]:
    """Return the answer in a function's return value: a move, its index, or an `Answer` of the SDK or the engine."""
    move, index = getattr(said, "move", UNSET), getattr(said, "index", UNSET)
    if not hasattr(said, "debug"):
        return Answer(ask=ask.id, index=int(said)) if _is_index(said, ask) else Answer(ask=ask.id, move=said)
    debug = said.debug and said.debug.encode()[:MAX_DEBUG].decode("utf-8", "ignore")
    return Answer(ask=ask.id, move=move, index=index, nudge=said.nudge, debug=debug)


def _is_index(said: Any, ask: AnyAsk) -> bool:
    """True for a number, unless the moves of the game are numbers themselves."""
    return isinstance(said, Integral) and said is not True and said is not False and not isinstance(ask.moves[0], int)


def fault_of(answer: Answer[Any], ask: AnyAsk) -> str | None:
    """Return why the arena will reject the answer, and ask again with `ask.rejected`; None if it is legal."""
    if (answer.move is UNSET) == (answer.index is UNSET):
        return "an Answer has either a move or an index"
    if answer.index is not UNSET and not 0 <= answer.index < len(ask.moves):
        return f"there is no move {answer.index}: ask.moves goes from 0 to {len(ask.moves) - 1}"
    if answer.index is UNSET and answer.move not in ask.moves:
        return f"{answer.move!r} is not one of the {len(ask.moves)} legal moves: {shown(ask.moves)}"
    if answer.nudge is not None and answer.nudge not in ask.nudges:
        return f"{answer.nudge!r} cannot be said now; allowed: {', '.join(ask.nudges) or 'nothing'}"
    return None


def load_bot(path: str, **changes: Any) -> Bot:
    """Return the bot `my_bot:choose`, or `my_bot` if its function is called `choose`.

    The module is imported from the installed packages or from the working folder. It may have `INFO`, `on_start` and
    `on_end`; `changes` replace fields of `INFO`. Raise `BadBot` if it cannot be loaded.
    """
    name, _, function = path.partition(":")
    module = _module(name)
    choose = _found(module, function or "choose")
    if not callable(choose):
        raise BadBot(f"{name} has no function {function or 'choose'!r}: name it as module:function")
    if inspect.iscoroutinefunction(choose):
        raise BadBot(f"{path} is async: write a plain function, it has a thread of its own")
    info = getattr(module, "INFO", None)
    if info is not None and not isinstance(info, BotInfo):
        raise BadBot(f"INFO of {name} is wrong: write INFO = BotInfo(...), with BotInfo from splito_bot")
    bot = Bot(choose, info, getattr(module, "on_start", None), getattr(module, "on_end", None))
    bot.info = _checked(bot.info, **changes)
    return bot


def _found(module: Any, path: str) -> Any:
    """Return the function, also as `Player.choose`, for which an object of the class is made; None if there is none."""
    found = module
    for part in path.split("."):
        if inspect.isclass(found) and inspect.isfunction(inspect.getattr_static(found, part, None)):
            found = found()
        found = getattr(found, part, None)
    return found


def _module(name: str) -> Any:
    """Import a module. The working folder comes last, so that no file there hides a library."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return import_module(name)
    except Exception as error:
        raise BadBot(f"{name!r} cannot be imported: {type(error).__name__}: {error}; run this in its folder") from error


def _checked(info: BotInfo, **changes: Any) -> BotInfo:
    try:
        return msgspec.convert({**msgspec.to_builtins(info), **changes}, BotInfo)
    except (msgspec.ValidationError, TypeError) as error:
        raise BadBot(f"INFO is wrong: {error}") from None


def _name(choose: Choose) -> str:
    return getattr(choose, "__module__", "").rpartition(".")[2] or "bot"


def _pass(_: object) -> None:
    """Do nothing, for a bot without a function for this notice."""


class _Memory:
    """The last answers, by ask. The whole ask is compared, because a match of the same name may be played again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[AnyAsk, Future[bytes]]] = {}

    def recall(self, ask: AnyAsk, think: Callable[[AnyAsk], bytes]) -> bytes:
        """Return the answer that is kept, or think. A second request for the same ask waits for the first."""
        with self._lock:
            before, answer = self._kept.get(ask.id, (None, Future[bytes]()))
            known = before is not None and ask.rejected is None and _same(before, ask)
            if not known:
                answer = self._keep(ask)
        if not known:
            self._fill(ask, answer, think)
        return answer.result()

    def _keep(self, ask: AnyAsk) -> "Future[bytes]":
        self._kept.pop(ask.id, None)
        while len(self._kept) >= REMEMBERED:
            del self._kept[next(iter(self._kept))]
        self._kept[ask.id] = ask, Future()
        return self._kept[ask.id][1]

    def _fill(self, ask: AnyAsk, answer: "Future[bytes]", think: Callable[[AnyAsk], bytes]) -> None:
        try:
            answer.set_result(think(ask))
        except Crashed as error:
            with self._lock:
                if self._kept.get(ask.id, (None, None))[1] is answer:
                    del self._kept[ask.id]  # because the next attempt may succeed
            answer.set_exception(error)


def _same(one: AnyAsk, other: AnyAsk) -> bool:
    return (one.seed, one.moves, one.view) == (other.seed, other.moves, other.view)
