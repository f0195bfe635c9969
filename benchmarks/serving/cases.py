"""Requests to the service, each beside a constant answer of the same size from the same server.

Every case runs for a moment in each of many rounds, and only ratios within a round count. Many connections ask without
a pause, so the rate is the limit of the server's core, and latencies are those of a queue.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import cycle, islice

import msgspec
from msgspec import Struct, field
from rich.progress import track

from benchmarks.harness import Rates
from benchmarks.serving.load import Load, Talker, once, repeat
from benchmarks.serving.served import constant_path
from benchmarks.serving.tables import PLAYERS, SEALS, Crowd, Place, Table, alone, request
from splito_service.storage.client import Link

SPECTATOR, OWN, SEAL = "spectator view", "own view, with its token", "sealing a move"
TOGETHER, UNCHANGED, COLD = (
    "sealing, four seats at once",
    "spectator view, unchanged (304)",
    "spectator view, not cached",
)
FASTEST = 12_000
"""Moves per second of one client at most."""
CALLS = re.compile(rb"cmdstat_eval(?:sha)?:calls=(\d+)")
ETAG = re.compile(rb"\r\netag: (.*?)\r\n", re.IGNORECASE)


class Case(Struct, frozen=True):
    name: str
    talkers: list[Talker]
    beside: str
    """Name of the constant that it is compared with; its own name for a constant."""
    expected: int = 200


class Usage(Struct, frozen=True):
    """The CPU time and memory of the server process: see `benchmarks.serving.served`."""

    cpu: float
    memory: float


def _rates() -> Rates:
    return defaultdict(list)


class Findings(Struct, frozen=True):
    """Figures by case, one for each round."""

    rates: Rates = field(default_factory=_rates)
    """Answers per second."""
    by_cpu: Rates = field(default_factory=_rates)
    """Answers per second of the server's CPU time."""
    calls: Rates = field(default_factory=_rates)
    """Script calls in Redis per answer."""
    latencies: Rates = field(default_factory=_rates)
    """Latencies of all answers of all rounds, in seconds."""
    busy: Rates = field(default_factory=_rates)
    """Share of its core that the load used."""
    unexpected: Counter[str] = field(default_factory=Counter[str])
    """Number of answers with an unexpected status."""


def tables_needed(rounds: int, moment: float, connections: int) -> int:
    """Return the number of matches that is enough to seal moves for the whole run, in one case."""
    return 2 * connections + int(rounds * moment * FASTEST / SEALS)


async def prepare(load: Load, places: Sequence[Place], some: Sequence[Table], others: Sequence[Table]) -> list[Case]:
    """Return the cases: the matches in `places` are read, the first of them often; at the tables moves are sealed.

    The server has read each match once before, so a case that is not cached only adds the encoding.
    """
    count = load.size
    seen = list(islice(cycle(places), count))
    crowd = Crowd(others, count)
    public, own = [place.view() for place in seen], [place.view(n % PLAYERS) for n, place in enumerate(seen)]
    tags = [_tag((await load.ask(view)).head) for view in public]
    unchanged = [place.view(None, f"If-None-Match: {tag}") for place, tag in zip(seen, tags, strict=True)]
    cold = [[place.view() for place in places[first::count]] for first in range(count)]
    await load.run([Talker(once(views)) for views in cold])
    beside = [await _constant(load, view) for view in (public[0], own[0], some[0].seal(some[0].turns[0][0]))]
    return [
        beside[0],
        Case(SPECTATOR, _repeating([view] for view in public), beside[0].name),
        beside[1],
        Case(OWN, _repeating([view] for view in own), beside[1].name),
        beside[2],
        Case(SEAL, [Talker(alone(some[first::count])) for first in range(count)], beside[2].name),
        Case(TOGETHER, [Talker(crowd.talk()) for _ in range(count)], beside[2].name),
        Case(UNCHANGED, _repeating([view] for view in unchanged), beside[0].name, 304),
        Case(COLD, _repeating(cold), beside[0].name),
    ]


def _repeating(requests: Iterable[Sequence[bytes]]) -> list[Talker]:
    return [Talker(repeat(some)) for some in requests]


async def _constant(load: Load, of: bytes) -> Case:
    """Return the case of the constant whose size is nearest to the answer to this request."""
    answer = await load.ask(of)
    path = constant_path(len(answer.body))
    name = f"constant of {path.rpartition('/')[2]} bytes"
    return Case(name, _repeating([request("GET", path)] for _ in range(load.size)), name)


def _tag(head: bytes) -> str:
    found = ETAG.search(head)
    if found is None:
        raise RuntimeError(f"a view without a tag: {head!r}")
    return found[1].decode()


async def run_rounds(load: Load, link: Link, cases: Sequence[Case], rounds: int, moment: float) -> Findings:
    """Measure all cases after a round that does not count, because it does many things for the first time."""
    for case in cases:
        await _run(load, link, case, moment, Findings())
    findings = Findings()
    for _ in track(range(rounds), description="service"):
        for case in cases:
            await _run(load, link, case, moment, findings)
    return findings


async def _run(load: Load, link: Link, case: Case, moment: float, findings: Findings) -> None:
    calls, before = await _calls(link), await usage(load)
    run = await load.run(case.talkers, moment)
    after, name, answers = await usage(load), case.name, len(run.latencies)
    if run.finished:
        raise RuntimeError(f"{name}: there were not enough matches")
    findings.rates[name].append(run.rate)
    findings.by_cpu[name].append(answers / (after.cpu - before.cpu))
    findings.calls[name].append((await _calls(link) - calls) / answers)
    findings.latencies[name] += run.latencies
    findings.busy[name].append(run.busy / run.seconds)
    findings.unexpected[name] += answers - run.statuses[case.expected]


async def usage(load: Load) -> Usage:
    return msgspec.json.decode((await load.ask(request("GET", "/usage"))).body, type=Usage)


async def _calls(link: Link) -> int:
    """Return the number of scripts that Redis has run."""
    return sum(map(int, CALLS.findall(await link.call("INFO", "commandstats"))))
