"""The lineup of a local match: bots named by a word, which is a URL, the name of a house bot or `module:function`.

Functions are called in this process if all bots are functions. At a table with a bot that is called over HTTP they run
in processes of their own, because the clock of the HTTP bot would run while they think.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import count

import msgspec

from splito_arena.bots.ask_log import written
from splito_arena.bots.direct import house_bot
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.bots.push import Push
from splito_arena.bots.push_client import BotClient
from splito_arena.bots.subprocess import BotProcesses, Housed
from splito_arena.errors import Unreachable
from splito_arena.faults import FAULTS, Fault
from splito_arena.match.messages import BotInfo
from splito_arena.match.player import AskOutcome, Hear, Player
from splito_arena.match.question import Question
from splito_arena.net.http_client import Caller
from splito_arena.net.signing import Key
from splito_engine.errors import BadBot
from splito_engine.match import Match

MAX_NAME = 56
"""Characters of a bot's name, so that a record has room for a number after it."""


class Company(msgspec.Struct, frozen=True):
    """The players of a table, and the stand-in that plays on for a bot with too many faults."""

    players: tuple[Player, ...]
    """Players in the order of the words, each with a name of its own."""
    stand_in: Player
    infos: dict[str, BotInfo]
    """Infos of the bots with a URL, by their URLs."""


class Seated:
    """A player with its name at this table. With `log`, asks to functions are written to the log too."""

    def __init__(self, name: str, player: Player, log: bool) -> None:
        self.name = name
        self.notices, self.start, self.end = player.notices, player.start, player.end
        self._player, self._log = player, log

    def ask(self, question: Question, hear: Hear) -> None:
        def heard(came: AskOutcome) -> None:
            hear(came if came.request else written(question, came))

        self._player.ask(question, heard if self._log else hear)


def is_url(word: str) -> bool:
    return "://" in word


@asynccontextmanager
async def seated(
    words: Sequence[str], opening: Match, secrets: Mapping[str, str], *, log: bool = False
) -> AsyncGenerator[Company]:
    """Yield the players once every bot with a URL has sent its info. A repeated word is the same bot in several seats.

    `opening` is any first position of the game; `secrets` holds the secret of each URL whose bot wants signatures.
    Raise `Unreachable` if a bot at a URL does not answer.
    """
    game, urls = opening.game.INFO.id, sorted({word for word in words if is_url(word)})
    async with Caller() as caller, BotProcesses(os.cpu_count() or 1, anywhere=True) as house:
        clients = {url: BotClient(caller, url, _key(secrets.get(url)), allow_private=True) for url in urls}
        infos = dict(zip(urls, await asyncio.gather(*(_info(url, clients[url], game) for url in urls)), strict=True))

        def player(word: str) -> Player:
            if word in infos:
                return Push(clients[word], infos[word])
            return Housed(house, word) if urls else Plugin(word, find_bot(word))

        found = {word: player(word) for word in words}
        names = labels([found[word].name[:MAX_NAME] for word in words])
        players = tuple(Seated(name, found[word], log) for name, word in zip(names, words, strict=True))
        yield Company(players, player(house_bot(opening).name), infos)


async def _info(url: str, client: BotClient, game: str) -> BotInfo:
    try:
        info = await client.info()
    except Fault as fault:
        raise Unreachable(f"no bot at {url}: {fault} (to do: {FAULTS[fault.code].advice})", field="bot") from fault
    if game not in info.games:
        plays = ", ".join(info.games)
        raise BadBot(f"{info.name} at {url} does not play {game}, only {plays}", field="bot")
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
