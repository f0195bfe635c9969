"""A second scorer of Splito, written straight from the clauses S4 and S12 to S16, to be compared with the engine.

It shares no code with the engine and reads no deck file: the requirement of an Objective is read from its wire name
(only Objectives have a hyphen), and its points are in the table below. It is meant to be slow and obvious.
"""

COLOURS = {"red": "r", "blue": "b", "yellow": "y", "black": "k", "green": "g", "orange": "o"}

WORTH = {
    "moon": 3,
    "star": 3,
    "none": 1,
    "two": 2,
    "trio": 1,
    "colours-3": 4,
    "colours-4": 3,
    "colours-5": 2,
    "colours-6": 4,
    "values-6": 4,
    "max-11": 2,
    "min-15": 2,
}
"""The points of S4: of a whole family, or of one Objective."""


def naive_scores(players: int, commons: list[str], zones: list[list[str]]) -> list[tuple[int, int]]:
    """Return per seat left zone times right zone (S15), and minus the number of cards in both (S16)."""
    points = [0] * len(zones)
    lying = {number: list(zone) for number, zone in enumerate(zones)}
    for common in commons:  # S12
        for number in range(len(zones)):
            if naive_met(common, number, lying):
                points[number] += worth(common)
                lying[number].append(common)
    for number, zone in enumerate(zones):  # S13: the zone's own Objectives, with all that lies there now
        for card in zone:
            if "-" in card and naive_met(card, number, lying):
                points[number] += worth(card)
    scores: list[tuple[int, int]] = []
    for seat in range(players):
        left, right = sides(players, seat)
        scores.append((points[left] * points[right], -len(lying[left]) - len(lying[right])))
    return scores


def naive_met(objective: str, number: int, lying: dict[int, list[str]]) -> bool:
    """Return True if this zone, compared with all zones, meets the Objective (S4, S14)."""
    family, asked = objective.split("-")
    here = lying[number]
    if family == "moon":
        return most(number, [colours(zone).count(COLOURS[asked]) for zone in lying.values()])
    if family == "star":
        return most(number, [values(zone).count(asked) for zone in lying.values()])
    if family in ("none", "two"):
        return values(here).count(asked) == {"none": 0, "two": 2}[family]
    if family == "trio":
        return all(letter in colours(here) for letter in asked)
    if family in ("max", "min"):
        return len(here) <= 11 if family == "max" else len(here) >= 15
    return len(set(colours(here) if family == "colours" else values(here))) == int(asked)


def most(number: int, counts: list[int]) -> bool:
    """Return True if this zone has strictly more than every other zone."""
    others = counts[:number] + counts[number + 1 :]
    return counts[number] > max(others)


def worth(objective: str) -> int:
    family, _ = objective.split("-")
    return WORTH[family] if family in WORTH else WORTH[objective]


def sides(players: int, seat: int) -> tuple[int, int]:
    """Return the left and the right zone of a seat (S6, S19)."""
    if players == 2:
        return 2 * seat, 2 * seat + 1
    left_neighbour = players - 1 if seat == 0 else seat - 1
    return left_neighbour, seat


def colours(zone: list[str]) -> list[str]:
    return [card[0] for card in zone if "-" not in card]


def values(zone: list[str]) -> list[str]:
    return [card[1] for card in zone if "-" not in card]
