"""`splito play`: a person plays against bots in the terminal, in English, French or German."""

from collections.abc import Mapping
from pathlib import Path

from rich.text import Text

from splito_arena.bots.direct import Bot, ask_bot, house_bot
from splito_arena.bots.find import find_bot
from splito_arena.bots.lineup import labels
from splito_cli.arguments import GameName, Pairs, Seed, read_bots, read_pairs, usual_players
from splito_cli.record_files import check_place, write_record
from splito_cli.terminal.desk import Desk, Leave, decide, show_result, show_turn
from splito_cli.terminal.screen import screen
from splito_cli.terminal.show import find_show
from splito_cli.terminal.words import WORDS
from splito_engine.chance import new_seed
from splito_engine.errors import BadOption
from splito_engine.game import Language, Seat
from splito_engine.match import Match, start
from splito_engine.match import play as play_turn
from splito_engine.record import commitment, new_salt, record_of
from splito_engine.registry import find_game

EXAMPLES = (
    "splito play splito",
    "splito play splito --players 4 --bots planner,greedy --lang fr",
    "splito play splito --option deals=3 --option talk=true",
    "splito play splitter --option sheet=B",
    "splito play splitit --record match.json",
)
NAME_IN_RECORD = "you"  # name of the person in the record, whatever the language of the screen


def play(  # noqa: PLR0913 (one parameter per option)
    game: GameName,
    /,
    *,
    players: int | None = None,
    bots: str | None = None,
    seat: int = 0,
    seed: Seed = None,
    option: Pairs = (),
    lang: Language = "en",
    record: Path | None = None,
) -> None:
    """Play a game against bots.

    Parameters
    ----------
    players
        Seats at the table, yours among them; without it the usual number, or more if you name more bots.
    bots
        Your opponents, separated by commas; they are repeated in turn to fill the seats. By default the best house bot.
    seat
        Your seat, from 0.
    lang
        The language of the screen, the cards and the rules.
    record
        A file for the record of the match, for `splito verify`.
    """
    found = find_game(game)
    size = players or max(usual_players(found), bots.count(",") + 2 if bots else 1)
    match = start(found, size, seed or new_seed(), read_pairs(option))
    if not 0 <= seat < size:
        raise BadOption(f"there is no seat {seat}: the seats are 0 to {size - 1}", field="seat")
    if record is not None:
        check_place(record)
    opponents = _opponents(match, seat, bots)
    names = _names(opponents, size, WORDS[lang].you)
    _sit_down(Desk(screen(), find_show(game), seat, names, lang), match, opponents, record)


def _names(opponents: Mapping[Seat, Bot], players: int, person: str) -> tuple[str, ...]:
    return tuple(opponents[seat].name if seat in opponents else person for seat in range(players))


def _opponents(match: Match, seat: Seat, bots: str | None) -> dict[Seat, Bot]:
    others = [place for place in range(match.players) if place != seat]
    if not others and bots is None:
        return {}
    chosen = read_bots(house_bot(match).name if bots is None else bots, len(others))
    named = zip(others, labels(chosen), chosen, strict=True)
    return {place: Bot(label, find_bot(name)) for place, label, name in named}


def _sit_down(desk: Desk, match: Match, opponents: Mapping[Seat, Bot], record: Path | None) -> None:
    salt = new_salt()
    _greet(desk, match, salt)
    try:
        match = _play_on(desk, match, opponents)
    except (Leave, EOFError, KeyboardInterrupt):
        desk.console.print(Text(f"\n{desk.words.left_match}"))
        return
    _show_end(desk, match, salt)
    if record is not None:
        write_record(record, record_of(match, _names(opponents, match.players, NAME_IN_RECORD), salt))
        desk.console.print(Text(desk.words.recorded.format(path=record)), soft_wrap=True)


def _greet(desk: Desk, match: Match, salt: str) -> None:
    words = desk.words
    others = [words.other.format(name=name, seat=seat) for seat, name in enumerate(desk.names) if seat != desk.seat]
    greeting = words.in_seat if others else words.in_seat_alone
    lines = [Text(greeting.format(seat=desk.seat, others=", ".join(others)))]
    if match.players in match.game.INFO.reconstructed_players:
        lines.append(Text(words.reconstructed.format(players=match.players), "bold"))
    lines += [Text(words.fixed, "dim"), Text(commitment(match.seed, salt), "dim")]
    desk.console.print(*lines, sep="\n")


def _play_on(desk: Desk, match: Match, opponents: Mapping[Seat, Bot]) -> Match:
    while actors := match.actors:
        moves = {seat: ask_bot(match, seat, opponents[seat]) for seat in actors if seat in opponents}
        talk: dict[Seat, str] = {}
        if desk.seat in actors:
            decision = decide(desk, match)
            moves[desk.seat] = decision.move
            if decision.nudge is not None:
                talk[desk.seat] = decision.nudge
        match = play_turn(match, moves, talk)
        show_turn(desk, match)
    return match


def _show_end(desk: Desk, match: Match, salt: str) -> None:
    show_result(desk, match)
    desk.console.print(
        Text(f"\n{desk.words.was_fixed}", "dim"),
        Text(commitment(match.seed, salt), "dim"),
        Text(desk.words.proof.format(text=f"splito/1/{salt}/{match.seed}"), "dim"),
        sep="\n",
        soft_wrap=True,
    )
