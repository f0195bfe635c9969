"""Everything that a request may need, in one process: the way to Redis, and who attends to the tables."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import msgspec
from litestar import Request

from arena.caller import Caller
from arena.house import House
from arena.reply import AnyReader
from arena.resolver import Resolver
from engine.errors import UnknownGame
from engine.game import AnyGame
from engine.registry import find_game
from service.attendant import Attendant, attending
from service.consent import Organisers
from service.courier import Courier, Sender, delivering
from service.deadlines import Deadlines
from service.examiner import Examiner, examining, scope_of_checks
from service.herald import Herald
from service.hook_proof import PROOFS, HookProver
from service.keys import Keys
from service.ladders import Ladders, keeping
from service.limits import Limits, Quota
from service.organiser import Organiser
from service.outcome import Board
from service.published import Published
from service.pull import open_desk
from service.redis_health import RedisHealth, watching
from service.registry import Registry, sweeping
from service.removal import Removal
from service.settings import Settings, variable
from service.shared import Shared
from service.signer import Signer
from service.store.asks import Asks
from service.store.bots import Bots
from service.store.checks import Checks
from service.store.claims import Claims
from service.store.clients import Clients
from service.store.deliveries import Deliveries
from service.store.hooks import Hooks, Outbox
from service.store.ledger import Ledger
from service.store.link import Link
from service.store.log import Log
from service.store.matches import Matches
from service.store.notices import Notices, listening
from service.store.owners import Owners
from service.store.ratings import Ratings
from service.store.tournaments import Tournaments
from service.streams import Streams
from service.summons import Summons
from service.sweeper import sweeping as keeping_limits
from service.tender import tending
from service.tokens import Tokens

KEY = "splito.hall"
POLLING = 10
"""How many times as many requests as others bots that poll may make."""
PRIVATE = variable("allow_private_bots")

log = logging.getLogger("splito.hall")


class Hall(msgspec.Struct, frozen=True):
    games: tuple[str, ...]
    """Whose matches are played here."""
    link: Link
    redis: RedisHealth
    matches: Matches
    tokens: Tokens
    notices: Notices
    attendant: Attendant
    limits: Limits
    requests: Quota
    asking: Quota
    """For bots that poll: how often they have to ask and to answer is our doing."""
    creations: Quota
    clients: Clients
    bot_matches: int
    """Matches among bots alone that one client may have running."""
    proofs: Quota
    """Challenges to hooks: for one owner, and to one network."""
    streams: Streams
    bodies: Deadlines
    """Of requests whose body has not arrived yet."""
    owners: Owners
    keys: Keys
    bots: Bots
    signer: Signer
    registry: Registry
    asks: Asks
    log: Log
    summons: Summons
    checks: Checks
    examiner: Examiner
    hooks: Hooks
    prover: HookProver
    deliveries: Deliveries
    herald: Herald
    tournaments: Tournaments
    ledger: Ledger
    ratings: Ratings
    organiser: Organiser
    organisers: Organisers
    removal: Removal
    published: Published
    boards: Shared[Board]
    """Leaderboards, by game and number of players."""

    def game(self, game_id: str) -> AnyGame:
        if game_id not in self.games:
            raise UnknownGame(f"no game {game_id!r}; there are: {', '.join(self.games)}", field="game")
        return find_game(game_id)


@asynccontextmanager
async def open_hall(settings: Settings, url: str, games: tuple[str, ...]) -> AsyncGenerator[Hall]:
    """At once, also when Redis does not answer yet."""
    if settings.allow_private_bots and not settings.dev:
        log.warning("%s=1: BOTS MAY HAVE ANY PRIVATE ADDRESS CALLED. For development only.", PRIVATE)
    organisers = Organisers(settings.organisers)
    async with (
        Link(url) as link,
        House() as house,
        listening(url) as notices,
        Resolver(settings.nameservers) as resolver,
        Caller() as caller,
    ):
        matches, bots, signer = Matches(link, settings), Bots(link), Signer(link)
        owners = Owners(link, settings)
        hooks, deliveries, herald, asks = Hooks(link), Deliveries(link), Herald(Outbox(link)), Asks(link)
        private = settings.allow_private_bots
        registry = Registry(bots, signer, caller, private, herald, resolver=resolver)
        organiser = Organiser(link, bots, organisers, allow_private=settings.allow_private_bots)
        async with (
            watching(link) as redis,
            aclosing(Log(link)) as kept_log,
            Published(ledger := Ledger(link), settings.results_mb << 20) as published,
            open_desk(asks, notices) as desk,
            sweeping(registry, settings.health_seconds),
            tending(link, url),
            keeping_limits(link, settings, games),
            keeping(Ladders(link, organiser, bots), games, settings.house_ladder),
            Caller(reader=AnyReader) as teller,
            delivering(Courier(hooks, deliveries, sender := Sender(signer, teller, private, lookup=resolver))),
            examining(bots, checks := Checks(link), registry, desk, scope_of_checks(settings, games)) as examiner,
            attending(matches, house, summons := Summons(bots, registry, desk, Claims(link), kept_log)) as attendant,
        ):
            yield Hall(
                games=games,
                link=link,
                redis=redis,
                matches=matches,
                tokens=Tokens(link),
                notices=notices,
                attendant=attendant,
                limits=Limits(link),
                requests=Quota("requests", settings.rate),
                asking=Quota("asks", POLLING * settings.rate),
                creations=Quota("creations", settings.create_rate),
                clients=Clients(link),
                bot_matches=settings.bot_matches,
                proofs=Quota("proofs", PROOFS if settings.create_rate else 0),
                streams=Streams(settings.streams),
                bodies=Deadlines(settings.body_seconds),
                owners=owners,
                keys=Keys(owners),
                bots=bots,
                signer=signer,
                registry=registry,
                asks=asks,
                log=kept_log,
                summons=summons,
                checks=checks,
                examiner=examiner,
                hooks=hooks,
                prover=HookProver(hooks, sender),
                deliveries=deliveries,
                herald=herald,
                tournaments=Tournaments(link),
                ledger=ledger,
                ratings=Ratings(link),
                organiser=organiser,
                organisers=organisers,
                removal=Removal(link, owners, bots, hooks, organiser),
                published=published,
                boards=Shared(),
            )


def hall_of(request: Request[Any, Any, Any]) -> Hall:
    """Asked for several times in a request, so what was found is left in its scope: a look there takes no time."""
    scope: Any = request.scope
    hall = scope.get(KEY)
    if hall is None:
        hall = scope[KEY] = request.app.state.hall
    return hall
