"""Check by whole matches of the bot against itself, in all seats, played by the real referee without a fault.

Matches with the least and the greatest number of players, and with options that matter, come first; then, unless the
check is quick, all between. After a few faults of one kind no more matches are played.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from splito_arena.bots.in_process import Plugin
from splito_arena.checks.ask import SEED, new_match, spot
from splito_arena.checks.report import Finding, Result, failed, passed, skipped, text, warned
from splito_arena.checks.run import NO_ANSWER, OVER, CheckRun
from splito_arena.faults import FAULTS
from splito_arena.match.referee import referee
from splito_arena.match.seat import Exchange
from splito_arena.match.terms import BotLog, PlayTerms, Terms
from splito_engine.game import AnyGame
from splito_engine.player import Ask
from splito_engine.record import new_salt

ENOUGH = 3
"""Number of faults of one kind after which no more matches are played."""
OPTIONS: Mapping[str, Mapping[str, object]] = {
    "splito": {"deals": 3, "talk": True},
    "splitit": {"remove_at_every_split": True},
    "splitter": {"sheet": "B"},
}
"""Options worth checking, by game; other games are played with their defaults."""
MORE_TIME = "answer faster, or give the checks more time or fewer games"


class Job(msgspec.Struct, frozen=True):
    """A match to be played."""

    game: AnyGame
    players: int
    options: Mapping[str, object] = {}
    needed: bool = True
    """True if the bot cannot pass without this match."""

    @property
    def title(self) -> str:
        chosen = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.game.INFO.id}, {self.players} players" + (f", {chosen}" if chosen else "")


class Faults:
    """The faults found: the first of each kind, and their number."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._first: dict[str, Finding] = {}

    @property
    def enough(self) -> bool:
        return any(count >= ENOUGH for count in self.counts.values())

    @property
    def findings(self) -> list[Finding]:
        return [msgspec.structs.replace(finding, count=self.counts[code]) for code, finding in self._first.items()]

    def take(self, job: Job, exchange: Exchange) -> None:
        fault = exchange.fault
        if fault is None:
            return
        self.counts[fault.code] += 1
        if fault.code not in self._first:
            self._first[fault.code] = Finding(
                code=fault.code,
                what=fault.detail,
                advice=FAULTS[fault.code].advice,
                where=spot(job.game.INFO.id, job.players, exchange.turn, exchange.seat),
                request=text(exchange.request),
                response=text(exchange.response),
            )


def jobs(games: list[AnyGame], quick: bool) -> list[Job]:
    """Return the matches to play, the needed ones first."""
    needed = [
        Job(game, players, options)
        for game in games
        for players in dict.fromkeys((game.INFO.min_players, game.INFO.max_players))
        for options in _options(game)
    ]
    between = [
        Job(game, players, needed=False)
        for game in games
        for players in range(game.INFO.min_players + 1, game.INFO.max_players)
    ]
    return needed if quick else needed + between


async def matches(trial: CheckRun) -> Result:
    if trial.is_over or not trial.answered:
        return skipped(OVER if trial.is_over else NO_ANSWER)
    faults, todo = Faults(), jobs(trial.answered, trial.scope.quick)
    for number, job in enumerate(todo):
        trial.tell(job.title)
        if not await _play(trial, job, faults):
            return _cut_short(faults, todo[number:], f"after {trial.matches} of {len(todo)} matches")
    return failed(faults.findings) if faults.counts else passed(f"{len(todo)} matches without a fault")


async def _play(trial: CheckRun, job: Job, faults: Faults) -> bool:
    """Play a match. Return True to go on: there is time left, and there are not too many faults."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout_at(trial.deadline) as limit:

            def log(_: str, exchange: Exchange) -> None:
                faults.take(job, exchange)
                if faults.enough and not limit.expired():
                    limit.reschedule(loop.time())

            await asyncio.sleep(0)  # a function in this process never waits, so other tasks would starve
            await referee(_terms(trial, job, log), [trial.player] * job.players, _stand_in)
    except TimeoutError:
        return False
    trial.matches += 1
    return not faults.enough


def _terms(trial: CheckRun, job: Job, log: BotLog) -> Terms:
    play = PlayTerms(clock=trial.clock, strikes=ENOUGH, log=log)
    return Terms(game=job.game, match=new_match(), seed=SEED, salt=new_salt(), options=job.options, play=play)


def _cut_short(faults: Faults, left: Sequence[Job], when: str) -> Result:
    """Return the result of a stopped check: its faults, or the lack of time."""
    if faults.counts:
        return failed(faults.findings, f"; stopped {when}")
    finding = Finding(code="out-of-time", what=f"{OVER} {when}", advice=MORE_TIME)
    return failed([finding]) if any(job.needed for job in left) else warned(finding)


def _options(game: AnyGame) -> list[Mapping[str, object]]:
    return [{}, OPTIONS[game.INFO.id]] if game.INFO.id in OPTIONS else [{}]


def _stand_in(_: int) -> Plugin:
    """Return a stand-in for a seat with too many faults; its moves do not matter."""
    return Plugin("default", _default)


def _default(ask: Ask) -> Any:
    return ask.moves[0]
