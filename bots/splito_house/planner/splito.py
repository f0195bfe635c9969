"""A plan for Splito: what every zone will be worth at the end, and which move makes the most of that for the own seat.

A zone is expected to score what its Objectives promise, its share in the majorities, and a part of the Objectives that
are still held, most of all where they fit. One more card of a colour or of a value changes that by a *gain*, which is
worked out once per sign and own zone; a Splito card is worth its two gains. So expected zones give expected scores, and
the move is taken that gives the best chance to win.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import exp, log
from random import Random
from typing import TypeAlias

import msgspec

from splito_engine.games.splito.deck import Objective
from splito_engine.games.splito.move import SplitoMove
from splito_engine.games.splito.objectives import Cards, Most
from splito_engine.player import Ask
from splito_house.planner.splito_odds import chance, majority
from splito_house.planner.splito_table import Held, Table, read

# Found by matches against greedies: 120 deals at 3, 4 and 6 players, one planner in each seat in turn. Without HELD an
# earlier version won 13 and 6 points of a hundred less often at 3 and 4 players; half the SPREAD loses 5 at 6 players.
# HELD at 0.4 or 0.9 and twice the SPREAD were, on average over the tables, within the error, which is about 3.
HELD = 0.75
"""How much of what an Objective promises counts while it is still held."""
PER_ROUND = 0.2
"""Points that a zone gains per round for other reasons."""
SPREAD, SPREAD_PER_ROUND = 6.0, 2.0
"""How many points less make a seat e times less likely to win: after the last round, and more for each before it."""

Points: TypeAlias = list[float]
"""What each zone is expected to score, or by how much that changes."""


def choose(ask: Ask) -> SplitoMove:
    plan = Plan(read(ask.view, ask.seat))
    worths = [plan.worth(move) for move in ask.moves]
    best = max(worths)
    return Random(ask.seed).choice([move for move, worth in zip(ask.moves, worths, strict=True) if worth > best - 1e-9])


class Hope(msgspec.Struct, frozen=True):
    """An Objective that is still held: who has it will look for a zone where it is likely to be met."""

    objective: Objective
    landing: Sequence[float]
    scale: float
    points: Sequence[float]
    """What it adds to each zone."""

    def points_at(self, zone: int, odds: float) -> float:
        """What it would add there if it were as likely to be met."""
        return self.scale * self.landing[zone] * odds**2


class Plan:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.majorities = {sign: self._majority(sign, self._stakes(sign)) for sign in table.pile.signs}
        self.odds = [
            [chance(objective.need, zone) for objective in objectives]
            for zone, objectives in zip(table.zones, table.objectives, strict=True)
        ]
        self.hopes = {hope.objective.id: hope for held in table.held for hope in self._hopes(held)}
        self.points = [self._expected(zone) for zone in range(len(table.zones))]
        self._gains: dict[tuple[str, int], Points] = {}

    def worth(self, move: SplitoMove) -> float:
        table = self.table
        zone = table.places[table.seat][move.side == "right"]
        objective = table.pile.objectives.get(move.card)
        changes = [self._placed(objective, zone)] if objective else [self._gain(sign, zone) for sign in move.card]
        points = [point + sum(change) for point, *change in zip(self.points, *changes, strict=True)]
        points[zone] += self._crowding[zone]
        return self._prospect(points)

    def _prospect(self, points: Points) -> float:
        """How the chance of the own seat to win compares with that of all others, as a logarithm."""
        table, more = self.table, PER_ROUND * self.table.rounds
        scores = [
            (points[left] + more) * (points[right] + more) + banked
            for (left, right), banked in zip(table.places, table.banked, strict=True)
        ]
        mine = scores.pop(table.seat)
        best, spread = max(scores), SPREAD + SPREAD_PER_ROUND * table.rounds
        return (mine - best) / spread - log(sum([exp((score - best) / spread) for score in scores]))

    def _gain(self, sign: str, zone: int) -> Points:
        """What one more of the sign in that zone, from the own hand, changes."""
        if (sign, zone) not in self._gains:
            self._gains[sign, zone] = self._work_out(sign, zone)
        return self._gains[sign, zone]

    def _work_out(self, sign: str, zone: int) -> Points:
        table, looks_at = self.table, self.table.pile.looks_at
        after = table.zones[zone].with_one(sign, table.passing[zone])
        most = self._majority(sign, self._stakes(sign), zone)
        gains = [0.0] * len(self.points)
        if sign in table.stakes:
            gains = [
                stake * (new - old)
                for stake, new, old in zip(table.stakes[sign], most, self.majorities[sign], strict=True)
            ]
        for objective, odds in zip(table.objectives[zone], self.odds[zone], strict=True):
            if sign in looks_at[objective.id]:
                gains[zone] += objective.points * (chance(objective.need, after) - odds)
        for hope in self._hopes_for[sign]:
            odds = chance(hope.objective.need, after, most[zone])
            gains[zone] += hope.points_at(zone, odds) - hope.points[zone]
        return gains

    def _placed(self, objective: Objective, zone: int) -> Points:
        """What it changes that an Objective of the own hand lies in that zone."""
        hope, need = self.hopes.get(objective.id), objective.need
        gains = [-points for points in hope.points] if hope else [0.0] * len(self.points)
        if not isinstance(need, Most):
            gains[zone] += objective.points * chance(need, self.table.zones[zone].fuller())
            return gains
        before = self.table.stakes.get(need.of, [0] * len(gains))
        stakes = [stake + objective.points * (place == zone) for place, stake in enumerate(before)]
        most = self._majority(need.of, stakes)
        return [
            gain + new * stake - old * paid
            for gain, new, stake, old, paid in zip(gains, most, stakes, self.majorities[need.of], before, strict=True)
        ]

    @cached_property
    def _crowding(self) -> Points:
        """What one more card, whatever it is, changes in each zone."""
        changes = [0.0] * len(self.points)
        for place, objectives in enumerate(self.table.objectives):
            for objective, odds in zip(objectives, self.odds[place], strict=True):
                if isinstance(objective.need, Cards):
                    full = chance(objective.need, self.table.zones[place].fuller())
                    changes[place] += objective.points * (full - odds)
        return changes

    @cached_property
    def _hopes_for(self) -> dict[str, list[Hope]]:
        """By the signs that they look at."""
        looks_at = self.table.pile.looks_at
        return {sign: [hope for card, hope in self.hopes.items() if sign in looks_at[card]] for sign in self.majorities}

    def _hopes(self, held: Held) -> Iterator[Hope]:
        objectives, none = self.table.pile.objectives, [0.0] * len(held.landing)
        if not any(held.landing):
            return
        for objective in [objectives[card] for card in held.cards if card in objectives]:
            need = objective.need
            most = self.majorities[need.of] if isinstance(need, Most) else none
            odds = [
                chance(need, zone, lead) if share else 0.0
                for zone, lead, share in zip(self.table.zones, most, held.landing, strict=True)
            ]
            fits = sum(map(float.__mul__, held.landing, odds))
            scale = HELD * objective.points * sum(held.landing) / fits if fits > 1e-9 else 0.0
            points = [scale * share * likely**2 for share, likely in zip(held.landing, odds, strict=True)]
            yield Hope(objective, held.landing, scale, points)

    def _expected(self, zone: int) -> float:
        table = self.table
        points = [
            objective.points * odds for objective, odds in zip(table.objectives[zone], self.odds[zone], strict=True)
        ]
        points += [stakes[zone] * self.majorities[sign][zone] for sign, stakes in table.stakes.items()]
        return sum(points) + sum([hope.points[zone] for hope in self.hopes.values()])

    def _stakes(self, sign: str) -> Sequence[int]:
        """Where nothing is at stake yet, something may be anywhere."""
        return self.table.stakes.get(sign) or [1] * len(self.table.zones)

    def _majority(self, sign: str, stakes: Sequence[int], to: int | None = None) -> Points:
        """The chances to have most of a sign, perhaps after one more of the own hand has gone to a zone."""
        zones, passing = self.table.zones, self.table.passing
        counts = [zone.counts[sign] for zone in zones]
        rates = [zone.rates[sign] for zone in zones]
        if to is not None:
            counts[to] += 1
            rates = [max(0.0, rate - share) for rate, share in zip(rates, passing, strict=True)]
        return majority(counts, rates, stakes)
