"""The strategy of `planner` for Splito: estimates the final points of every zone and takes the move most likely to win.

The expected points of a zone are those of its Objectives, of its majorities, and a part of those of Objectives that are
still in a hand and fit the zone. One more card of a colour or value changes them by a *gain*, which is computed once
per sign and zone of the bot; the worth of a Splito card is the sum of its two gains. Expected points of zones give
expected scores, and these the chance to win.
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

# Tuned in matches against `greedy`: 120 deals with 3, 4 and 6 players, one planner in each seat in turn. Without HELD
# an earlier version won 13 and 6 percentage points less often with 3 and 4 players; half the SPREAD loses 5 with 6
# players. HELD at 0.4 or 0.9 and twice the SPREAD made no difference, on average, beyond the error of about 3.
HELD = 0.75
"""Share of the points of an Objective that counts while it is still in a hand."""
PER_ROUND = 0.2
"""Points that a zone gains per remaining round for other reasons."""
SPREAD, SPREAD_PER_ROUND = 6.0, 2.0
"""Points that make a seat e times likelier to win: at the end, and in addition for each remaining round."""

Points: TypeAlias = list[float]
"""Expected points of each zone, or changes of them."""


def choose(ask: Ask) -> SplitoMove:
    """Return the move with the best chance to win; one of them at random in a tie."""
    plan = Plan(read(ask.view, ask.seat))
    worths = [plan.worth(move) for move in ask.moves]
    best = max(worths)
    return Random(ask.seed).choice([move for move, worth in zip(ask.moves, worths, strict=True) if worth > best - 1e-9])


class Hope(msgspec.Struct, frozen=True):
    """An Objective that is still in a hand; its holder will look for a zone in which it is likely to be met."""

    objective: Objective
    landing: Sequence[float]
    scale: float
    points: Sequence[float]
    """Expected points that it adds to each zone."""

    def points_at(self, zone: int, odds: float) -> float:
        """Return the points that it would add to the zone if it were met there with these odds."""
        return self.scale * self.landing[zone] * odds**2


class Plan:
    """The expected points of all zones in a position, and the worth of each move."""

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
        """Return the worth of a move; larger is better."""
        table = self.table
        zone = table.places[table.seat][move.side == "right"]
        objective = table.pile.objectives.get(move.card)
        changes = [self._placed(objective, zone)] if objective else [self._gain(sign, zone) for sign in move.card]
        points = [point + sum(change) for point, *change in zip(self.points, *changes, strict=True)]
        points[zone] += self._crowding[zone]
        return self._prospect(points)

    def _prospect(self, points: Points) -> float:
        """Return the logarithm of the bot's chance to win, divided by the chances of all other seats."""
        table, more = self.table, PER_ROUND * self.table.rounds
        scores = [
            (points[left] + more) * (points[right] + more) + banked
            for (left, right), banked in zip(table.places, table.banked, strict=True)
        ]
        mine = scores.pop(table.seat)
        best, spread = max(scores), SPREAD + SPREAD_PER_ROUND * table.rounds
        return (mine - best) / spread - log(sum([exp((score - best) / spread) for score in scores]))

    def _gain(self, sign: str, zone: int) -> Points:
        """Return the changes if the bot plays one more card of the sign into the zone."""
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
        """Return the changes if the bot plays an Objective into the zone."""
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
        """Return the change in each zone if it gets one more card of any kind."""
        changes = [0.0] * len(self.points)
        for place, objectives in enumerate(self.table.objectives):
            for objective, odds in zip(objectives, self.odds[place], strict=True):
                if isinstance(objective.need, Cards):
                    full = chance(objective.need, self.table.zones[place].fuller())
                    changes[place] += objective.points * (full - odds)
        return changes

    @cached_property
    def _hopes_for(self) -> dict[str, list[Hope]]:
        """Return the Objectives in hands by the signs that they count."""
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
        """Return the points that a majority of the sign pays in each zone; 1 everywhere if it pays nowhere yet."""
        return self.table.stakes.get(sign) or [1] * len(self.table.zones)

    def _majority(self, sign: str, stakes: Sequence[int], to: int | None = None) -> Points:
        """Return each zone's chance of the majority of a sign; with `to`, after the bot has played one more there."""
        zones, passing = self.table.zones, self.table.passing
        counts = [zone.counts[sign] for zone in zones]
        rates = [zone.rates[sign] for zone in zones]
        if to is not None:
            counts[to] += 1
            rates = [max(0.0, rate - share) for rate, share in zip(rates, passing, strict=True)]
        return majority(counts, rates, stakes)
