"""Positions of *Split it!* as pictures.

Rows are drawn as they lie: `3 7 | J 7 | 9` is split in white, pink and black, `3 7 J` is not split. Cards that a player
has won are written as `8 8 J8 5 J`: two eights with a joker on them, a five, and a waiting joker.
"""

from typing import Any

from splito_engine.games.splitit import (
    SplititOptions,
    SplititPlayer,
    SplititState,
    SplititZones,
    actors,
    apply,
    parse_move,
)

PLAIN = SplititOptions()
ALWAYS_REMOVE = SplititOptions(remove_at_every_split=True)
THE_NINES = "9 9 9 9 9 9 9"


def cards(text: str) -> Any:
    return tuple(text.split())


def player(text: str) -> SplititPlayer:
    tokens = text.split()
    return SplititPlayer(
        numbers=tuple(tokens.count(str(n)) for n in range(1, 11)),
        jokers=tuple(tokens.count(f"J{n}") for n in range(1, 11)),
        waiting=tokens.count("J"),
    )


def position(  # noqa: PLR0913 (a picture has many parts)
    row: str,
    *,
    players: int = 3,
    splitter: int = 0,
    table: tuple[str, ...] = (),
    inside: tuple[int, ...] | None = None,
    pile: str = THE_NINES,
    splits: int = 0,
    standoffs: int = 0,
    options: SplititOptions = PLAIN,
) -> SplititState:
    """Return the state of a picture; a row with dividers awaits the bets, a row without them the split."""
    zones = [cards(zone) for zone in row.split("|")] if "|" in row else []
    return SplititState(
        players=players,
        options=options,
        pile=cards(pile),
        table=tuple(map(player, table or ("",) * players)),
        round=splitter + 1,
        phase="bet" if zones else "split",
        row=cards(row.replace("|", "")),
        zones=SplititZones(*zones),
        inside=tuple(range(players)) if inside is None else inside,
        splits=splits + bool(zones),
        standoffs=standoffs,
    )


def drawn(state: SplititState) -> str:
    """Return the row of a state as a picture."""
    if state.zones == SplititZones():
        return " ".join(state.row)
    zones = (state.zones.white, state.zones.pink, state.zones.black)
    return " | ".join(" ".join(zone) for zone in zones)


def act(state: SplititState, texts: str) -> SplititState:
    """Return the state after the moves of all actors, in the order of their seats: `pink white pink`, `2|5`, `J8`."""
    return apply(state, dict(zip(actors(state), map(parse_move, texts.split()), strict=True)))


def play(state: SplititState, *turns: str) -> SplititState:
    for texts in turns:
        state = act(state, texts)
    return state
