"""The protocol of a game: a module of pure functions over an immutable state.

A module that has the names of `Game` is a game; nothing is subclassed. All chance is in `setup`, so all other functions
are deterministic. All hidden information passes through `view`, so a bot, a page or a log that has seen only views
cannot leak any. `splito_engine.testing.check_game` checks both, and all other promises of this module.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, get_args

import msgspec

from splito_engine.errors import BadOption, MissingMove, NotYourTurn, WrongPlayers

Seat: TypeAlias = int
Language: TypeAlias = Literal["en", "fr", "de"]
Scores: TypeAlias = tuple[tuple[int, ...], ...]
"""One tuple per seat: points first, then tie-breakers. Tuples are compared from left to right; larger is better."""

LANGUAGES: tuple[Language, ...] = get_args(Language)


class GameInfo(msgspec.Struct, frozen=True):
    """The identity of a game: id, version of the rules, titles and numbers of players."""

    id: str
    version: str
    """The version of the rules. It is in every record, and changes when a record would replay to another result."""
    titles: dict[Language, str]
    min_players: int
    max_players: int
    reconstructed_players: tuple[int, ...] = ()
    """Numbers of players whose rules are reconstructed, because the printed text was not available."""


class CardText(msgspec.Struct, frozen=True):
    """The text of a card, die or number in one language."""

    id: str
    """The name of the card in `pieces`, views and moves."""
    text: str
    points: int | None = None
    """The points printed on the card, if `text` does not include them."""
    reconstructed: tuple[str, ...] = ()
    """Facts of the card that are our best guess, not confirmed by the printed game: `count`, `points`, `need`, ..."""


class Reason(msgspec.Struct, frozen=True):
    """One line of an explanation: a card or group that scored or did not, and why."""

    about: str
    met: bool
    points: int
    text: str


class Section(msgspec.Struct, frozen=True):
    """A part of an explanation: the reasons of one zone, column or sheet."""

    title: str
    points: int
    reasons: tuple[Reason, ...]


class Explanation(msgspec.Struct, frozen=True):
    """The explanation of all scores in one language. `totals` has one line per seat."""

    sections: tuple[Section, ...]
    totals: tuple[str, ...]


OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)
StateT = TypeVar("StateT")
MoveT = TypeVar("MoveT")
ViewT = TypeVar("ViewT")


class Game(Protocol[OptionsT, StateT, MoveT, ViewT]):
    """The names that a game module has; all of them are required.

    `Options`, `OpenOptions`, `State`, `Move` and `View` are msgspec types, from which the JSON schemas are made too.
    Both kinds of options forbid unknown fields. Inside the rules a move may be any small hashable value (`MoveT`;
    Splito uses an int); outside it is a `Move`. A game whose rules work on `Move` uses `as_is` and `all_as_they_are` to
    convert.

    `shared` is the only optional name: see `shared_of`.
    """

    INFO: GameInfo
    Options: type[OptionsT]
    OpenOptions: type[Any]
    """The options that a client on the network may choose: no files, nothing of this machine. Each of its fields is a
    field of `Options` with the same type and default. In most games it is `Options` itself."""
    State: type[StateT]
    Move: Any
    """A move on the wire: a Struct, or a union of Structs, which is why its type is `Any`."""
    View: type[ViewT]

    def setup(self, players: int, seed: str, options: OptionsT, /) -> StateT:
        """Return the first state. Only this function casts dice and shuffles cards."""
        ...

    def actors(self, state: StateT, /) -> tuple[Seat, ...]:
        """Return the seats that must move now, together, in ascending order; an empty tuple if the match is over."""
        ...

    def moves(self, state: StateT, seat: Seat, /) -> Sequence[MoveT]:
        """Return the legal moves, without duplicates, in a fixed order; the first is the default move."""
        ...

    def apply(self, state: StateT, moves: Mapping[Seat, MoveT], /) -> StateT:
        """Return the state after one legal move of each actor. Raise `BadMove` if a move is missing or not legal."""
        ...

    def view(self, state: StateT, seat: Seat | None, /) -> ViewT:
        """Return the position as the seat may know it, hands it has seen included; `None` is a spectator.

        Moves of earlier turns are public; the match keeps them.
        """
        ...

    def imagine(self, view: ViewT, rng: Random, /) -> StateT:
        """Return a state that has this view; everything that the view hides is drawn at random."""
        ...

    def scores(self, state: StateT, /) -> Scores:
        """Return the scores as if the match ended now; they are final if no seat must move."""
        ...

    def pieces(self, state: StateT, /) -> Sequence[str]:
        """Return every card or number of the match, wherever it lies: the same in every state, in any order."""
        ...

    def nudges(self, state: StateT, seat: Seat, /) -> Sequence[str]:
        """Return the nudges that this seat may add to its move now: a closed list of messages."""
        ...

    def to_wire(self, state: StateT, moves: Sequence[MoveT], /) -> Sequence[Any]:
        """Return the moves as `Move`s."""
        ...

    def from_wire(self, state: StateT, move: Any, /) -> MoveT:
        """Return a `Move` in the inner form of the rules. Raise `UnknownMove` if the game has no such move."""
        ...

    def move_text(self, move: Any, /) -> str:
        """Return the short form of a `Move`, for records and terminals."""
        ...

    def parse_move(self, text: str, /) -> Any:
        """Return the `Move` of a short form. Raise `UnknownMove` if the text is not a move."""
        ...

    def explain(self, state: StateT, language: Language, /) -> Explanation:
        """Return the explanation of the scores as if the match ended now."""
        ...

    def rulebook(self, language: Language, /) -> str:
        """Return the rules in Markdown, clause by clause."""
        ...

    def cards(self, language: Language, /) -> Sequence[CardText]:
        """Return one text per different card of the standard deck, in a fixed order: all of `pieces`, or none."""
        ...


AnyGame: TypeAlias = Game[Any, Any, Any, Any]
Shared: TypeAlias = Callable[[Any], Mapping[tuple[Seat, Seat], int]]


def shared_of(game: AnyGame) -> Shared | None:
    """Return the function `shared` of a game; None if the game has none.

    `shared(state)` maps each two neighbours, the left one first, to the points that they have in common, as the zones
    of Splito. It holds all neighbours of the table, or is empty.
    """
    return getattr(game, "shared", None)


def silent(state: object, seat: Seat, /) -> tuple[str, ...]:  # noqa: ARG001 (the signature of `Game.nudges`)
    """Return no nudges: the function `nudges` of a game without table talk."""
    return ()


def as_is(state: object, move: MoveT, /) -> MoveT:  # noqa: ARG001 (the signature of `Game.from_wire`)
    """Return the move itself: the function `from_wire` of a game whose rules work on wire moves."""
    return move


def all_as_they_are(state: object, moves: Sequence[MoveT], /) -> Sequence[MoveT]:  # noqa: ARG001 (`Game.to_wire`)
    """Return the moves themselves: the function `to_wire` of a game whose rules work on wire moves."""
    return moves


def no_cards(language: Language, /) -> tuple[CardText, ...]:  # noqa: ARG001 (the signature of `Game.cards`)
    """Return no cards: the function `cards` of a game with bare numbers, which read the same in all languages."""
    return ()


def check_players(info: GameInfo, players: int) -> None:
    """Raise `WrongPlayers` if the game is not for that number of players."""
    if not info.min_players <= players <= info.max_players:
        raise WrongPlayers(
            f"{info.titles['en']} is for {info.min_players} to {info.max_players} players, not {players}",
            field="players",
        )


def check_actors(actors: tuple[Seat, ...], moves: Mapping[Seat, object]) -> None:
    """Raise `MissingMove` if an actor has no move, `NotYourTurn` if any other seat has one or the match is over."""
    if not actors:
        raise NotYourTurn("the match is over")
    if {*moves} == {*actors}:
        return
    for seat in moves:
        if seat not in actors:
            raise NotYourTurn(f"seat {seat} has nothing to decide now", seat=seat)
    for seat in actors:
        if seat not in moves:
            raise MissingMove(f"seat {seat} has not moved", seat=seat)


def read_options(game: AnyGame, raw: Mapping[str, object] | msgspec.Struct | None) -> Any:
    """Return options as the game's own Struct. Raise `BadOption` if one is unknown, of a wrong type or out of range."""
    if isinstance(raw, game.Options):
        return raw
    chosen = msgspec.to_builtins(raw) if isinstance(raw, game.OpenOptions) else raw or {}
    try:
        return msgspec.convert(chosen, game.Options)
    except msgspec.ValidationError as error:
        known = ", ".join(field.name for field in msgspec.structs.fields(game.Options)) or "none"
        raise BadOption(f"{error} (options of {game.INFO.id}: {known})", field=_field_at_fault(str(error))) from None


def _field_at_fault(message: str) -> str:
    """Return the field that a msgspec message names last, in backticks; `options` if it names none."""
    return message.rsplit("`", 2)[-2].removeprefix("$.") if "`" in message else "options"
