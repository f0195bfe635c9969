"""`splito tournament replay`: a tournament is played again from its dump, and every game is compared."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from splito_arena.bots.lineup import is_url, seated
from splito_arena.errors import BadDump
from splito_arena.reports.dump import Reading
from splito_arena.reports.dump_head import Head
from splito_arena.reports.replay import PlayedAgain, play_again, words_of
from splito_cli.event_loop import loop_factory
from splito_cli.terminal.screen import counted, headline, printable, progress_bar
from splito_engine.errors import BadOption
from splito_engine.match import start
from splito_engine.registry import find_game

SAME, DIFFERENT = 0, 1
"""Exit codes: all games that were played again are the same; at least one differs."""
AT_ONCE = 8
"""Games of a block that are played at once if a bot is called over HTTP."""
LISTED = 10
"""Blocks that the page lists in full."""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON that `--json` prints."""

    tournament: str
    name: str
    bots: dict[str, str]
    """The bot that played here for each version of the dump."""
    same: int
    """The number of games that were the same to the byte."""
    different: int
    """The number of games that were different."""
    left_out: int
    """The number of games that could not be played again."""
    blocks: list[PlayedAgain]
    """The blocks that differ or were not played again, with the reasons."""

    @property
    def code(self) -> int:
        return DIFFERENT if self.different else SAME


def read_given(pairs: Sequence[str]) -> dict[str, str]:
    """Return the bots in `NAME=BOT`. Raise `BadOption` for a text of another form."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, sign, word = pair.partition("=")
        if not (name and sign and word) or name in found:
            wrong = f"{pair!r}: name a bot of the dump and a bot of yours, as in Marvin=my_bots:choose"
            raise BadOption(wrong, field="bot")
        found[name] = word
    return found


def replay_dump(file: Path, given: Mapping[str, str], secrets: Mapping[str, str]) -> Replayed:
    """Play all blocks of a dump again. Raise `BadDump` if it is wrong, unsigned or not over."""
    try:
        with file.open("rb") as source, asyncio.Runner(loop_factory=loop_factory()) as runner:
            return runner.run(_replay(Reading(source), given, secrets))
    except OSError as error:
        raise BadOption(f"{file} cannot be read: {error.strerror}", field="file") from None


async def _replay(reading: Reading, given: Mapping[str, str], secrets: Mapping[str, str]) -> Replayed:
    head = reading.head
    words = words_of(head, given)
    if head.secret is None:
        raise BadDump("it has no secret yet: the arena publishes it when the tournament is over", field="secret")
    if not words:
        raise BadOption(f"no bot of the dump is installed here: {', '.join(head.entrants)}", field="bot")
    opening = start(find_game(head.game), head.players, "any", head.options)
    at_once = AT_ONCE if any(map(is_url, words.values())) else 1
    same, found = 0, list[PlayedAgain]()
    async with seated([*words.values()], opening, secrets) as company:
        players = dict(zip(words, company.players, strict=True))
        with progress_bar("blocks") as progress:
            for entry in progress.track(reading, total=head.blocks):
                again = await play_again(head, entry, company, players, at_once=at_once)
                same += again.games - len(again.different) if again.outcome != "not played" else 0
                found += [again] if again.outcome != "same" else []
    return _replayed(head, words, same, found)


def _replayed(head: Head, words: Mapping[str, str], same: int, found: list[PlayedAgain]) -> Replayed:
    return Replayed(
        tournament=head.tournament,
        name=head.name,
        bots={**words},
        same=same,
        different=sum(len(one.different) for one in found),
        left_out=sum(one.games for one in found if one.outcome == "not played"),
        blocks=found,
    )


def replay_page(found: Replayed) -> RenderableType:
    """Return the page for people: the counts, and the first blocks that differ or were left out."""
    lines = [Text(line, overflow="fold") for line in _lines(found)]
    return Group(headline(printable(found.name), printable(f"tournament {found.tournament}")), Text(), *lines)


def _lines(found: Replayed) -> Iterator[str]:
    yield f"{counted(found.same, 'game')} the same to the byte"
    if found.different:
        yield f"{counted(found.different, 'game')} different"
    if found.left_out:
        yield f"{counted(found.left_out, 'game')} not played again"
    for one in found.blocks[:LISTED]:
        games = f", games {', '.join(map(str, one.different))}" if one.different else ""
        yield f"  block {one.block}: {one.outcome}{games}" + (f" ({printable(one.why)})" if one.why else "")
    if len(found.blocks) > LISTED:
        yield f"  and {counted(len(found.blocks) - LISTED, 'more block')}"
