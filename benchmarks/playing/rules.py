"""Speed of the rules, compared with OpenSpiel."""

from collections.abc import Iterator
from statistics import median

from benchmarks.harness import Rates, measure, ratio
from benchmarks.playing.playouts import goofspiel, goofspiel_short, playout, replay, views
from benchmarks.report import Report, Row, at_least, at_most, plain
from splito_engine.games import splitit, splito, splitter

PLAYERS = range(2, 9)


def measured() -> Report:
    contenders = {
        "goofspiel play-out 4": goofspiel(4),
        "goofspiel play-out 4, short cut": goofspiel_short(4),
        **{f"splito play-out {players}": playout(splito, players) for players in PLAYERS},
        "splito replay 4": replay(splito, 4),
        "splito view 4": views(splito, 4),
        "splitit play-out 3": playout(splitit, 3),
        "splitter play-out 1": playout(splitter, 1),
    }
    return Report(list(rows(measure(contenders))))


def rows(rates: Rates) -> Iterator[Row]:
    yield from _ratio_rows(rates)
    yield from _growth_rows(rates)
    for name in rates:
        yield plain(f"{name}, per second of CPU time", f"{median(rates[name]):,.0f}")


def _ratio_rows(rates: Rates) -> Iterator[Row]:
    against = ratio(rates, "splito play-out 4", "goofspiel play-out 4")
    yield at_least("Splito play-outs / OpenSpiel goofspiel play-outs, 4 players", against, 0.75)
    short = ratio(rates, "splito play-out 4", "goofspiel play-out 4, short cut")
    yield plain("the same, OpenSpiel's chance nodes taken as uniform without asking", f"{short:.2f}")
    replayed = ratio(rates, "splito play-out 4", "splito replay 4")
    yield plain("time to verify a full record / one play-out", f"{replayed:.2f}")
    viewed = ratio(rates, "splito play-out 4", "splito view 4")
    yield plain("time to build and encode a view / one play-out", f"{viewed:.3f}")


def _growth_rows(rates: Rates) -> Iterator[Row]:
    """Yield the growth from 3 to 8 players: linear growth is 8/3, and a part of a game may not grow at all."""
    growth = ratio(rates, "splito play-out 3", "splito play-out 8")
    yield at_most("time of an 8-player play-out / a 3-player play-out", growth, 8 / 3)
