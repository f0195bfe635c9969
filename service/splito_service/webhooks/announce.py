"""What happened, as the events that owners are told of.

Every event has a subject that does not change when it is put again: so whoever plays a block, rates it or ends a
tournament tells of it afterwards without knowing whether somebody else has, before being killed.
"""

import asyncio
from collections.abc import Mapping

from splito_arena.blocks.ledger import Entry, Game, VersionId
from splito_arena.blocks.placings import Placings, mean_places
from splito_arena.stats.online_rating import Rating
from splito_service.bots.store import Registered
from splito_service.ids import new_id
from splito_service.tournaments.store import KeptTournament
from splito_service.webhooks.schemas import BlockRated, BotDisabled, MatchFinished, RatedBot, TournamentFinished
from splito_service.webhooks.store import Outbox


class Herald:
    """For any process. If nobody wants to know, each of these is one call of Redis."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    async def block_played(self, held: KeptTournament, entry: Entry) -> None:
        """That its matches are finished."""
        if entry.games and await self._outbox.wanted(held.owner, "match.finished"):
            bodies = [_match(held, entry, game) for game in entry.games]
            await asyncio.gather(*(self._outbox.put(held.owner, "match.finished", body.match, body) for body in bodies))

    async def block_rated(
        self, held: KeptTournament, block: str, placings: Placings, ratings: Mapping[VersionId, Rating]
    ) -> None:
        """And what its bots are rated at now."""
        if not await self._outbox.wanted(held.owner, "block.rated"):
            return
        bots = [
            RatedBot(bot=bot, place=place, mean=ratings[bot].mean, sigma=ratings[bot].sigma)
            for bot, place in zip(placings.bots, mean_places(placings), strict=True)
        ]
        body = BlockRated(tournament=held.id, block=block, game=held.game, players=held.players, bots=bots)
        await self._outbox.put(held.owner, "block.rated", f"{held.id}/{block}", body)

    async def tournament_ended(self, held: KeptTournament, blocks: int) -> None:
        """Of which so many blocks were played."""
        body = TournamentFinished(
            tournament=held.id,
            kind=held.kind,
            name=held.name,
            game=held.game,
            state="cancelled" if held.state == "cancelled" else "finished",
            reason=held.reason,
            blocks=blocks,
        )
        await self._outbox.put(held.owner, "tournament.finished", held.id, body)

    async def bot_disabled(self, bot: Registered) -> None:
        """Just now: it may be again, so this is an event of its own."""
        version = bot.info.version if bot.info else None
        body = BotDisabled(bot=bot.id, name=bot.name, version=version, reason=bot.reason or "")
        await self._outbox.put(bot.owner, "bot.disabled", f"{bot.id} {new_id()}", body)


def _match(held: KeptTournament, entry: Entry, game: Game) -> MatchFinished:
    return MatchFinished(
        tournament=held.id,
        block=entry.block,
        match=game.match,
        game=held.game,
        bots=[entry.bots[number] for number in game.seating],
        scores=[[*points] for points in game.record.scores],
        places=[*game.places],
        faults=[[*codes] for codes in game.faults],
        replaced=[*game.replaced],
    )
