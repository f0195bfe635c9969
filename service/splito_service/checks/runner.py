"""Runner of checks: the process that got the request runs the suite of `checks.suite` in the background.

The progress of a check is in Redis, so every process can report it. A check is lost when its process stops, when Redis
is away for too long, or when the bot is deleted or gets another address.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial

from msgspec.structs import replace

from splito_arena.checks import Report, Scope, Step, Subject, Unknown, at_address, check
from splito_arena.faults import Void
from splito_arena.match.messages import BotInfo
from splito_arena.match.seat import Clock
from splito_engine.errors import GameError
from splito_service.bots.model import Registered
from splito_service.bots.pull import Desk, Pull
from splito_service.bots.registry import Registry, passed
from splito_service.bots.store import Bots
from splito_service.checks.model import StoredCheck
from splito_service.checks.store import Checks
from splito_service.errors import NotReady, Unavailable, UnknownBot
from splito_service.ids import new_id
from splito_service.settings import Settings

AT_ONCE = 8
"""Number of checks that a process runs at a time, because checks must not slow down live matches.

Further checks wait.
"""
BEAT = 1.0
"""Seconds between two reports of progress."""

STOPPED = "the process that ran the check was stopped"
CHANGED = "the bot got another address or was deleted meanwhile, or another process took over the check"
UNEXPECTED = "an internal error of the arena, which it has logged"

DEVELOPMENT = Scope(clock=Clock(turn_ms=10_000, bank_ms=50_000), limit=600.0)
"""Scope of checks in development mode.

Its clock is generous, because bots share a machine with the arena and other programs.
"""

log = logging.getLogger("splito.checks")


class Run:
    """A running check and its progress."""

    def __init__(self, bot: Registered, info: BotInfo, quick: bool) -> None:
        self.bot, self.info = bot, info
        self.check = StoredCheck(id=new_id(), bot=bot.id, version=info.version, quick=quick)
        self.report: Report | None = None
        self.trouble = STOPPED
        """Reason for which there is no report."""

    def saw(self, info: BotInfo) -> None:
        """Store the description that the bot gives of itself now, because that version is checked."""
        self.info, self.check = info, replace(self.check, version=info.version)

    def step(self, step: Step) -> None:
        self.check = replace(self.check, done=step.done, total=step.total)

    @property
    def ended(self) -> StoredCheck:
        if self.report is None:
            return replace(self.check, state="lost", reason=self.trouble)
        return replace(self.check, state="done", done=self.check.total, passed=self.report.passed)


class CheckRunner:
    """The runner of checks in one event loop. Made by `examining`."""

    def __init__(self, bots: Bots, checks: Checks, registry: Registry, desk: Desk, scope: Scope) -> None:
        self._bots, self._checks, self._registry, self._desk = bots, checks, registry, desk
        self._scope = scope
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._runs: set[asyncio.Task[None]] = set()

    async def begin(self, bot: Registered, quick: bool) -> StoredCheck:
        """Start a check in the background and return it.

        Return the running check of this bot, of any process, if there is one.
        """
        if bot.info is None:
            raise NotReady(_advice(bot), field="bot")
        self._registry.check_url(bot.kind, bot.url)
        run = Run(bot, bot.info, quick)
        kept = await self._checks.begin(run.check)
        if kept.id == run.check.id:
            task = asyncio.create_task(self._make(run))
            self._runs.add(task)
            task.add_done_callback(self._runs.discard)
        return kept

    async def close(self) -> None:
        """Stop all running checks and store them as lost."""
        for task in self._runs:
            task.cancel()
        await asyncio.gather(*self._runs, return_exceptions=True)

    async def _make(self, run: Run) -> None:
        suite = asyncio.create_task(self._examine(run))
        try:
            await self._attend(run, suite)
        finally:
            suite.cancel()
            await asyncio.wait([suite])
            with suppress(Unavailable):  # the claim expires then
                await self._checks.end(run.ended, run.report)

    async def _attend(self, run: Run, suite: asyncio.Task[None]) -> None:
        """Report the progress of a check until it is done or lost."""
        while not (await asyncio.wait([suite], timeout=BEAT))[0]:
            if not await self._goes_on(run):
                run.trouble = CHANGED
                return
        try:
            suite.result()
        except (Void, GameError) as error:
            run.trouble = str(error)
            log.warning("check %s of bot %s is lost: %s", run.check.id, run.check.bot, error)
        except Exception:
            run.trouble = UNEXPECTED
            log.exception("check %s of bot %s is lost", run.check.id, run.check.bot)

    async def _goes_on(self, run: Run) -> bool:
        try:
            return _is_same(await self._bots.get(run.bot.id), run.bot) and await self._checks.tell(run.check)
        except UnknownBot:
            return False
        except Unavailable:
            return True  # True while the claim holds

    async def _examine(self, run: Run) -> None:
        async with self._turns, self._subject(run) as subject:
            report = await check(subject, replace(self._scope, quick=run.check.quick), run.step)
        if report.passed and not report.quick:
            await self._bots.change(run.bot.id, partial(passed, seen=replace(run.bot, info=run.info)))
        elif not report.quick:
            await self._registry.conduct.checked(run.bot, run.check.id, report)
        run.report = report

    @asynccontextmanager
    async def _subject(self, run: Run) -> AsyncGenerator[Subject | Unknown]:
        """Yield the bot as it is when the check begins."""
        if run.bot.kind == "push":
            await self._registry.look(run.bot.id)  # the bot may have another version by now, and want other signatures
        bot = await self._bots.get(run.bot.id)
        if bot.info is None or not _is_same(bot, run.bot):
            raise NotReady("the bot got another address meanwhile", field="bot")
        run.saw(bot.info)
        if bot.kind == "pull":
            yield Subject(Pull(self._desk, bot.id, bot.info.name), bot.info)
            return
        async with at_address(await self._registry.address(bot)) as subject:
            if isinstance(subject, Subject):
                run.saw(subject.info)
            yield subject


@asynccontextmanager
async def examining(
    bots: Bots, checks: Checks, registry: Registry, desk: Desk, scope: Scope
) -> AsyncGenerator[CheckRunner]:
    """Yield a runner whose checks have this scope; each check decides on `quick` itself."""
    checker = CheckRunner(bots, checks, registry, desk, scope)
    try:
        yield checker
    finally:
        await checker.close()


def scope_of_checks(settings: Settings, games: tuple[str, ...]) -> Scope:
    """Return the scope of the checks of this service: these games, and a generous clock in development mode."""
    return replace(DEVELOPMENT if settings.dev else Scope(), games=games)


def _is_same(bot: Registered, seen: Registered) -> bool:
    """Return True if the bot still has the address that was checked."""
    return bot.info is not None and bot.url == seen.url


def _advice(bot: Registered) -> str:
    if bot.kind == "push":
        return f"prove the bot first: POST /v1/bots/{bot.id}/proof"
    return f"describe the bot first: PUT /v1/bots/{bot.id}/info"
