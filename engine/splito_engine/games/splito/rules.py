"""The rules of Splito: all players play one card to the left or to the right at the same time, then pass their hands.

Between each two neighbours lies a zone. A player scores the left zone times the right zone, so players work with both
neighbours and against all others. Clauses such as S9 are those of rules.en.md.

Cards and moves are bytes inside this module: see `deck.py` and `move.py`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random

from splito_engine.errors import BadDeck, BadMove, IllegalMove, UnknownMove, WrongPlayers
from splito_engine.game import GameInfo, Scores, Seat, check_actors, check_players
from splito_engine.games.splito.dealing import HAND, cards_dealt, deal_out, empty_zones, pack_of, take_pack
from splito_engine.games.splito.deck import Card, Code, Deck, find_deck
from splito_engine.games.splito.scoring import score_zones
from splito_engine.games.splito.state import SplitoDeal, SplitoOptions, SplitoSeat, SplitoState, SplitoView

INFO = GameInfo(
    id="splito",
    version="1.0",
    titles={"en": "Splito", "fr": "Splito", "de": "Splito"},
    min_players=2,
    max_players=8,
    reconstructed_players=(2,),  # S19
)

PAIRS = {move: bytes((move & ~1, move | 1)) for move in range(256)}
"""Both moves of the card of a move. It is a dict because a list would accept negative numbers."""
CARDS = tuple(bytes((move // 2,)) for move in range(256))
"""The card of a move, as one byte."""
SEATS = tuple(tuple(range(players)) for players in range(INFO.max_players + 1))


def _places(players: int) -> tuple[tuple[int, int], ...]:
    """Return the left and the right zone of each seat: zone i is right of seat i (S6); two players share none (S19)."""
    if players == 2:
        return (0, 1), (2, 3)
    return tuple(((seat - 1) % players, seat) for seat in range(players))


PLACES = tuple(map(_places, range(INFO.max_players + 1)))


def setup(players: int, seed: str, options: SplitoOptions) -> SplitoState:
    check_players(INFO, players)
    deck = find_deck(options.deck)
    if len(deck.cards) < 2 + cards_dealt(players):
        raise BadDeck(f"{deck.id} has too few cards for {players} players", field="deck")
    first, *packs = (pack for deal in range(options.deals) for pack in deal_out(deck, players, f"{deal}/{seed}"))
    return SplitoState(options, first.commons, first.hands, first.doubles, empty_zones(players), tuple(packs), ())


def actors(state: SplitoState) -> tuple[Seat, ...]:
    return SEATS[len(state.hands)] if state.hands[0] else ()


def moves(state: SplitoState, seat: Seat) -> Sequence[int]:
    """Return each card of the hand to the left, then to the right; two copies of a card count once (S9)."""
    return state.hands[seat] if 0 <= seat < len(state.hands) else b""


def apply(state: SplitoState, moves: Mapping[Seat, int]) -> SplitoState:
    """Reveal all cards and pass the hands to the left (S9, S10)."""
    players = len(state.hands)
    if len(moves) != players or not state.hands[0]:
        check_actors(actors(state), moves)
    hands, doubles, zones = list(state.hands), list(state.doubles), list(state.zones)
    for seat, places in enumerate(PLACES[players]):
        try:
            move = moves[seat]
            pair = PAIRS[move]
        except KeyError:
            raise _fault(state, moves, seat) from None
        pile = doubles if doubles[seat] and doubles[seat].count(pair) else hands
        rest = pile[seat].replace(pair, b"", 1)  # faster than testing `pair in hand` first
        if len(rest) == len(pile[seat]):
            raise _fault(state, moves, seat)
        pile[seat] = rest
        zones[places[move % 2]] += CARDS[move]
    if not hands[0] and state.packs:
        return _next_pack(state, tuple(zones))
    hands.append(hands.pop(0))
    doubles.append(doubles.pop(0))
    return SplitoState(
        state.options, state.commons, tuple(hands), tuple(doubles), tuple(zones), state.packs, state.finished
    )


def view(state: SplitoState, seat: Seat | None) -> SplitoView:
    players, options = len(state.hands), state.options
    if seat is not None and not 0 <= seat < players:
        raise WrongPlayers(f"there is no seat {seat} in a match of {players}", seat=seat)
    rounds, commons, zones, seats, covered = _table(
        options.deck, state.commons, state.zones, state.hands, state.doubles
    )
    if covered or seat is None:
        seats = _known(seat, rounds % HAND, seats, covered)
    return SplitoView(
        seat,
        players,
        options,
        deal=len(state.finished),
        rounds_played=rounds,
        commons=commons,
        zones=zones,
        seats=seats,
        finished=state.finished,
    )


def imagine(view: SplitoView, rng: Random) -> SplitoState:
    """Draw unknown hands, and the hands still to be dealt, from the cards that have not been shown."""
    deck = find_deck(view.options.deck)
    unseen = _unseen(view, deck)
    rng.shuffle(unseen)
    hands = [
        [unseen.pop() for _ in range(seat.hand_size)] if seat.hand is None else [deck.codes[card] for card in seat.hand]
        for seat in view.seats
    ]
    goes_on = view.players == 2 and view.rounds_played < HAND
    packs = [take_pack(unseen, view.players)] if goes_on else []
    for _ in range(view.deal + 1, view.options.deals):
        packs += deal_out(deck, view.players, rng.randbytes(16).hex())
    now = pack_of(hands, tuple([deck.codes[card] for card in view.commons]))
    zones = tuple([bytes([deck.codes[card] for card in zone]) for zone in view.zones])
    return SplitoState(view.options, now.commons, now.hands, now.doubles, zones, tuple(packs), view.finished)


def scores(state: SplitoState) -> Scores:
    """Return points and, negated, the number of cards of each seat (S15, S16), over all deals (S18)."""
    now = _score_deal(state, state.zones)
    if not state.finished:
        return now
    return tuple(
        (sum(points for points, _ in deals), sum(cards for _, cards in deals))
        for deals in zip(now, *(deal.scores for deal in state.finished), strict=True)
    )


def pieces(state: SplitoState) -> list[Card]:
    names = find_deck(state.options.deck).names
    moves = [*state.hands, *state.doubles]
    for pack in state.packs:
        moves += (*pack.hands, *pack.doubles)
    codes = [code for pile in (state.commons, *state.zones, *(pack.commons for pack in state.packs)) for code in pile]
    codes += [move // 2 for hand in moves for move in hand[::2]]
    past = [card for deal in state.finished for pile in (*deal.zones, deal.commons) for card in pile]
    return past + [names[code] for code in codes]


def nudges(state: SplitoState, seat: Seat) -> tuple[str, ...]:
    """Return `unmet:<objective>:<zone>` for each open Objective that is not met, `play:left` and `play:right` (S20)."""
    if not state.options.talk or seat not in actors(state):
        return ()
    zones = score_zones(find_deck(state.options.deck), (), state.zones)
    unmet = [
        f"unmet:{objective.id}:{number}"
        for number, zone in enumerate(zones)
        for objective in zone.objectives
        if not objective.need.met(zone, zones)
    ]
    return (*unmet, "play:left", "play:right") if len(state.hands) > 2 else tuple(unmet)


def _next_pack(state: SplitoState, zones: tuple[bytes, ...]) -> SplitoState:
    pack, *packs = state.packs
    if not pack.commons:
        commons, finished = state.commons, state.finished
    else:
        names = find_deck(state.options.deck).names
        named = tuple([_named(zone, names) for zone in zones])
        ended = SplitoDeal(_named(state.commons, names), named, _score_deal(state, zones))
        commons, finished, zones = pack.commons, (*state.finished, ended), empty_zones(len(state.hands))
    return SplitoState(state.options, commons, pack.hands, pack.doubles, zones, tuple(packs), finished)


def _score_deal(state: SplitoState, zones: tuple[bytes, ...]) -> tuple[tuple[int, int], ...]:
    scored = score_zones(find_deck(state.options.deck), state.commons, zones)
    sides = [(scored[left], scored[right]) for left, right in PLACES[len(state.hands)]]
    return tuple([(left.points * right.points, -left.cards - right.cards) for left, right in sides])


def _named(codes: Iterable[Code], names: Sequence[Card]) -> tuple[Card, ...]:
    return tuple([names[code] for code in codes])


@lru_cache(maxsize=256)
def _table(
    deck: str,
    commons: tuple[Code, ...],
    zones: tuple[bytes, ...],
    hands: tuple[bytes, ...],
    doubles: tuple[bytes, ...],
) -> tuple[int, tuple[Card, ...], tuple[tuple[Card, ...], ...], tuple[SplitoSeat, ...], tuple[SplitoSeat, ...]]:
    """Return the parts of all views of a position: rounds played, commons, zones, seats with hands, seats without
    hands.

    The last part is empty if every seat has seen every hand. The result is cached, because all seats look at one table.
    """
    names, seats = find_deck(deck).names, list[SplitoSeat]()
    for seat, (left, right) in enumerate(PLACES[len(hands)]):
        held = hands[seat][::2]
        if doubles[seat]:
            held = bytes(sorted(held + doubles[seat][::2]))
        seats.append(SplitoSeat(left, right, len(held), tuple([names[move // 2] for move in held])))
    shown = tuple([tuple([names[code] for code in zone]) for zone in zones])
    rounds = len(b"".join(zones)) // len(hands)
    covered = _cover(seats) if rounds % HAND < len(hands) - 1 else ()
    return rounds, _named(commons, names), shown, tuple(seats), covered


def _known(
    seat: Seat | None, passes: int, seats: tuple[SplitoSeat, ...], covered: tuple[SplitoSeat, ...]
) -> tuple[SplitoSeat, ...]:
    """Return the seats as one seat knows them.

    Hands go left, so after n passes a seat has seen the hands of the n seats to its left, and its own (S10).
    """
    if seat is None:
        return covered or _cover(seats)
    first, after = seat - passes, seat + 1
    if first >= 0:
        return covered[:first] + seats[first:after] + covered[after:]
    first += len(seats)
    return seats[:after] + covered[after:first] + seats[first:]


def _cover(seats: Sequence[SplitoSeat]) -> tuple[SplitoSeat, ...]:
    return tuple([SplitoSeat(one.left, one.right, one.hand_size, None) for one in seats])


def _unseen(view: SplitoView, deck: Deck) -> list[Code]:
    shown = Counter([*view.commons, *(card for zone in view.zones for card in zone)])
    shown += Counter([card for seat in view.seats for card in seat.hand or ()])
    left = Counter(deck.cards)
    left.subtract({deck.codes[card]: count for card, count in shown.items()})
    return list(left.elements())


def _fault(state: SplitoState, moves: Mapping[Seat, int], seat: Seat) -> BadMove:
    check_actors(actors(state), moves)
    names, code = find_deck(state.options.deck).names, moves[seat] // 2
    if not 0 <= code < len(names):
        return UnknownMove(f"{moves[seat]} is not a move", seat=seat, field="move")
    return IllegalMove(f"seat {seat} does not hold {names[code]}", seat=seat, card=names[code], field="card")
