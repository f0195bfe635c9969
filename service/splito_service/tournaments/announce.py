"""Events about tournaments, for the webhooks of their owners.

The subject of an event stays the same when the event is put again. So a worker announces a block or an end after it has
been stored, without knowing whether another worker announced it before it was killed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping

from splito_arena.blocks.ledger import Entry, Game, VersionId
from splito_arena.blocks.placings import Placings, mean_places
from splito_arena.stats.online_rating import Rating
from splito_service.ids import moment
from splito_service.tournaments.model import StoredEntrant, StoredTournament
from splito_service.webhooks.schemas import (
    BlockRated,
    MatchFinished,
    RatedBot,
    TournamentChanged,
    TournamentFinished,
    Winner,
)
from splito_service.webhooks.store import Outbox


class Announcer:
    """Announces events to the owner of a tournament. If no webhook wants an event, it costs one call of Redis."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    async def block_played(self, held: StoredTournament, entry: Entry) -> None:
        """Announce the end of each match of a block."""
        if entry.games and await self._outbox.wanted(held.owner, "match.finished"):
            bodies = [_match(held, entry, game) for game in entry.games]
            await asyncio.gather(*(self._outbox.put(held.owner, "match.finished", body.match, body) for body in bodies))

    async def block_rated(
        self, held: StoredTournament, block: str, placings: Placings, ratings: Mapping[VersionId, Rating]
    ) -> None:
        """Announce the ratings of the bots of a block after it."""
        if not await self._outbox.wanted(held.owner, "block.rated"):
            return
        bots = [
            RatedBot(bot=bot, place=place, mean=ratings[bot].mean, sigma=ratings[bot].sigma)
            for bot, place in zip(placings.bots, mean_places(placings), strict=True)
        ]
        body = BlockRated(tournament=held.id, block=block, game=held.game, players=held.players, bots=bots)
        await self._outbox.put(held.owner, "block.rated", f"{held.id}/{block}", body)

    async def tournament_ended(
        self,
        held: StoredTournament,
        blocks: int,
        winners: Callable[[], Awaitable[Iterable[StoredEntrant]]] | None = None,
    ) -> None:
        """Announce the end of a tournament of which so many blocks were played.

        `winners` is called only if a webhook wants the event, because it may have to read the whole ledger.
        """
        if not await self._outbox.wanted(held.owner, "tournament.finished"):
            return
        body = TournamentFinished(
            tournament=held.id,
            kind=held.kind,
            name=held.name,
            game=held.game,
            state="cancelled" if held.state == "cancelled" else "finished",
            reason=held.reason,
            blocks=blocks,
            winners=[Winner(bot=one.bot, name=one.name) for one in (await winners() if winners else ())],
        )
        await self._outbox.put(held.owner, "tournament.finished", held.id, body)

    async def tournament_changed(self, held: StoredTournament) -> None:
        """Announce that sign-up or play has begun. Sign-up that opens again at another time is another event."""
        if await self._outbox.wanted(held.owner, "tournament.changed"):
            subject = f"{held.id}/running" if held.state == "running" else f"{held.id}/{held.opens_ms}"
            await self._outbox.put(held.owner, "tournament.changed", subject, _changed(held))


def _changed(held: StoredTournament) -> TournamentChanged:
    return TournamentChanged(
        tournament=held.id,
        name=held.name,
        game=held.game,
        state="running" if held.state == "running" else "open",
        series=held.series,
        opens=moment(held.opens_ms or 0),
        starts=moment(held.starts_ms or 0),
        bots=sum(one.gone is None for one in held.entrants),
    )


def _match(held: StoredTournament, entry: Entry, game: Game) -> MatchFinished:
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
