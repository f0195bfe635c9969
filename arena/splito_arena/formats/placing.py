"""The official placing of a tournament, by the rules of its format. docs/formats.md has these rules in plain words.

Ratings are another table: they say how strong a bot is, the placing says what it has won.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from splito_arena.formats.elimination import Bracket, Career, bracket_of
from splito_arena.formats.past import DIGITS, mean_places, ranked
from splito_arena.formats.swiss import swiss_scores
from splito_arena.formats.types import Elimination, Entrant, Format, Gauntlet, Ladder, Past, Swiss
from splito_arena.stats.intervals import RatingInterval
from splito_arena.stats.texts import shown_rating

Rule: TypeAlias = Literal["bracket", "points", "mean-place", "rating"]
Key: TypeAlias = tuple[float, ...]
"""Sort key of a bot; the greatest one is first, and bots with equal keys share a place."""
Count: TypeAlias = Annotated[int, Meta(ge=0)]

RULES: dict[Rule, str] = {
    "bracket": "by the final, then by the round in which a bot went out and its place at that table",
    "points": "by points; ties by the points of the bots met, then by tables won",
    "mean-place": "by the mean place over blocks",
    "rating": "by rating, because a ladder has no other order and no end",
}
UNPLAYED = "Nothing was played, so there is no winner."
NOT_YET = "No results count yet."
NO_FINAL = "Too few bots were left for a final; the bots that were still in share the first place."
FEW = 0.5
"""Share of the blocks of the busiest bot below which a bot that dropped out is placed behind all others."""


class Figures(NamedTuple):
    """The figures of a bot in the standings, for formats that decide by them."""

    mean_place: float
    blocks: int
    rating: RatingInterval = RatingInterval(None, None, None)
    rank: int = 1
    """Rank by rating, the same for bots with equal ratings. A bot that was never beaten has a bound for a rating, so
    ratings alone do not give the order.
    """


class PlacingLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the placing: a bot, its place, and the reason. Fields of other formats are left out."""

    place: Annotated[int, Meta(ge=1)]
    """Place from 1, the same for bots that share it."""
    bot: str
    """Id of a registered bot, or name of a house bot."""
    name: str
    """Name of the bot."""
    reason: str
    """Reason for the place in words, as in "out in round 2, place 3 at its table"."""
    points: float | None = None
    """Swiss: points of all rounds."""
    opponents: float | None = None
    """Swiss, first tie-break: points of the bots met."""
    tables_won: float | None = None
    """Swiss, second tie-break: number of tables won."""
    out: bool | None = None
    """Elimination: true if the bot plays no more."""
    round: Count | None = None
    """Elimination: last round of the bot, from 1; 0 for none."""
    table_place: float | None = None
    """Elimination: mean place at its table of that round."""
    losses: Count | None = None
    """Elimination: number of tables lost."""
    mean_place: float | None = None
    """Round robin, gauntlet: mean place over blocks."""
    blocks: Count | None = None
    """Round robin, gauntlet: number of blocks."""
    rating: float | None = None
    """Ladder: rating of the bot, or the known end of its interval; null if it has none yet."""


class Placing(Struct, frozen=True, kw_only=True):
    """The official placing of a tournament."""

    rule: Rule
    """Rule that decides: final and bracket, Swiss points, mean place over blocks, or the ratings of a ladder."""
    final: bool
    """True if the tournament has finished. Otherwise the placing is provisional."""
    rounds: Count
    """Number of finished rounds that count."""
    winners: tuple[str, ...]
    """Winner; several if the format lets bots share the first place. Empty before the end, if nothing was played, and
    for ladders.
    """
    note: str | None
    """Remark, as that nothing was played; null if there is none."""
    lines: tuple[PlacingLine, ...]
    """Lines, the best bot first; empty if no results count yet."""

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Return the bots, the best first; bots that share a place are together."""
        return tuple(tuple(line.bot for line in tied) for _, tied in groupby(self.lines, attrgetter("place")))


Scored: TypeAlias = dict[str, tuple[Key, PlacingLine]]


def placing(  # noqa: PLR0913 (the inputs of a format, and the figures of the standings)
    kind: Format,
    players: int,
    entrants: Sequence[Entrant],
    past: Past,
    seed: str,
    *,
    figures: Mapping[str, Figures] | None = None,
    final: bool = False,
) -> Placing:
    """Return the placing of all entrants by the rules of the format.

    `past` has the finished rounds. `figures` of the standings decide a round robin, a gauntlet and a ladder; without
    them, the tables of `past` decide the first two. `final` is True for a tournament that has finished.
    """
    note: str | None = None
    match kind:
        case Swiss():
            rule, scored = "points", _swiss(entrants, past)
        case Elimination():
            bracket = bracket_of(kind, players, entrants, past, seed)
            rule, scored = "bracket", _bracket(kind, bracket, final=final)
            note = NO_FINAL if final and not bracket.over and len(bracket.left()) > 1 else None
        case Ladder():
            rule, scored = "rating", _by_rating(entrants, figures or {})
        case _:
            rule, scored = "mean-place", _by_mean_place(kind, entrants, _figures(past) if figures is None else figures)
    if not (_is_played(past) or figures):
        return Placing(rule=rule, final=final, rounds=0, winners=(), note=UNPLAYED if final else NOT_YET, lines=())
    groups = ranked({bot: key for bot, (key, _) in scored.items()})
    return Placing(
        rule=rule,
        final=final,
        rounds=past.before + len(past.rounds),
        winners=groups[0] if final and groups and rule != "rating" else (),
        note=note,
        lines=_numbered(groups, scored),
    )


def named(found: Placing, names: Mapping[str, str]) -> Placing:
    """Return the placing with the names of the bots. A bot without a name is called by its id."""
    return replace(found, lines=tuple(replace(line, name=names.get(line.bot, line.bot)) for line in found.lines))


def _is_played(past: Past) -> bool:
    return any(table.places is not None for tables in past.rounds for table in tables)


def _numbered(groups: Sequence[Sequence[str]], scored: Scored) -> tuple[PlacingLine, ...]:
    lines = list[PlacingLine]()
    for tied in groups:
        place = len(lines) + 1
        lines += [replace(scored[bot][1], place=place) for bot in tied]
    return tuple(lines)


def _swiss(entrants: Sequence[Entrant], past: Past) -> Scored:
    return {
        bot: (
            score,
            PlacingLine(
                place=1,
                bot=bot,
                name=bot,
                reason=f"{short(score.points)} points, bots met {short(score.opponents)},"
                f" tables won {short(score.tables_won)}",
                points=score.points,
                opponents=score.opponents,
                tables_won=score.tables_won,
            ),
        )
        for bot, score in swiss_scores(entrants, past).items()
    }


def _bracket(kind: Elimination, bracket: Bracket, *, final: bool) -> Scored:
    inside = set[str]() if bracket.over else {*bracket.left()}
    first = bracket.tied_for_first()
    order = first if kind.shared else sorted(first, key=lambda bot: _tie_break(bracket.careers[bot]))
    found: Scored = {}
    for bot, career in bracket.careers.items():
        key: Key
        if bot in inside:
            key, reason = (1.0,), _inside(career, final=final)
        elif bot in bracket.finalists:
            rank = 0 if kind.shared or bot not in order else -order.index(bot)
            key = (2.0, -career.place, *(-place for place in career.deciding), rank)
            reason = _in_final(bracket, order, bot, shared=kind.shared)
        else:
            key, reason = (0.0, career.last_round, -career.place), _out(career)
        found[bot] = key, _bracket_line(bot, career, reason, out=bot not in inside)
    return found


def _bracket_line(bot: str, career: Career, reason: str, *, out: bool) -> PlacingLine:
    return PlacingLine(
        place=1,
        bot=bot,
        name=bot,
        reason=reason,
        out=out,
        round=career.last_round + 1,
        table_place=career.place or None,
        losses=career.losses,
    )


def _tie_break(career: Career) -> Key:
    """Return the key by which bots that deciding blocks leave tied in a final are placed, less for the better bot."""
    return career.losses_before, -round(career.mean_points, DIGITS), career.seed


def _in_final(bracket: Bracket, order: Sequence[str], bot: str, *, shared: bool) -> str:
    career = bracket.careers[bot]
    if bot not in order:
        tied = career.place == bracket.careers[order[0]].place
        return "tied in the final, behind in a deciding block" if tied else f"{_place(career.place)} in the final"
    if len(order) == 1:
        after = [one for one in bracket.finalists if bracket.careers[one].place == career.place]
        return "won the final" + (" in a deciding block" if len(after) > 1 else "")
    if shared:
        return "shares the first place of the final"
    one, other = (_tie_break(bracket.careers[each]) for each in order[:2])
    if bot != order[0]:
        return "tied in the final, behind by tie-break"
    by = ("fewer losses before it", "more points over all tables", "the better seed")
    decided = next(name for name, here, there in zip(by, one, other, strict=True) if here != there)
    return f"won the final by tie-break: {decided}"


def _inside(career: Career, *, final: bool) -> str:
    if final:
        return "still in at the end"
    losses = f" with {career.losses} loss" if career.losses else ""
    return f"still in{losses}"


def _out(career: Career) -> str:
    if career.last_round < 0:
        return "did not play"
    where = f"{_place(career.place)} at its table" if career.place else "its table was not played"
    return f"out in round {career.last_round + 1}, {where}"


def _figures(past: Past) -> dict[str, Figures]:
    return {bot: Figures(place, tables) for bot, (place, tables) in mean_places(past).items()}


def _by_mean_place(kind: Format, entrants: Sequence[Entrant], figures: Mapping[str, Figures]) -> Scored:
    centre = kind.bot if isinstance(kind, Gauntlet) else None
    most = max((one.blocks for bot, one in figures.items() if bot != centre), default=0)
    return {entrant.bot: _mean_place(entrant, figures.get(entrant.bot), FEW * most) for entrant in entrants}


def _mean_place(entrant: Entrant, found: Figures | None, few: float) -> tuple[Key, PlacingLine]:
    if found is None:
        return (-1.0, 0.0), PlacingLine(place=1, bot=entrant.bot, name=entrant.bot, reason="did not play", blocks=0)
    early = not entrant.active and found.blocks < few
    blocks = f"{found.blocks:,} block{'' if found.blocks == 1 else 's'}"
    reason = f"mean place {short(found.mean_place)} over {blocks}" + (", dropped out early" if early else "")
    place = round(found.mean_place, DIGITS)
    line = PlacingLine(place=1, bot=entrant.bot, name=entrant.bot, reason=reason, mean_place=place, blocks=found.blocks)
    return (0.0 if early else 1.0, -place), line


def _by_rating(entrants: Sequence[Entrant], figures: Mapping[str, Figures]) -> Scored:
    return {entrant.bot: _rated(entrant.bot, figures.get(entrant.bot)) for entrant in entrants}


def _rated(bot: str, found: Figures | None) -> tuple[Key, PlacingLine]:
    if found is None:
        return (0.0, 0.0), PlacingLine(place=1, bot=bot, name=bot, reason="not rated yet")
    rating = found.rating
    reason = f"rating {shown_rating(rating.mean, rating.low, rating.high).figure}"
    return (1.0, -found.rank), PlacingLine(place=1, bot=bot, name=bot, reason=reason, rating=rating.mean)


def _place(place: float) -> str:
    return f"place {short(place)}"


def short(number: float) -> str:
    """Return a number with at most two decimal digits, without zeros at its end."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
