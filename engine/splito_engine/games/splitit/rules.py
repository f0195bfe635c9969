"""The rules of *Split it!*, clause by clause (I1 to I12 of rules.en.md), top-down in the order of play.

A round has these phases: split, remove (two players only), bet, place the jokers won. They repeat with the cards that
stay until the row is used up.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from msgspec.structs import replace

from splito_engine.chance import shuffled
from splito_engine.errors import IllegalMove, UnknownMove, WrongPlayers
from splito_engine.game import GameInfo, Scores, Seat, check_actors, check_players
from splito_engine.games.splitit.columns import SplititPlayer, must_place, open_columns, place, scores_of, win
from splito_engine.games.splitit.deck import DECK, JOKER, KINDS, ZONES, Card, SplititZones, cards_in, cut, filled
from splito_engine.games.splitit.move import (
    SPLITS,
    SplititBet,
    SplititMove,
    SplititPlace,
    SplititRemove,
    SplititSplit,
    from_wire,
    move_text,
)
from splito_engine.games.splitit.state import Phase, SplititOptions, SplititState, SplititView

INFO = GameInfo(
    id="splitit",
    version="1.0",
    titles={"en": "Split it!", "fr": "Split it!", "de": "Split it!"},
    min_players=2,
    max_players=4,
)

ROW_LENGTH = {2: 7, 3: 7, 4: 9}
MAX_STANDOFFS = 3  # times in a row that bets may leave two cards unchanged (I7)


def setup(players: int, seed: str, options: SplititOptions) -> SplititState:
    check_players(INFO, players)
    pile = tuple(shuffled(DECK, seed, "splitit"))
    return _next_round(SplititState(players, options, pile, (SplititPlayer(),) * players))


def actors(state: SplititState) -> tuple[Seat, ...]:
    match state.phase:
        case "split":
            return (state.splitter,)
        case "remove":
            return (1 - state.splitter,)
        case "bet":
            return state.inside
        case "place":
            return tuple(seat for seat, player in enumerate(state.table) if must_place(player))
        case "over":
            return ()


def moves(state: SplititState, seat: Seat) -> tuple[SplititMove, ...]:
    if seat not in actors(state):
        return ()
    match state.phase:
        case "split":
            return SPLITS[len(state.row)]
        case "remove":
            return tuple(map(SplititRemove, filled(state.zones)))
        case "bet":
            return tuple(map(SplititBet, filled(state.zones)))
        case "place":
            return tuple(map(SplititPlace, open_columns(state.table[seat])))
        case "over":
            return ()


def apply(state: SplititState, moves: Mapping[Seat, SplititMove]) -> SplititState:
    check_actors(actors(state), moves)
    return _STEPS[state.phase](state, {seat: _legal(state, seat, move) for seat, move in moves.items()})


def view(state: SplititState, seat: Seat | None) -> SplititView:
    if seat is not None and seat not in range(state.players):
        raise WrongPlayers(f"there is no seat {seat} in a match of {state.players}", seat=seat)
    return SplititView(
        seat=seat,
        players=state.players,
        options=state.options,
        round=state.round,
        rounds=-(-len(DECK) // ROW_LENGTH[state.players]),
        splitter=state.splitter,
        phase=state.phase,
        row=state.row,
        zones=state.zones,
        inside=state.inside,
        splits=state.splits,
        standoffs=state.standoffs,
        table=state.table,
        discard=state.discard,
        pile=len(state.pile),
        unseen={kind: state.pile.count(kind) for kind in KINDS},
    )


def imagine(view: SplititView, rng: Random) -> SplititState:
    """Draw an order of the pile; every order is equally likely."""
    pile: list[Card] = [kind for kind, count in view.unseen.items() for _ in range(count)]
    rng.shuffle(pile)
    return SplititState(
        players=view.players,
        options=view.options,
        pile=tuple(pile),
        table=view.table,
        round=view.round,
        phase=view.phase,
        row=view.row,
        zones=view.zones,
        inside=view.inside,
        splits=view.splits,
        standoffs=view.standoffs,
        discard=view.discard,
    )


def scores(state: SplititState) -> Scores:
    return scores_of(state.table)


def pieces(state: SplititState) -> tuple[str, ...]:
    won: list[str] = []
    for player in state.table:
        for number, count in zip(KINDS, player.numbers, strict=False):  # the joker comes last and has no column
            won += [number] * count
        won += [JOKER] * (sum(player.jokers) + player.waiting)
    return (*state.pile, *state.row, *won, *state.discard)


def _legal(state: SplititState, seat: Seat, move: SplititMove) -> SplititMove:
    try:
        known = from_wire(state, move)
    except UnknownMove as error:
        error.seat = seat
        raise
    if known not in moves(state, seat):
        raise IllegalMove(f"{move_text(known)} is not a legal move of seat {seat} now", seat=seat, field="move")
    return known


def _after_split(state: SplititState, moves: Mapping[Seat, SplititSplit]) -> SplititState:
    """Cut the row. With two players the other one then removes a zone: once a round, or always with the option (I4)."""
    split = moves[state.splitter]
    removal = state.players == 2 and (state.splits == 0 or state.options.remove_at_every_split)
    return replace(
        state,
        phase="remove" if removal else "bet",
        zones=cut(state.row, split.left, split.right),
        splits=state.splits + 1,
    )


def _after_removal(state: SplititState, moves: Mapping[Seat, SplititRemove]) -> SplititState:
    (removal,) = moves.values()
    zones = replace(state.zones, **{removal.zone: ()})
    return replace(
        state,
        phase="bet",
        row=zones.white + zones.pink + zones.black,
        zones=zones,
        discard=state.discard + cards_in(state.zones, removal.zone),
    )


def _after_bets(state: SplititState, moves: Mapping[Seat, SplititBet]) -> SplititState:
    """Discard each zone without a bet, give each zone with one bet to its player, keep zones with more bets (I6)."""
    table, inside = list(state.table), list(state.inside)
    discard, row = state.discard, ()
    for zone in ZONES:
        cards = cards_in(state.zones, zone)
        match [seat for seat, bet in moves.items() if bet.zone == zone]:
            case []:
                discard += cards
            case [winner]:
                table[winner] = win(table[winner], cards)
                inside.remove(winner)
            case _:
                row += cards
    return _go_on(
        replace(
            state,
            row=row,
            zones=SplititZones(),
            inside=tuple(inside),
            standoffs=state.standoffs + 1 if row == state.row else 0,
            table=tuple(table),
            discard=discard,
        )
    )


def _after_placing(state: SplititState, moves: Mapping[Seat, SplititPlace]) -> SplititState:
    """Place one joker of each actor; players with more jokers are asked again (I9)."""
    table = tuple(
        place(player, moves[seat].column) if seat in moves else player for seat, player in enumerate(state.table)
    )
    return _go_on(replace(state, table=table))


_STEPS: dict[Phase, Callable[[SplititState, Mapping[Seat, Any]], SplititState]] = {
    "split": _after_split,
    "remove": _after_removal,
    "bet": _after_bets,
    "place": _after_placing,
}


def _go_on(state: SplititState) -> SplititState:
    """Go on to the next phase: jokers just won are placed, then the row is split again or the round ends (I7, I8)."""
    if any(map(must_place, state.table)):
        return replace(state, phase="place")
    if len(state.row) > 1 and state.standoffs < MAX_STANDOFFS:
        return replace(state, phase="split")
    return _next_round(replace(state, row=(), discard=state.discard + state.row))


def _next_round(state: SplititState) -> SplititState:
    """Turn up a new row from the pile; end the match if the pile is empty (I2, I10)."""
    if not state.pile:
        return replace(state, phase="over", inside=(), standoffs=0)
    length = ROW_LENGTH[state.players]
    return replace(
        state,
        pile=state.pile[length:],
        round=state.round + 1,
        phase="split",
        row=state.pile[:length],
        inside=tuple(range(state.players)),
        splits=0,
        standoffs=0,
    )
