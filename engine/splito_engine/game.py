"""What a game is: a module of pure functions over an immutable state.

A module that has the names of `Game` is a game; nothing is subclassed. All chance is in `setup`, so the rest is
deterministic. All hidden information passes through `view`, so a bot, a page or a log that has seen only views cannot
leak. `splito_engine.testing.check_game` checks both, and everything else this page promises.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, get_args

import msgspec

from splito_engine.errors import BadOption, MissingMove, NotYourTurn, WrongPlayers

Seat: TypeAlias = int
Language: TypeAlias = Literal["en", "fr", "de"]
Scores: TypeAlias = tuple[tuple[int, ...], ...]
"""One tuple per seat: points first, then tie-breakers; compared left to right, larger is better."""

LANGUAGES: tuple[Language, ...] = get_args(Language)


class GameInfo(msgspec.Struct, frozen=True):
    id: str
    version: str
    """Of the rules. It stands in every record and changes with every change of what a record replays to."""
    titles: dict[Language, str]
    min_players: int
    max_players: int
    reconstructed_players: tuple[int, ...] = ()
    """Numbers of players whose rules are reconstructed, because the printed text was not available."""


class CardText(msgspec.Struct, frozen=True):
    """What a card, die or number shows, for a reader."""

    id: str
    """As in `pieces`, views and moves."""
    text: str
    points: int | None = None
    """What the card says it is worth, where `text` does not say it."""
    reconstructed: tuple[str, ...] = ()
    """Facts of the card that are our best guess, not confirmed by the printed game: `count`, `points`, `need`, ..."""


class Reason(msgspec.Struct, frozen=True):
    """One thing that scored, or did not, and why."""

    about: str
    met: bool
    points: int
    text: str


class Section(msgspec.Struct, frozen=True):
    """What belongs together in an explanation: a zone, a column, a sheet."""

    title: str
    points: int
    reasons: tuple[Reason, ...]


class Explanation(msgspec.Struct, frozen=True):
    """How the scores came about, in one language. `totals` has one line per seat."""

    sections: tuple[Section, ...]
    totals: tuple[str, ...]


OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)
StateT = TypeVar("StateT")
MoveT = TypeVar("MoveT")
ViewT = TypeVar("ViewT")


class Game(Protocol[OptionsT, StateT, MoveT, ViewT]):
    """The names a game module has.

    `Options`, `OpenOptions`, `State`, `Move` and `View` are msgspec types, and the schema of the wire too. Unknown
    options are refused, so both kinds of options forbid unknown fields. Inside the rules a move may be anything small
    and quick (`MoveT`, Splito uses an int); outside it is a `Move`. A game whose rules work on `Move` takes `as_is`
    and `all_as_they_are` for the conversions.

    All of them must be there. One name more, `shared`, is for games that want it: see `shared_of`.
    """

    INFO: GameInfo
    Options: type[OptionsT]
    OpenOptions: type[Any]
    """The options that anybody on the network may choose: no files, nothing of this machine. Each of its fields is a
    field of `Options` of the same type and default; most games have only such, and it is `Options` itself."""
    State: type[StateT]
    Move: Any
    """A move on the wire: a Struct, or a union of Structs, which is why its type is `Any`."""
    View: type[ViewT]

    def setup(self, players: int, seed: str, options: OptionsT, /) -> StateT:
        """The first state. Here, and only here, the dice are cast and the cards shuffled."""
        ...

    def actors(self, state: StateT, /) -> tuple[Seat, ...]:
        """The seats that must move now, together, in ascending order. None: the match is over."""
        ...

    def moves(self, state: StateT, seat: Seat, /) -> Sequence[MoveT]:
        """The legal moves, without duplicates, in a fixed order; the first is the default move."""
        ...

    def apply(self, state: StateT, moves: Mapping[Seat, MoveT], /) -> StateT:
        """One joint step: exactly one legal move for each of the actors, or a `BadMove` and no step."""
        ...

    def view(self, state: StateT, seat: Seat | None, /) -> ViewT:
        """The position as the seat may know it, hands it has seen included; `None` is a spectator.

        What was played in earlier turns is public, and kept by the match.
        """
        ...

    def imagine(self, view: ViewT, rng: Random, /) -> StateT:
        """A state that looks like this from there: what the view hides is drawn at random."""
        ...

    def scores(self, state: StateT, /) -> Scores:
        """As if the match ended now; final when nobody is left to move."""
        ...

    def pieces(self, state: StateT, /) -> Sequence[str]:
        """Every card or number of the match, wherever it lies: the same, in any order, from first to last."""
        ...

    def nudges(self, state: StateT, seat: Seat, /) -> Sequence[str]:
        """The closed list of table talk this seat may add to its move now."""
        ...

    def to_wire(self, state: StateT, moves: Sequence[MoveT], /) -> Sequence[Any]:
        """The moves as `Move`s."""
        ...

    def from_wire(self, state: StateT, move: Any, /) -> MoveT:
        """A `Move` as the rules want it; `UnknownMove` when this game has no such move."""
        ...

    def move_text(self, move: Any, /) -> str:
        """The short form of a `Move`, for records and terminals."""
        ...

    def parse_move(self, text: str, /) -> Any:
        """`move_text` backwards; `UnknownMove` when it is none."""
        ...

    def explain(self, state: StateT, language: Language, /) -> Explanation:
        """Where the scores come from."""
        ...

    def rulebook(self, language: Language, /) -> str:
        """The rules for a reader, in Markdown, clause by clause."""
        ...

    def cards(self, language: Language, /) -> Sequence[CardText]:
        """One per different card of the standard deck, in a fixed order; all that `pieces` names, or none at all."""
        ...


AnyGame: TypeAlias = Game[Any, Any, Any, Any]
Shared: TypeAlias = Callable[[Any], Mapping[tuple[Seat, Seat], int]]


def shared_of(game: AnyGame) -> Shared | None:
    """The one name that a game may have or not: `shared(state)` has the points that each two neighbours have in common,
    the one to the left first, as the zones of Splito. All neighbours of the table are in it, or nobody.
    """
    return getattr(game, "shared", None)


def silent(state: object, seat: Seat, /) -> tuple[str, ...]:  # noqa: ARG001 (the signature of `Game.nudges`)
    """`nudges` of a game without table talk."""
    return ()


def as_is(state: object, move: MoveT, /) -> MoveT:  # noqa: ARG001 (the signature of `Game.from_wire`)
    """`from_wire` of a game whose rules work on wire moves."""
    return move


def all_as_they_are(state: object, moves: Sequence[MoveT], /) -> Sequence[MoveT]:  # noqa: ARG001 (`Game.to_wire`)
    """`to_wire` of such a game."""
    return moves


def no_cards(language: Language, /) -> tuple[CardText, ...]:  # noqa: ARG001 (the signature of `Game.cards`)
    """`cards` of a game without any: bare numbers read the same in all languages."""
    return ()


def check_players(info: GameInfo, players: int) -> None:
    if not info.min_players <= players <= info.max_players:
        raise WrongPlayers(
            f"{info.titles['en']} is for {info.min_players} to {info.max_players} players, not {players}",
            field="players",
        )


def check_actors(actors: tuple[Seat, ...], moves: Mapping[Seat, object]) -> None:
    """Everybody who must move does, and nobody else."""
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
    """Options from outside, open or not, as the game's own Struct."""
    if isinstance(raw, game.Options):
        return raw
    chosen = msgspec.to_builtins(raw) if isinstance(raw, game.OpenOptions) else raw or {}
    try:
        return msgspec.convert(chosen, game.Options)
    except msgspec.ValidationError as error:
        known = ", ".join(field.name for field in msgspec.structs.fields(game.Options)) or "none"
        raise BadOption(f"{error} (options of {game.INFO.id}: {known})", field=_field_at_fault(str(error))) from None


def _field_at_fault(message: str) -> str:
    """`Object contains unknown field `x`` and `... - at `$.x`` both name the field last, in backticks."""
    return message.rsplit("`", 2)[-2].removeprefix("$.") if "`" in message else "options"
