"""The lineup of a local match: bots named by a word, which is a URL, the name of a house bot or `module:function`.

A function runs in a process of its own, where it can harm nothing: one process for each word. Installed bots are called
in this process, unless a bot at the table is called over HTTP, whose clock would run while they think.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count

import msgspec

from splito_arena.bots.address_faults import explained
from splito_arena.bots.ask_log import written
from splito_arena.bots.direct import house_bot
from splito_arena.bots.find import find_bot
from splito_arena.bots.functions.info import check_game
from splito_arena.bots.functions.path import is_path
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.bots.subprocess import BotProcesses, Housed
from splito_arena.errors import Unreachable
from splito_arena.faults import Fault
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import AskOutcome, Hear, Player
from splito_arena.match.question import Question
from splito_arena.match.seat import judged
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key
from splito_engine.match import Match

MAX_NAME = 56
"""Characters of a bot's name, so that a record has room for a number after it."""


class Company(msgspec.Struct, frozen=True):
    """The players of a table, and the stand-in that plays on for a bot with too many faults."""

    players: tuple[Player, ...]
    """Players in the order of the words, each with a name of its own."""
    stand_in: Player
    infos: dict[str, BotInfo]
    """Infos of the bots with a URL and of the functions whose module has one, by their words."""


class Seated:
    """A player with its name at this table. Asks to functions are written for the log: all of them, or the faults."""

    def __init__(self, name: str, player: Player, log: bool) -> None:
        self.name = name
        self.notices, self.start, self.end = player.notices, player.start, player.end
        self._player, self._log = player, log

    def ask(self, question: Question, hear: Hear) -> None:
        def heard(came: AskOutcome) -> None:
            is_written = not came.request and (self._log or isinstance(judged(question, came), Fault))
            hear(written(question, came) if is_written else came)

        self._player.ask(question, heard)


def is_url(word: str) -> bool:
    return "://" in word


def is_foreign(word: str) -> bool:
    """Return True for a bot that is not installed: a URL or a function."""
    return is_url(word) or is_path(word)


@asynccontextmanager
async def seated(
    words: Sequence[str], opening: Match, secrets: Mapping[str, str], *, log: bool = False
) -> AsyncGenerator[Company]:
    """Yield the players once every bot with a URL has sent its info. A repeated word is the same bot in several seats.

    `opening` is any first position of the game; `secrets` holds the secret of each URL whose bot wants signatures.
    Raise `Unreachable` if a bot at a URL does not answer.
    """
    game, named = opening.game.INFO.id, sorted({*words})
    async with Caller() as caller, AsyncExitStack() as stack:
        urls, functions = list(filter(is_url, named)), list(filter(is_path, named))
        house = await stack.enter_async_context(BotProcesses(os.cpu_count() or 1))
        clients = {url: BotClient(caller, url, _key(secrets.get(url)), allow_private=True) for url in urls}
        processes = {word: await stack.enter_async_context(BotProcesses(1, anywhere=True)) for word in functions}
        infos = await _infos(game, clients, processes)

        def player(word: str) -> Player:
            if word in clients:
                return Push(clients[word], infos[word])
            if word in processes:
                return Housed(processes[word], word, _name(word, infos))
            return Housed(house, word) if urls else Plugin(word, find_bot(word))

        found = {word: player(word) for word in words}
        names = labels([found[word].name[:MAX_NAME] for word in words])
        players = tuple(Seated(name, found[word], log) for name, word in zip(names, words, strict=True))
        yield Company(players, player(house_bot(opening).name), infos)


async def function_infos(words: Sequence[str], game: str) -> dict[str, BotInfo]:
    """Import the functions among the words, each in a process of its own, and return the infos that they have.

    Raise `BadBot` for a function that cannot be imported, or that does not play the game.
    """
    async with AsyncExitStack() as stack:
        functions = sorted({*filter(is_path, words)})
        return await _infos(
            game, {}, {word: await stack.enter_async_context(BotProcesses(1, anywhere=True)) for word in functions}
        )


def table_names(words: Sequence[str], infos: Mapping[str, BotInfo]) -> tuple[str, ...]:
    """Return the names of functions and installed bots at one table."""
    return labels([_name(word, infos)[:MAX_NAME] for word in words])


async def _infos(
    game: str, clients: Mapping[str, BotClient], processes: Mapping[str, BotProcesses]
) -> dict[str, BotInfo]:
    """Return the infos of bots with a URL, and of functions that have one, by their words."""
    asked = [_info(url, client, game) for url, client in clients.items()]
    loaded = [_loaded(word, house, game) for word, house in processes.items()]
    found = await asyncio.gather(*asked, *loaded)
    return {word: info for word, info in zip([*clients, *processes], found, strict=True) if info is not None}


async def _loaded(word: str, house: BotProcesses, game: str) -> BotInfo | None:
    info = await house.load(word, game)
    if info is not None:
        check_game(word, info, game)
    return info


def _name(word: str, infos: Mapping[str, BotInfo]) -> str:
    """Return the name in the info of a function; its word without one, or if another function has the same name."""
    if word not in infos:
        return word
    name = infos[word].name
    others = [other for other, info in infos.items() if other != word and info.name == name]
    return word if others else name


async def _info(url: str, client: BotClient, game: str) -> BotInfo:
    try:
        info = await client.info()
    except Fault as fault:
        cause, advice = explained(url, fault.code, fault.detail, is_signed=client.is_signed)
        raise Unreachable(f"no bot at {url}: {cause} (to do: {advice})", field="bot") from fault
    check_game(url, info, game)
    return info


def _key(secret: str | None) -> Key | None:
    return None if secret is None else Key(secret)


def labels(names: Sequence[str]) -> tuple[str, ...]:
    """Return names with a number after each repetition: `greedy`, `greedy#2`; the next number if that name is taken."""
    found = list[str]()
    for name in names:
        numbered = (f"{name}#{number}" for number in count(2))
        free = (label for label in numbered if label not in found and label not in names)
        found.append(next(free) if name in found else name)
    return tuple(found)
