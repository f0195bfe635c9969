"""Second play of a tournament from its dump: the same deals, seats and dice, with bots of this machine.

The secret in the head of a finished tournament fixes all luck, so bots that take their chance from the `seed` of each
ask play the same games to the byte. A dump may come from any source, so a word in it is looked up among the installed
bots only; addresses and `module:function` come from the person at this machine.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET

from splito_arena.blocks.ledger import Entry, VersionId, parts
from splito_arena.blocks.play import BlockTerms, play_block
from splito_arena.blocks.seatings import seatings
from splito_arena.bots.find import bot_names
from splito_arena.bots.lineup import Company
from splito_arena.errors import BadDump
from splito_arena.experiments.blocks import FIELD, duels
from splito_arena.match.player import Player
from splito_arena.match.seat import Clock
from splito_arena.match.terms import PlayTerms
from splito_arena.reports.dump_head import Head
from splito_engine.errors import BadOption
from splito_engine.registry import find_game

CLOCK = Clock(60_000, 600_000)
"""Clock of the second play: the longest that a tournament may have, because the dump does not tell its clock."""

Outcome: TypeAlias = Literal["same", "different", "not played"]


class PlayedAgain(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of one block of a dump with its second play."""

    block: str
    outcome: Outcome
    games: int = 0
    """Number of games of the block."""
    different: tuple[int, ...] = ()
    """Numbers of the games, from 0, that differ."""
    why: str | None = None
    """Reason why the block was not played again, or an explanation why it may differ; None if there is none."""


def words_of(head: Head, given: Mapping[str, str]) -> dict[VersionId, str]:
    """Return the word of `splito_arena.bots.lineup` for each version in the dump that can play here.

    `given` has words by the id, the version id or the name of a bot; other bots are installed bots of the same name.
    Raise `BadOption` if `given` names a bot that is not in the dump.
    """
    found, used = dict[VersionId, str](), set[str]()
    for version, name in head.entrants.items():
        called = [key for key in (version, parts(version)[0], name) if key in given]
        used.update(called)
        installed = _installed(parts(version)[0])
        if called:
            found[version] = given[called[0]]
        elif installed is not None:
            found[version] = installed
    if unknown := sorted(given.keys() - used):
        raise BadOption(f"{unknown[0]!r} is not in the dump; there are: {', '.join(head.entrants)}", field="bot")
    return found


def _installed(bot: str) -> str | None:
    """Return the name of the installed bot; None if there is none. A house bot may have entered as `planner#2`."""
    plain, sign, number = bot.rpartition("#")
    name = plain if sign and number.isdecimal() else bot
    return name if name in bot_names() else None


async def play_again(
    head: Head, entry: Entry, company: Company, players: Mapping[VersionId, Player], *, at_once: int = 1
) -> PlayedAgain:
    """Play a block of the dump again and compare it; `players` has the bots that can play here.

    Raise `BadDump` if the head has no secret.
    """
    if head.secret is None:
        raise BadDump("it has no secret yet: the arena publishes it when the tournament is over", field="secret")
    if entry.skipped is not None:
        return PlayedAgain(block=entry.block, outcome="not played", why=f"skipped: {entry.skipped}")
    missing = [bot for bot in entry.bots if bot not in players]
    if missing:
        why = f"no bot for {', '.join(missing)}"
        return PlayedAgain(block=entry.block, outcome="not played", games=len(entry.games), why=why)
    at_table = [players[bot] for bot in entry.bots]
    played = await play_block(_terms(head, entry), entry.bots, at_table, lambda _: company.stand_in, at_once=at_once)
    return _compared(entry, played.entry)


def _terms(head: Head, entry: Entry) -> BlockTerms:
    paired = head.kind == "experiment"
    return BlockTerms(
        game=find_game(head.game),
        block=entry.block,
        secret=head.secret or "",
        tournament=None if head.seed is UNSET else head.tournament,
        seatings=duels(head.players, len(entry.bots) - FIELD) if paired else seatings(len(entry.bots)),
        paired=paired,
        options=head.options,
        play=PlayTerms(clock=CLOCK, strikes=head.strikes),
    )


def _compared(first: Entry, again: Entry) -> PlayedAgain:
    pairs = enumerate(zip(first.games, again.games, strict=True))
    different = tuple(number for number, (one, other) in pairs if one != other)
    return PlayedAgain(
        block=first.block,
        outcome="different" if different else "same",
        games=len(first.games),
        different=different,
        why=_explained(first, different),
    )


def _explained(first: Entry, different: Sequence[int]) -> str | None:
    codes = sorted({code for number in different for seat in first.games[number].faults for code in seat})
    return f"faults in the first play: {', '.join(codes)}" if codes else None
