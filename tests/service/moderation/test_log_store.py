"""The moderation log in Redis: its limit, its retention, and bans that change together with their entries."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from splito_arena.formats import RoundRobin
from splito_service.bots.consent import Organisers
from splito_service.bots.store import Bots
from splito_service.errors import NoRoom, NotBanned, Protected, WrongOwner
from splito_service.ids import first_id, new_id
from splito_service.moderation import store
from splito_service.moderation.model import StoredAction
from splito_service.moderation.moderator import Moderator
from splito_service.moderation.store import ModerationLog
from splito_service.owners.bans import Bans, field_of
from splito_service.owners.model import Ban
from splito_service.owners.store import Owners
from splito_service.processes.embedded_redis import open_server
from splito_service.retention.sweeper import Sweeper
from splito_service.settings import Settings
from splito_service.storage.client import Link
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.store import Tournaments
from tests.service.playing import house, tournament

pytestmark = pytest.mark.anyio
BAN = Ban("Spam", 1)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with open_server(tmp_path) as server:
        yield server.url


@pytest.fixture
async def link(url: str) -> AsyncIterator[Link]:
    async with Link(url) as link:
        yield link


def action(target: str = "") -> StoredAction:
    return StoredAction(
        id=new_id(),
        organiser=new_id(),
        organiser_name="Olga",
        action="ban-owner",
        target=target or new_id(),
        target_name="Eve",
        reason="Spam",
    )


def moderator(link: Link, *named: str) -> Moderator:
    organisers, bots = Organisers(named), Bots(link)
    return Moderator(link, Owners(link), bots, Organiser(link, bots, organisers), organisers)


async def test_a_full_log_refuses_further_actions_and_keeps_all_entries(
    link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_ACTIONS", 2)
    log, kept = ModerationLog(link), sorted((action(), action()), key=lambda one: one.id)
    for one in kept:
        await log.add(one, field_of("owner", one.target), BAN)
    further = action()
    with pytest.raises(NoRoom):
        await log.add(further, field_of("owner", further.target), BAN)
    assert (await log.page(None, 9)).actions == kept[::-1]
    assert await Bans(link).of("owner", further.target) is None, "there is no ban without an entry"


async def test_the_number_of_bans_is_limited_and_a_ban_may_get_another_reason(
    link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_BANS", 1)
    log, one, other = ModerationLog(link), action(), action()
    await log.add(one, field_of("owner", one.target), BAN)
    with pytest.raises(NoRoom):
        await log.add(other, field_of("owner", other.target), BAN)
    again = replace(one, id=new_id())
    await log.add(again, field_of("owner", one.target), Ban("Lies", 2))
    assert await Bans(link).of("owner", one.target) == Ban("Lies", 2)
    assert len((await log.page(None, 9)).actions) == 2


async def test_a_ban_that_does_not_exist_cannot_be_lifted_and_is_not_logged(link: Link) -> None:
    log = ModerationLog(link)
    with pytest.raises(NotBanned):
        await log.add(action(), field_of("owner", new_id()))
    assert (await log.page(None, 9)).actions == []


async def test_the_sweeper_removes_entries_after_their_days_and_no_bans(link: Link) -> None:
    log, old, new = ModerationLog(link), action(), action()
    seconds, _ = await link.call("TIME")
    old = replace(old, id=first_id(int(seconds) - 731 * 86_400))
    for one in (old, new):
        await log.add(one, field_of("owner", one.target), BAN)
    swept = await Sweeper(link, Settings(), ("splitter",)).sweep()
    assert {one.kind: one.count for one in swept if one.count} == {"moderation actions": 1}
    assert (await log.page(None, 9)).actions == [new]
    assert await Bans(link).of("owner", old.target) == BAN


@pytest.mark.parametrize("words", [("*",), ()], ids=["every owner is an organiser", "no owner is"])
async def test_only_owners_named_by_id_moderate(link: Link, words: tuple[str, ...]) -> None:
    owner = new_id()
    with pytest.raises(WrongOwner, match=f"add your owner id {owner} to SPLITO_ORGANISERS"):
        moderator(link, *words).check_organiser(owner)
    moderator(link, owner).check_organiser(owner)


async def test_a_house_ladder_cannot_be_removed(link: Link) -> None:
    kept = tournament(RoundRobin(), *house("greedy", "random"))
    await Tournaments(link).create(kept)
    with pytest.raises(Protected):
        await moderator(link).act(new_id(), "remove-tournament", kept.id, "Spam")
    assert await Tournaments(link).get(kept.id) == kept


async def test_a_tournament_that_is_stored_while_its_owner_is_banned_is_cancelled(link: Link) -> None:
    owner = await Owners(link).create("Eve")
    await ModerationLog(link).add(action(owner.id), field_of("owner", owner.id), BAN)
    kept = tournament(RoundRobin(), *house("greedy", "random"), owner=owner.id)
    held = await Organiser(link, Bots(link)).hold(kept)
    assert (held.state, held.reason) == ("cancelled", "stopped by the organisers of the arena")
    assert await Tournaments(link).running() == []


async def test_a_change_of_a_banned_bot_does_not_store_the_ban(link: Link) -> None:
    owners, bots, log = Owners(link), Bots(link), ModerationLog(link)
    owner = await owners.create("Eve")
    bot = await bots.create(owner.id, "pull", "Polly")
    await log.add(action(bot.id), field_of("bot", bot.id), BAN)
    assert (await bots.change(bot.id, lambda one: replace(one, name="Polly II"))).ban == BAN
    await log.add(action(bot.id), field_of("bot", bot.id))
    again = await bots.get(bot.id)
    assert (again.name, again.ban) == ("Polly II", None)


async def test_the_ban_of_an_owner_holds_for_all_bots_of_the_owner(link: Link) -> None:
    bots, log = Bots(link), ModerationLog(link)
    eve, ada = [await Owners(link).create(name) for name in ("Eve", "Ada")]
    theirs = [await bots.create(owner.id, "pull", "Polly") for owner in (eve, eve, ada)]
    await log.add(action(eve.id), field_of("owner", eve.id), BAN)
    assert {bot.id: bot.ban for bot in (await bots.page(None, 9)).bots} == {
        bot.id: BAN if bot.owner == eve.id else None for bot in theirs
    }
    assert [(await bots.get(bot.id)).ban for bot in theirs] == [BAN, BAN, None]
