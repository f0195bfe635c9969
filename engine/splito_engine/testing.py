"""The conformance kit: `check_game(game)` plays random matches and checks all promises of `splito_engine.game.Game`.

Authors of a game call it in a test:

    from splito_engine.testing import check_game
    import my_game

    def test_my_game_is_a_game():
        check_game(my_game)

The first broken promise raises `Unfit` with the number of players, the seed and the turn.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from random import Random
from typing import Any

import msgspec

from splito_engine.errors import BadOption, GameError, MissingMove, NotYourTurn, WrongPlayers
from splito_engine.game import LANGUAGES, AnyGame, Seat, read_options, shared_of
from splito_engine.match import Match, legal_moves, play, seal, start
from splito_engine.record import new_salt, record_of, replay

MAX_TURNS = 10_000
"""Turns after which a random match counts as one that never ends."""
IMAGINED = 8  # states that `imagine` draws from each view


class Unfit(AssertionError):
    """Raised when the game breaks a promise."""


def check_game(game: AnyGame, seeds: int = 3, max_turns: int = MAX_TURNS) -> int:
    """Check the game with every number of players and that many deals each. Return the number of turns checked.

    Raise `Unfit` at the first broken promise.
    """
    _check_info(game)
    _check_texts(game)
    _check_cards(game)
    _check_options(game)
    turns = 0
    for players in range(game.INFO.min_players, game.INFO.max_players + 1):
        for seed in range(seeds):
            with _context(f"{game.INFO.id}, {players} players, seed 'check-{seed}'"):
                turns += _check_match(game, players, f"check-{seed}", max_turns)
    with _context(game.INFO.id):
        _check_refusals(game)
    return turns


def _check_match(game: AnyGame, players: int, seed: str, max_turns: int) -> int:
    rng = Random(seed)
    match = start(game, players, seed)
    _require(_bytes(match.state) == _bytes(start(game, players, seed).state), "the same seed gives another deal")
    pieces = sorted(game.pieces(match.state))
    listed = {card.id for card in game.cards("en")}
    _require(not listed or listed.issuperset(pieces), "`cards` does not list all `pieces`")
    while not match.over:
        _require(len(match.turns) < max_turns, f"the match is not over after {max_turns} turns")
        with _context(f"turn {len(match.turns)}"):
            _check_state(match, rng)
            match = _check_step(match, rng)
            _require(sorted(game.pieces(match.state)) == pieces, "`pieces` are not conserved")
    with _context("the end"):
        _check_end(match, rng)
    return len(match.turns)


def _check_state(match: Match, rng: Random) -> None:
    """Check the promises about a state: encoding, actors, moves, views and scores."""
    game, state = match.game, match.state
    decoded = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=game.State)
    _require(_bytes(decoded) == _bytes(state), "the state does not survive being encoded and decoded as `State`")
    _require(list(match.actors) == sorted({*match.actors}), "`actors` are not in ascending order")
    _require({*match.actors} <= {*range(match.players)}, "`actors` names a seat that does not exist")
    for seat in range(match.players):
        _check_moves(match, seat)
    for seat in (*range(match.players), None):
        _check_view(match, seat, rng)
    shape = {len(score) for score in game.scores(state)}
    _require(len(game.scores(state)) == match.players, "`scores` does not have one tuple per seat")
    _require(len(shape) == 1 and 0 not in shape, "the tuples of `scores` differ in length, or are empty")
    _check_shared(match)


def _check_shared(match: Match) -> None:
    shared = shared_of(match.game)
    if shared is not None:
        circle = {(seat, (seat + 1) % match.players) for seat in range(match.players)}
        _require({*shared(match.state)} in (set(), circle), "`shared` has some neighbours but not all")


def _check_moves(match: Match, seat: Seat) -> None:
    game, moves = match.game, match.game.moves(match.state, seat)
    _require(
        bool(moves) == (seat in match.actors),
        f"seat {seat} has moves although it does not act, or none although it acts",
    )
    _require(len({*moves}) == len(moves), f"`moves` of seat {seat} has duplicates")
    _require([*moves] == [*game.moves(match.state, seat)], "`moves` changes its order from call to call")
    for move, wire in zip(moves, game.to_wire(match.state, moves), strict=True):
        _require(game.from_wire(match.state, wire) == move, f"{wire} is another move after `from_wire`")
        decoded = msgspec.json.decode(msgspec.json.encode(wire), type=game.Move)
        _require(decoded == wire, f"{wire} does not survive JSON as `Move`")
        _require(game.parse_move(game.move_text(wire)) == wire, f"{wire} does not survive its short form")


def _check_view(match: Match, seat: Seat | None, rng: Random) -> None:
    """Check that a view hides secrets, and that `imagine` varies only what the view hides."""
    game = match.game
    view = game.view(match.state, seat)
    seen = _bytes(view)
    decoded = msgspec.json.decode(msgspec.json.encode(view), type=game.View)
    _require(_bytes(decoded) == seen, f"the view of seat {seat} does not survive JSON as `View`")
    imagined = [game.imagine(view, Random(rng.random())) for _ in range(IMAGINED)]
    for state in imagined:
        _require(_bytes(game.view(state, seat)) == seen, f"`imagine` does not keep the view of seat {seat}")
        _require(game.actors(state) == match.actors, "`imagine` changes who must move")
        if seat is not None:
            same = [*game.moves(state, seat)] == [*game.moves(match.state, seat)]
            _require(same, f"the moves of seat {seat} depend on what its view hides")
            same = [*game.nudges(state, seat)] == [*game.nudges(match.state, seat)]
            _require(same, f"the nudges of seat {seat} depend on what its view hides")
        spectators = _bytes(game.view(state, None)) == _bytes(game.view(match.state, None))
        _require(spectators, f"spectators see something that seat {seat} does not")
    varied = {_bytes(state) for state in imagined}
    _require(len(varied) > 1 or varied == {_bytes(match.state)}, "`imagine` does not vary what the view hides")


def _check_step(match: Match, rng: Random) -> Match:
    """Return the match after a random turn; check that sealing gives the same and that bad turns are refused."""
    game, before = match.game, _bytes(match.state)
    moves = {seat: rng.choice(legal_moves(match, seat)) for seat in match.actors}
    after = play(match, moves)
    _require(_bytes(play(match, dict(reversed(moves.items()))).state) == _bytes(after.state), "order of moves matters")
    sealed = match
    for seat in rng.sample(match.actors, len(match.actors)):
        _require(_bytes(sealed.state) == before, "sealing reveals the turn before every actor has sealed")
        sealed = seal(sealed, seat, moves[seat])
    _require(_bytes(sealed.state) == _bytes(after.state), "sealing one by one gives another state")
    inner = {seat: game.from_wire(match.state, move) for seat, move in moves.items()}
    short = dict(list(inner.items())[1:])
    _refused(MissingMove, "a missing move", lambda: game.apply(match.state, short))
    extra = {**inner, match.players: next(iter(inner.values()))}
    _refused(NotYourTurn, "a move of a seat that does not exist", lambda: game.apply(match.state, extra))
    _require(_bytes(match.state) == before, "`apply` changes the state it is given")
    return after


def _check_end(match: Match, rng: Random) -> None:
    """Check that a finished match stays finished, can be explained, and has a record that replays to the same state."""
    _check_state(match, rng)
    _refused(NotYourTurn, "a turn after the end", lambda: match.game.apply(match.state, {}))
    for language in LANGUAGES:
        explanation = match.game.explain(match.state, language)
        _require(
            len(explanation.totals) == match.players, f"`explain` in {language!r} does not have one total per seat"
        )
    record = record_of(match, tuple(f"seat {seat}" for seat in range(match.players)), new_salt())
    _require(_bytes(replay(record, match.game).state) == _bytes(match.state), "the record replays to another end")


def _check_info(game: AnyGame) -> None:
    info = game.INFO
    _require(info.id.isascii() and info.id.isalnum() and info.id.islower(), "`id` is not lower-case letters and digits")
    _require(bool(info.version), "`version` is empty")
    _require(1 <= info.min_players <= info.max_players, "the range of players is empty")
    played = range(info.min_players, info.max_players + 1)
    _require({*info.reconstructed_players} <= {*played}, "`reconstructed_players` has a number that cannot play")
    _require(all(info.titles.get(language) for language in LANGUAGES), "a title is missing")


def _check_texts(game: AnyGame) -> None:
    for language in LANGUAGES:
        _require(bool(game.rulebook(language).strip()), f"the rulebook in {language!r} is empty")


def _check_cards(game: AnyGame) -> None:
    """Check that `cards` lists the same cards in every language, each with a text."""
    facts = [msgspec.structs.replace(card, text="") for card in game.cards("en")]
    _require(len({card.id for card in facts}) == len(facts), "`cards` has a card twice")
    for language in LANGUAGES:
        cards = [*game.cards(language)]
        _require(cards == [*game.cards(language)], "`cards` changes from call to call")
        same = [msgspec.structs.replace(card, text="") for card in cards] == facts
        _require(same, "`cards` differ from language to language in more than their texts")
        _require(all(card.text.strip() for card in cards), f"`cards` in {language!r} has a card without a text")


def _check_options(game: AnyGame) -> None:
    """Check that `OpenOptions` is a part of `Options` with the same defaults."""
    options = msgspec.structs.fields(game.Options)
    for field in msgspec.structs.fields(game.OpenOptions):
        _require(field in options, f"`Options` has no field like {field.name!r} of `OpenOptions`: name, type, default")
    unknown = {"no such option": 1}
    _refused(msgspec.ValidationError, "an unknown open option", lambda: msgspec.convert(unknown, game.OpenOptions))
    same = _bytes(read_options(game, game.OpenOptions())) == _bytes(game.Options())
    _require(same, "`OpenOptions()` does not become `Options()`")


def _check_refusals(game: AnyGame) -> None:
    """Check that wrong numbers of players, unknown options and missing seats are refused with the right error."""
    options = game.Options()
    few, many = game.INFO.min_players - 1, game.INFO.max_players + 1
    _refused(WrongPlayers, "one player too few", lambda: game.setup(few, "seed", options))
    _refused(WrongPlayers, "one player too many", lambda: game.setup(many, "seed", options))
    _refused(BadOption, "an unknown option", lambda: read_options(game, {"no such option": 1}))
    state = game.setup(game.INFO.min_players, "seed", options)
    for seat in (-1, game.INFO.min_players):
        _refused(GameError, f"a view of seat {seat}", lambda seat=seat: game.view(state, seat))
        _require(not game.moves(state, seat), f"seat {seat}, which does not exist, has moves")


def _refused(kind: type[Exception], what: str, call: Callable[[], object]) -> None:
    try:
        call()
    except kind:
        return
    except Exception as error:  # the game under test may raise anything
        raise Unfit(f"{what} is refused with {type(error).__name__}, not with {kind.__name__}") from error
    raise Unfit(f"{what} is not refused")


def _require(promise: bool, complaint: str) -> None:
    if not promise:
        raise Unfit(complaint)


@contextmanager
def _context(where: str) -> Generator[None]:
    try:
        yield
    except Unfit as unfit:
        raise Unfit(f"{where}: {unfit}") from unfit.__cause__


def _bytes(thing: Any) -> bytes:
    return msgspec.msgpack.encode(thing)
