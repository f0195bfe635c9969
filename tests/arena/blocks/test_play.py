"""A block: the same to the byte whenever it is played, whole or not at all, and each of its games has its own deal."""

import asyncio
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from splito_arena.blocks.ledger import pack, placings, unpack
from splito_arena.blocks.play import BlockPlayed, BlockTerms, deal_of, match_of, play_block, seated
from splito_arena.blocks.seatings import relabelled, seatings
from splito_arena.bots.find import find_bot
from splito_arena.bots.in_process import Plugin
from splito_arena.faults import Void
from splito_arena.match.player import AskOutcome, Hear, Player
from splito_arena.match.question import Question
from splito_arena.match.seat import Exchange
from splito_arena.match.terms import PlayTerms
from splito_engine.errors import WrongPlayers
from splito_engine.games import splito, splitter
from splito_engine.player import Answer, Ask
from splito_engine.record import commitment, encode, verify
from tests.arena.blocks.test_seatings import balance
from tests.arena.scripted import Line, Scripted, fails, says

pytestmark = pytest.mark.anyio
BOTS = ("owl@1", "greedy@0.1", "random@0.1")
SECRET = "of the tournament"  # noqa: S105
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def terms(**changes: Any) -> BlockTerms:
    usual = BlockTerms(game=splitter, block="0000-0000-0000", secret=SECRET, seatings=seatings(3))
    return msgspec.structs.replace(usual, **changes)


def by_dice(ask: Ask) -> Any:
    return ask.moves[int(ask.seed, 16) % len(ask.moves)]


def plugins() -> list[Player]:
    return [Plugin("owl", by_dice), Plugin("greedy", find_bot("greedy")), Plugin("random", find_bot("random"))]


async def played(
    how: BlockTerms | None = None, players: Sequence[Player] | None = None, at_once: int = 4
) -> BlockPlayed:
    house = Plugin("greedy", find_bot("greedy"))
    return await play_block(how or terms(), BOTS, players or plugins(), lambda _: house, at_once=at_once)


class Waiting(Scripted):
    """Answers when the loop comes round again; knows how many matches wait for it, and how many ever did."""

    def __init__(self) -> None:
        super().__init__()
        self.matches = set[str]()
        self.most = 0

    def ask(self, question: Question, hear: Hear) -> None:
        self.matches.add(question.ask.match)
        self.most = max(self.most, len(self.matches))
        asyncio.get_running_loop().call_soon(self._answer, question, hear)

    def _answer(self, question: Question, hear: Hear) -> None:
        self.matches.discard(question.ask.match)
        hear(AskOutcome(Answer(question.ask.moves[0]), 0.002))


async def test_the_same_secret_gives_the_same_entry_to_the_byte_however_many_are_played_at_once() -> None:
    one, again = await played(at_once=1), await played(at_once=6)
    assert pack(one.entry) == pack(again.entry)
    other = await played(terms(secret="of another"))  # noqa: S106
    assert {game.match for game in other.entry.games}.isdisjoint(game.match for game in one.entry.games)
    assert other.entry.games[0].record.seed != one.entry.games[0].record.seed


async def test_every_game_has_its_own_deal_and_a_record_that_can_be_verified() -> None:
    entry = (await played()).entry
    assert len({game.record.seed for game in entry.games}) == len(entry.games) == 6
    assert len({game.record.salt for game in entry.games}) == len(entry.games)
    for number, game in enumerate(entry.games):
        record, match = verify(encode(game.record))
        assert (record.seed, record.salt) == deal_of(SECRET, entry.block, number)
        assert match.scores == record.scores
        assert record.names == tuple(BOTS[bot] for bot in game.seating), "a record names the versions"
    assert unpack(pack(entry)) == entry


async def test_seats_and_neighbours_are_as_the_design_has_them() -> None:
    games = [game.seating for game in (await played()).entry.games]
    assert balance(games) == balance(seatings(3))


async def test_the_bots_of_an_entry_stay_in_the_order_of_the_table() -> None:
    """Beside two that spoil their sheets, greedy has the best places of every block, under its own number."""
    spoils = Plugin("spoils", lambda ask: ask.moves[0])
    for number in range(3):
        found = placings((await played(terms(block=f"0000-0000-000{number}"), [spoils, plugins()[1], spoils])).entry)
        assert found is not None
        first, greedy, last = (sum(places) for places in zip(*found.games, strict=True))
        assert greedy < min(first, last)
        assert found.bots == BOTS


async def test_the_first_bot_of_the_design_is_drawn_for_each_block() -> None:
    spoils = Plugin("spoils", lambda ask: ask.moves[0])
    blocks = [await played(terms(block=str(number)), [spoils] * 3) for number in range(8)]
    assert len({block.entry.games[0].seating for block in blocks}) > 2


async def test_in_an_experiment_the_first_keep_their_numbers() -> None:
    design = ((0, 2, 3), (1, 2, 3))
    for number in range(10):
        how = terms(block=str(number), seatings=design, paired=True)
        bots = ("new@2", "new@1", "a@1", "b@1")
        players = [*plugins(), Plugin("b", by_dice)]
        found = await play_block(how, bots, players, lambda _: plugins()[0], at_once=1)
        assert [game.seating[0] for game in found.entry.games] == [0, 1]
        assert {game.seating[1:] for game in found.entry.games} <= {(2, 3), (3, 2)}
        assert len({game.record.seed for game in found.entry.games}) == 1
        assert placings(found.entry) is None


class Witness(Scripted):
    """Keeps all that it is sent, byte by byte, by the match it belongs to."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = dict[str, list[bytes]]()

    def ask(self, question: Question, hear: Hear) -> None:
        self._keep(question.ask.match, question.encoded(NOW))
        hear(AskOutcome(Answer(by_dice(question.ask)), 0.0))

    def start(self, notice: Any) -> None:
        self._keep(notice.match, msgspec.json.encode(notice))

    end = start

    def _keep(self, match: str, message: bytes) -> None:
        self.sent.setdefault(match, []).append(message)


def words(messages: list[bytes]) -> set[str]:
    """All ids, seeds and hashes, wherever they stand: a long word without any meaning in the game."""
    return {word for message in messages for word in re.findall(r'"([0-9a-v]{16,}[-0-9]*)"', message.decode())}


@pytest.mark.parametrize("game", [splito, splitter])
async def test_messages_to_bots_do_not_show_which_matches_belong_to_one_block(game: Any) -> None:
    witness = Witness()
    entry = (await played(terms(game=game), [witness, witness, witness])).entry
    assert {*witness.sent} == {found.match for found in entry.games}
    assert len(witness.sent) == len(seatings(3))
    seen = list[set[str]]()
    for match, messages in witness.sent.items():
        asks = [json.loads(message) for message in messages if b'"moves"' in message]
        assert {match} | {ask["id"] for ask in asks} | {ask["seed"] for ask in asks} == words(messages)
        seen.append(words(messages))
    assert sum(map(len, seen)) == len(set[str]().union(*seen))
    deals = [deal_of(SECRET, entry.block, number) for number in range(len(entry.games))]
    hidden = [word for seed, salt in deals for word in (seed, salt, commitment(seed, salt))]
    for secret in (SECRET, entry.block, *hidden):
        assert not any(secret.encode() in message for messages in witness.sent.values() for message in messages)


def test_ids_never_repeat_and_have_their_form() -> None:
    blocks = [f"{number:04}-0000-000{block}" for number in range(20) for block in range(5)]
    ids = [match_of(secret, block, number) for secret in ("a", "b") for block in blocks for number in range(12)]
    assert len({*ids}) == len(ids) == 2400
    assert all(re.fullmatch("[0-9a-v]{24}", one) for one in ids)
    games = [(secret, block, number) for secret in ("a", "b") for block in blocks for number in range(12)]
    deals = [word for game in games for word in deal_of(*game)]
    assert len({*deals}) == len(deals) == 4800


def test_in_an_experiment_only_the_two_games_of_a_pair_share_a_deal() -> None:
    games = [(secret, block, number) for secret in "ab" for block in ("1", "2") for number in range(8)]
    deals = [deal_of(*game, paired=True) for game in games]
    assert deals[::2] == deals[1::2]
    assert len({*deals}) == len(games) / 2


def test_the_numbers_of_bots_cannot_be_computed_from_the_deals() -> None:
    """All games of a block are seen by its bots; the numbering has a seed of its own."""
    blocks = [str(number) for number in range(50)]
    by_deal = [relabelled(seatings(3), 3, deal_of(SECRET, block, 0)[0]) for block in blocks]
    by_secret = [seated(seatings(3), 3, SECRET, block) for block in blocks]
    assert sum(one == other for one, other in zip(by_deal, by_secret, strict=True)) < 25


@pytest.mark.parametrize("at_once", [1, 4])
async def test_a_void_game_voids_the_block_and_ends_the_others(at_once: int) -> None:
    broken = Scripted(*[fails("time-out")] * 2, says(OSError("too many open files")))
    others, before = Waiting(), asyncio.all_tasks()
    with pytest.raises(Void, match="too many open files"):
        await played(players=[broken, others, others], at_once=at_once)
    assert asyncio.all_tasks() == before
    assert all(type(notice).__name__ != "Ended" for notice in broken.noted)


async def test_a_void_block_that_is_played_again_has_the_same_entry() -> None:
    undisturbed = await played()
    trouble: list[Line] = [says(OSError("too many open files"))]
    with pytest.raises(Void):
        await played(players=[*plugins()[:2], Scripted(*trouble)])
    assert pack((await played()).entry) == pack(undisturbed.entry)


@pytest.mark.parametrize("at_once", [1, 2, 5])
async def test_no_more_games_than_wanted_go_on_at_the_same_time(at_once: int) -> None:
    waiting = Waiting()
    await played(players=[waiting, waiting, waiting], at_once=at_once)
    assert waiting.most == at_once


async def test_times_are_counted_by_bot_and_are_no_part_of_the_entry() -> None:
    waiting = Waiting()
    block = await played(players=[*plugins()[:2], waiting])
    assert {bot: sum(times.values()) for bot, times in block.times.items()} == dict.fromkeys(BOTS, 6 * 22)
    assert [*block.times["random@0.1"].values()] == [6 * 22]


async def test_faults_are_in_the_entry_by_their_codes() -> None:
    failing = Scripted(*[fails("bad-status")] * 2)
    entry = (await played(terms(play=PlayTerms(strikes=2)), [failing, *plugins()[1:]], at_once=1)).entry
    first, *others = entry.games
    seat = first.seating.index(0)
    assert first.faults[seat] == ("bad-status", "bad-status")
    assert (first.replaced[seat], first.places[seat]) == (True, 3)
    assert not any(any(game.replaced) or any(game.faults) for game in others)


class Logged(Scripted):
    """Sends and gets bytes."""

    def ask(self, question: Question, hear: Hear) -> None:
        hear(AskOutcome(Answer(question.ask.moves[0]), 0.0, request=b"?", response=b"!"))


async def test_asks_and_answers_are_logged_under_the_id_of_the_version() -> None:
    lines = list[tuple[str, Exchange]]()
    house = Plugin("greedy", find_bot("greedy"))
    players = [Logged(), *plugins()[1:]]
    logged = terms(play=PlayTerms(log=lambda bot, line: lines.append((bot, line))))
    block = await play_block(logged, BOTS, players, lambda _: house, at_once=2)
    assert {bot for bot, _ in lines} == {"owl@1"}
    assert {line.match for _, line in lines} == {game.match for game in block.entry.games}
    assert len(lines) == 6 * 22


async def test_seatings_for_more_bots_than_there_are_are_refused() -> None:
    with pytest.raises(WrongPlayers, match="more than 3 bots"):
        await played(terms(seatings=seatings(4)))
