"""Who sits down to play on this machine. A bot is named by a word: a URL, the name of a bot of the house, or
`module:function`.

Functions are asked where they stand, as long as all are. At a table with a bot that is called over HTTP they think in
processes of their own, or the other's time would go on while they do.
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
"""Characters, so that there is room for a number in the name of a record."""


class Company(msgspec.Struct, frozen=True):
    """Who plays, and who plays on for whoever cannot."""

    players: tuple[Player, ...]
    """In the order of the words, each with a name of its own."""
    stand_in: Player
    infos: dict[str, BotInfo]
    """What the bots with a URL say of themselves, by their URLs."""


class Seated:
    """A player under the name that it has at this table. `log` writes down also what travels nowhere."""

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
    """Everybody is there: bots with a URL have said who they are. The same word twice is the same bot twice.

    `opening` is any first position of what is played, `secrets` has that of each URL whose bot wants signatures.
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
    """Who is listed twice gets a number: `greedy`, `greedy#2`; the next one, if somebody is called that already."""
    found = list[str]()
    for name in names:
        numbered = (f"{name}#{number}" for number in count(2))
        free = (label for label in numbered if label not in found and label not in names)
        found.append(next(free) if name in found else name)
    return tuple(found)
