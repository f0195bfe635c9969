"""The organiser: entrants, size, rounds, results and changes of tournaments."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from splito_arena.blocks.ledger import BlockPlace, Entry, block_id
from splito_arena.formats import Elimination, Experiment, Format, Gauntlet, Ladder, Round, RoundRobin, Swiss
from splito_engine.errors import BadBot, BadOption, GameError
from splito_service.bots.consent import Organisers
from splito_service.bots.model import Registered
from splito_service.bots.store import Bots
from splito_service.errors import AlreadyOver, NotOpen, NotReady, TooManyGames, UnknownTournament, WrongOwner
from splito_service.ids import new_id
from splito_service.owners.keys import Holder
from splito_service.processes.embedded_redis import open_server
from splito_service.storage.client import Link
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.past_rounds import AT_ONCE, Results, ended, table_result
from splito_service.tournaments.schemas.experiments import new_experiment
from splito_service.tournaments.schemas.tournaments import new_tournament
from tests.service.playing import Playing, entrant, house, put, registered, tournament, until
from tests.service.pushed import INFO, PushBot, serving
from tests.service.tournaments.stored_tournaments import entry_of

pytestmark = pytest.mark.anyio
GAMES = ("splitter",)
ADA = Holder(new_id(), new_id(), frozenset())
ROUND_ROBIN = {"kind": "round-robin"}
TWO = ["random", "planner"]


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with open_server(tmp_path) as server:
        yield server.url


@pytest.fixture
async def playing(url: str) -> AsyncIterator[Playing]:
    async with Link(url) as link:
        yield Playing(link, url)


@pytest.fixture
def organiser(playing: Playing) -> Organiser:
    return playing.organiser


@pytest.fixture
async def marvin(playing: Playing) -> AsyncIterator[Registered]:
    with serving() as push:
        yield await _marvin(playing, push)


async def _marvin(playing: Playing, push: PushBot) -> Registered:
    push.info = {**INFO, "games": ["splitter"]}
    bot = registered(push)
    await put(playing.link, bot)
    return bot


def wish(**wanted: Any) -> Any:
    body = {"game": "splitter", "name": "Cup", "players": 2, "format": ROUND_ROBIN, "bots": TWO, **wanted}
    return msgspec.convert(body, new_tournament(GAMES))


def question(**wanted: Any) -> Any:
    body = {"game": "splitter", "players": 2, "new": "planner", "old": "random", "field": ["greedy"], **wanted}
    return msgspec.convert(body, new_experiment(GAMES))


REFUSED: dict[str, tuple[dict[str, Any], type[GameError]]] = {
    "a bot that is not there": ({"bots": ["random", "0" * 24]}, BadBot),
    "a bot of the house that is not there": ({"bots": ["random", "nobody"]}, BadBot),
    "a bot twice": ({"bots": ["random", "random"]}, BadBot),
    "one bot alone": ({"bots": ["random"]}, BadOption),
    "ranked, with bots of one owner": ({"ranked": True}, BadOption),
    "a gauntlet of somebody else": ({"format": {"kind": "gauntlet", "bot": "greedy"}}, GameError),
}


class TestCreation:
    async def test_a_created_tournament_runs_at_once(self, organiser: Organiser, playing: Playing) -> None:
        kept = await organiser.create(ADA, wish(format={**ROUND_ROBIN, "blocks": 7}))
        assert (kept.owner, kept.state, kept.round) == (ADA.owner, "running", 1)
        assert (await playing.ledger.counts(kept.id)).open == 7
        assert await playing.tournaments.running() == [kept.id]

    async def test_every_tournament_has_its_own_secret(self, organiser: Organiser) -> None:
        assert (await organiser.create(ADA, wish())).secret != (await organiser.create(ADA, wish())).secret

    async def test_a_registered_bot_enters_with_its_version_and_owner(
        self, organiser: Organiser, marvin: Registered
    ) -> None:
        kept = await organiser.create(ADA, wish(bots=["random", marvin.id], ranked=True))
        assert [(one.name, one.version, one.owner) for one in kept.entrants][1] == ("Marvin", "1.0", marvin.owner)

    @pytest.mark.parametrize("what", REFUSED)
    async def test_an_invalid_tournament_is_refused(self, organiser: Organiser, playing: Playing, what: str) -> None:
        wanted, error = REFUSED[what]
        for call in (organiser.create, organiser.dry_run):
            with pytest.raises(error):
                await call(ADA, wish(**wanted))
        assert await playing.tournaments.running() == []

    @pytest.mark.parametrize("named", [[ADA.owner], []], ids=["named", "nobody is named"])
    async def test_only_named_organisers_hold_ranked_tournaments(
        self, marvin: Registered, url: str, named: list[str]
    ) -> None:
        ranked, stranger = wish(bots=["random", marvin.id], ranked=True), Holder(new_id(), new_id(), frozenset())
        async with Link(url) as link:
            organiser = Organiser(link, Bots(link), Organisers(named))
            if named:
                assert (await organiser.create(ADA, ranked)).ranked
            with pytest.raises(WrongOwner, match=f"{stranger.owner} to SPLITO_ORGANISERS"):
                await organiser.create(stranger, ranked)
            assert not (await organiser.create(stranger, wish(bots=TWO))).ranked

    @pytest.mark.parametrize(
        ("how", "ranked", "error"),
        [
            ({"state": "disabled"}, False, NotReady),
            ({"state": "new"}, False, NotReady),
            ({"passed": None}, True, NotReady),
            ({"info": None}, False, NotReady),
        ],
    )
    async def test_a_bot_must_be_ready_and_for_ranked_play_checked(
        self, playing: Playing, marvin: Registered, how: dict[str, Any], ranked: bool, error: type[GameError]
    ) -> None:
        await put(playing.link, replace(marvin, **how))
        with pytest.raises(error, match="Marvin"):
            await playing.organiser.create(ADA, wish(bots=["random", marvin.id], ranked=ranked))

    async def test_a_bot_must_play_the_game(self, playing: Playing, marvin: Registered) -> None:
        assert marvin.info is not None
        await put(playing.link, replace(marvin, info=replace(marvin.info, games=["splito"])))
        with pytest.raises(BadBot, match="does not play splitter"):
            await playing.organiser.create(ADA, wish(bots=["random", marvin.id]))

    async def test_blocks_beyond_the_limit_of_games_are_refused(self, organiser: Organiser) -> None:
        kept = await organiser.create(ADA, wish(bots=["random", "planner"]))
        with pytest.raises(TooManyGames):
            await organiser.add_blocks(kept.id, 10_000_000)

    async def test_an_experiment_compares_own_bots_or_house_bots(
        self, organiser: Organiser, marvin: Registered
    ) -> None:
        assert (await organiser.create(ADA, question())).kind == "experiment"
        with pytest.raises(WrongOwner):
            await organiser.create(ADA, question(new=marvin.id))
        assert await organiser.create(ADA._replace(owner=marvin.owner), question(new=marvin.id))


async def test_a_dry_run_counts_and_stores_nothing(organiser: Organiser, playing: Playing) -> None:
    three = wish(bots=["random", "planner", "greedy"], format={**ROUND_ROBIN, "blocks": 5})
    found = await organiser.dry_run(ADA, three)
    assert (found.rounds, found.tables, found.blocks, found.games) == (1, 3, 15, 30)
    assert found.seconds is None
    assert await playing.tournaments.running() == []


class TestRounds:
    @pytest.mark.parametrize(
        ("of", "rounds"),
        [(Swiss(rounds=2), 2), (Elimination(), 2), (Elimination(double=True), 4), (Gauntlet(bot="random"), 1)],
    )
    async def test_rounds_follow_until_the_tournament_is_finished(
        self, playing: Playing, of: Format, rounds: int
    ) -> None:
        kept = await playing.play(tournament(of, *house("random", "planner", "greedy")))
        assert kept.state == "finished"
        assert kept.ended_ms is not None
        assert kept.round <= rounds
        assert (await playing.ledger.counts(kept.id)).open == 0
        assert await playing.tournaments.running() == []

    async def test_an_experiment_ends_when_it_is_decided(self, playing: Playing) -> None:
        of = Experiment(new="planner", old="random", field=("greedy",), least=4, cap=40, batch=4, measure="points")
        kept = await playing.play(tournament(of, *house("planner", "random", "greedy"), kind="experiment"))
        assert kept.state == "finished"
        played = await playing.ledger.whole(kept.id)
        assert 4 <= len(played) < 40
        assert {len(entry.games) for entry in played} == {4}

    async def test_an_experiment_is_cancelled_if_one_of_its_bots_is_deleted(
        self, playing: Playing, marvin: Registered
    ) -> None:
        of = Experiment(new=marvin.id, old="random", field=("planner",), least=2, cap=40, batch=2)
        kept = tournament(of, entrant(marvin), *house("random", "planner"), kind="experiment")
        await playing.organiser.hold(kept)
        await playing.link.call("DEL", f"bot:{marvin.id}")
        over = await playing.finish(kept)
        assert (over.state, over.reason) == ("cancelled", "Marvin: deleted")

    async def test_a_round_is_planned_once_by_many_processes(self, playing: Playing) -> None:
        others = [Organiser(playing.link, Bots(playing.link)) for _ in range(4)]
        kept = await playing.organiser.hold(tournament(Swiss(rounds=2), *house("random", "planner")))
        assert not any(await asyncio.gather(*(other.advance(kept.id) for other in others)))
        assert (await playing.ledger.counts(kept.id)).open == 1

    async def test_a_ladder_continues_and_takes_new_bots(self, playing: Playing, marvin: Registered) -> None:
        kept = tournament(Ladder(everybody=True), *house("random", "planner"))
        await playing.organiser.hold(kept)
        await playing.link.call("ZADD", "bots", 0, marvin.id)
        told = asyncio.Event()
        shift = asyncio.create_task(playing.shift(told))

        async def has_come() -> bool:
            entries = await playing.ledger.whole(kept.id)
            return any(marvin.id in str(entry.bots) for entry in entries)

        await until(has_come)
        told.set()
        await shift
        now = await playing.tournaments.get(kept.id)
        assert [one.name for one in now.entrants] == ["random", "planner", "Marvin"]
        assert now.state == "running"


class TestResults:
    """Return the past of a table as a format gets it."""

    BOTS = ("random", "planner")

    def result(self, *entries: Entry, gone: str | None = None) -> tuple[float, ...] | None:
        entrants = [replace(one, gone=gone if one.bot == "random" else None) for one in house(*self.BOTS)]
        return table_result(self.BOTS, [*map(ended, entries)], tournament(Swiss(), *entrants)).places

    def entry(self, number: int, first: int, skipped: str | None = None) -> Entry:
        """Return the entry of a block whose games the bot with the index `first` has won."""
        block, bots = block_id(BlockPlace(0, number, 0)), tuple(f"{bot}@1" for bot in self.BOTS)
        played = () if skipped else entry_of(block, bots).games
        games = (replace(game, record=replace(game.record, scores=won(game.seating, first))) for game in played)
        return Entry(block=block, bots=bots, games=tuple(games), skipped=skipped)

    async def test_places_are_the_mean_over_the_blocks(self) -> None:
        assert self.result(self.entry(0, 0), self.entry(1, 0), self.entry(2, 1), self.entry(3, 1)) == (1.5, 1.5)

    @pytest.mark.parametrize("gone", [None, "withdrawn"])
    async def test_an_unplayed_table_has_no_places(self, gone: str | None) -> None:
        assert self.result(gone=gone) is None
        assert self.result(self.entry(0, 0, "random: withdrawn"), gone=gone) is None

    @pytest.mark.parametrize("gone", [None, "disabled"])
    async def test_a_bot_that_missed_a_block_is_last(self, gone: str | None) -> None:
        assert self.result(self.entry(0, 0), self.entry(1, 0, "random: disabled"), gone=gone) == (2.0, 1.0)

    async def test_a_bot_that_leaves_after_its_blocks_keeps_its_place(self) -> None:
        assert self.result(self.entry(0, 0), gone="withdrawn") == (1.0, 2.0)

    async def test_all_blocks_of_the_round_are_read_and_no_others(self, playing: Playing) -> None:
        kept = tournament(Swiss(rounds=2), *house(*self.BOTS))
        await playing.tournaments.create(kept)
        table, blocks = self.BOTS, AT_ONCE + 2
        for number in range(2):
            await playing.tournaments.plan_round(kept.id, number, Round((table,), blocks))
        for number in range(blocks):
            first = self.entry(number, first=number % 2)
            await playing.ledger.finish(kept, first, {})
            await playing.ledger.finish(kept, replace(first, block=block_id(BlockPlace(1, number, 0))), {})
        past = await Results(playing.ledger).past(replace(kept, round=1), await playing.tournaments.rounds(kept.id))
        assert [[result.places for result in tables] for tables in past.rounds] == [[(1.5, 1.5)]]


def won(seating: Sequence[int], winner: int) -> tuple[tuple[int, ...], ...]:
    return tuple((9,) if bot == winner else (1,) for bot in seating)


class TestChanges:
    @pytest.fixture
    async def kept(self, playing: Playing) -> StoredTournament:
        return await playing.organiser.hold(tournament(RoundRobin(blocks=2), *house("random", "planner")))

    async def test_no_block_is_claimed_while_the_tournament_is_paused(
        self, playing: Playing, kept: StoredTournament
    ) -> None:
        await playing.organiser.set_state(kept.id, "paused")
        assert await playing.ledger.claim(kept.id, "me", 9, {}, 1000) == []
        await playing.organiser.set_state(kept.id, "running")
        assert len(await playing.ledger.claim(kept.id, "me", 9, {}, 1000)) == 2

    async def test_a_cancelled_tournament_cannot_be_changed(self, playing: Playing, kept: StoredTournament) -> None:
        over = await playing.organiser.set_state(kept.id, "cancelled")
        assert (over.state, over.ended_ms is not None) == ("cancelled", True)
        assert await playing.organiser.set_state(kept.id, "cancelled") == over
        for change in (
            playing.organiser.set_state(kept.id, "running"),
            playing.organiser.add_blocks(kept.id, 9),
            playing.organiser.withdraw(kept.id, "random"),
        ):
            with pytest.raises(AlreadyOver):
                await change

    async def test_added_blocks_are_played(self, playing: Playing, kept: StoredTournament) -> None:
        for _ in range(2):
            await playing.organiser.add_blocks(kept.id, 5)
            assert (await playing.ledger.counts(kept.id)).open == 5
        with pytest.raises(BadOption, match="cannot shrink"):
            await playing.organiser.add_blocks(kept.id, 4)
        await playing.finish(kept)
        assert (await playing.ledger.counts(kept.id)).done == 5

    async def test_added_blocks_of_a_killed_process_are_opened_before_the_end(
        self, playing: Playing, kept: StoredTournament
    ) -> None:
        """Add blocks as a process would that is killed before it opens them."""
        await playing.tournaments.change(kept.id, lambda seen: replace(seen, extra=1))
        await playing.finish(kept)
        assert (await playing.ledger.counts(kept.id)).done == 3

    async def test_a_withdrawn_bot_plays_no_more(self, playing: Playing) -> None:
        kept = await playing.organiser.hold(tournament(RoundRobin(), *house("random", "planner", "greedy")))
        await playing.organiser.withdraw(kept.id, "greedy")
        with pytest.raises(BadBot):
            await playing.organiser.withdraw(kept.id, "nobody")
        assert (await playing.finish(kept)).state == "finished"
        skipped = [entry.skipped for entry in await playing.ledger.whole(kept.id)]
        assert sorted(skipped, key=str) == [None, "greedy: withdrawn", "greedy: withdrawn"]

    async def test_only_a_ladder_can_be_entered_after_its_start(self, playing: Playing, kept: StoredTournament) -> None:
        with pytest.raises(NotOpen, match="late entry"):
            await playing.organiser.enter(kept.id, "greedy", "")
        ladder = await playing.organiser.hold(tournament(Ladder(), *house("random", "planner")))
        await playing.organiser.withdraw(ladder.id, "random")
        entered = await playing.organiser.enter(ladder.id, "random", "")
        assert [(one.bot, one.gone) for one in entered.entrants] == [("random", None), ("planner", None)]

    async def test_progress_counts_blocks_and_games(self, playing: Playing, kept: StoredTournament) -> None:
        before = await playing.organiser.progress(kept.id)
        assert (before.state, before.round, before.rounds, before.done, before.open) == ("running", 1, 1, 0, 2)
        await playing.finish(kept)
        after = await playing.organiser.progress(kept.id)
        assert (after.state, after.done, after.open, after.games) == ("finished", 2, 0, 4)
        assert after.seconds_left is None

    async def test_progress_of_an_unknown_tournament_is_refused(self, organiser: Organiser) -> None:
        with pytest.raises(UnknownTournament):
            await organiser.progress(new_id())
