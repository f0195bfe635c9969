"""Scoring (S12 to S15): commons go to the zones that lead, then the Objectives of each zone are checked."""

from collections.abc import Sequence

import msgspec

from splito_engine.games.splito.deck import Code, Deck, Objective
from splito_engine.games.splito.objectives import Zone


class Scored(Zone, eq=False):
    """A scored zone: its Objectives, including the commons it won, and its points."""

    objectives: list[Objective] = msgspec.field(default_factory=list[Objective])
    points: int = 0


def score_zones(deck: Deck, commons: Sequence[Code], zones: Sequence[bytes]) -> list[Scored]:
    """Return the scored zones; zones are given as rows of card codes."""
    scored = [_lay(deck, zone) for zone in zones]
    for common in commons:
        _award(deck.objectives[common], deck.signs[common], scored)
    for zone in scored:
        for objective in zone.objectives:
            if objective.need.met(zone, scored):
                zone.points += objective.points
    return scored


def _lay(deck: Deck, zone: bytes) -> Scored:
    signs = zone.translate(deck.letters) + zone.translate(deck.digits)
    objectives = [deck.objectives[code] for code in zone.translate(None, deck.faces)]
    return Scored(signs.decode(), len(zone), objectives)


def _award(common: Objective, sign: str, zones: Sequence[Scored]) -> None:
    """Add the common to the zone that leads alone, as one of its cards; to no zone in a tie (S12)."""
    held = [zone.signs.count(sign) for zone in zones]
    if held.count(max(held)) == 1:
        winner = zones[held.index(max(held))]
        winner.objectives.append(common)
        winner.cards += 1
