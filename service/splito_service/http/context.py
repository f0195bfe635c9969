"""Everything that a request may need, in one process: the way to Redis, and who attends to the tables."""

import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import msgspec
from litestar import Request

from splito_arena.bots.subprocess import BotProcesses
from splito_arena.net.http_client import Caller
from splito_arena.net.http_response import AnyReader
from splito_arena.net.resolver import Resolver
from splito_engine.errors import UnknownGame
from splito_engine.game import AnyGame
from splito_engine.registry import find_game
from splito_service.bots.ask_claims import Claims
from splito_service.bots.ask_log import Log
from splito_service.bots.ask_store import Asks
from splito_service.bots.consent import Organisers
from splito_service.bots.players import BotPlayers
from splito_service.bots.pull import open_desk
from splito_service.bots.registry import Registry, sweeping
from splito_service.bots.store import Bots
from splito_service.checks.runner import CheckRunner, examining, scope_of_checks
from splito_service.checks.store import Checks
from splito_service.http.limits.deadlines import Deadlines
from splito_service.http.limits.rates import Limits, Quota
from splito_service.http.limits.streams import Streams
from splito_service.http.shared_values import Shared
from splito_service.matches.autoplay import Autoplay, attending
from splito_service.matches.bot_turns import BotTurns
from splito_service.matches.client_keys import Clients
from splito_service.matches.seat_tokens import Tokens
from splito_service.matches.store import Matches
from splito_service.owners.keys import Keys
from splito_service.owners.store import Owners
from splito_service.results.cache import ResultCache
from splito_service.results.schemas import Board
from splito_service.retention.removal import Removal
from splito_service.retention.sweeper import sweeping as keeping_limits
from splito_service.settings import Settings, variable
from splito_service.signing import Signer
from splito_service.storage.client import Link
from splito_service.storage.health import RedisHealth, watching
from splito_service.storage.notices import Notices, listening
from splito_service.tournaments.house_ladders import Ladders, keeping
from splito_service.tournaments.ledger_store import Ledger
from splito_service.tournaments.organiser import Organiser
from splito_service.tournaments.rating_store import Ratings
from splito_service.tournaments.store import Tournaments
from splito_service.webhooks.delivery import Deliverer, Sender, delivering
from splito_service.webhooks.delivery_store import Deliveries
from splito_service.webhooks.proof import PROOFS, HookProver
from splito_service.webhooks.store import Hooks, Outbox
from splito_service.workers.scheduler import tending

KEY = "splito.context"
POLLING = 10
"""How many times as many requests as others bots that poll may make."""
PRIVATE = variable("allow_private_bots")

log = logging.getLogger("splito.context")


class Context(msgspec.Struct, frozen=True):
    games: tuple[str, ...]
    """Whose matches are played here."""
    link: Link
    redis: RedisHealth
    matches: Matches
    tokens: Tokens
    notices: Notices
    autoplay: Autoplay
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
    bot_turns: BotTurns
    checks: Checks
    checker: CheckRunner
    hooks: Hooks
    prover: HookProver
    deliveries: Deliveries
    tournaments: Tournaments
    ledger: Ledger
    ratings: Ratings
    organiser: Organiser
    organisers: Organisers
    removal: Removal
    published: ResultCache
    boards: Shared[Board]
    """Leaderboards, by game and number of players."""

    def game(self, game_id: str) -> AnyGame:
        if game_id not in self.games:
            raise UnknownGame(f"no game {game_id!r}; there are: {', '.join(self.games)}", field="game")
        return find_game(game_id)


@asynccontextmanager
async def open_context(settings: Settings, url: str, games: tuple[str, ...]) -> AsyncGenerator[Context]:
    """At once, also when Redis does not answer yet."""
    if settings.allow_private_bots and not settings.dev:
        log.warning("%s=1: BOTS MAY HAVE ANY PRIVATE ADDRESS CALLED. For development only.", PRIVATE)
    organisers = Organisers(settings.organisers)
    async with (
        Link(url) as link,
        BotProcesses() as house,
        listening(url) as notices,
        Resolver(settings.nameservers) as resolver,
        Caller() as caller,
    ):
        matches, bots, signer = Matches(link, settings), Bots(link), Signer(link)
        owners = Owners(link, settings)
        hooks, deliveries, asks = Hooks(link), Deliveries(link), Asks(link)
        private = settings.allow_private_bots
        registry = Registry(bots, signer, caller, private, Outbox(link), resolver=resolver)
        organiser = Organiser(link, bots, organisers, allow_private=settings.allow_private_bots)
        async with (
            watching(link) as redis,
            aclosing(Log(link)) as kept_log,
            ResultCache(ledger := Ledger(link), settings.results_mb << 20) as published,
            open_desk(asks, notices) as desk,
            sweeping(registry, settings.health_seconds),
            tending(link, url),
            keeping_limits(link, settings, games),
            keeping(Ladders(link, organiser, bots), games, settings.house_ladder),
            Caller(reader=AnyReader) as teller,
            delivering(Deliverer(hooks, deliveries, sender := Sender(signer, teller, private, lookup=resolver))),
            examining(bots, checks := Checks(link), registry, desk, scope_of_checks(settings, games)) as checker,
            attending(
                matches, house, turns := BotTurns(bots, BotPlayers(registry, desk), Claims(link), kept_log)
            ) as autoplay,
        ):
            yield Context(
                games=games,
                link=link,
                redis=redis,
                matches=matches,
                tokens=Tokens(link),
                notices=notices,
                autoplay=autoplay,
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
                bot_turns=turns,
                checks=checks,
                checker=checker,
                hooks=hooks,
                prover=HookProver(hooks, sender),
                deliveries=deliveries,
                tournaments=Tournaments(link),
                ledger=ledger,
                ratings=Ratings(link),
                organiser=organiser,
                organisers=organisers,
                removal=Removal(link, owners, bots, hooks, organiser),
                published=published,
                boards=Shared(),
            )


def context_of(request: Request[Any, Any, Any]) -> Context:
    """Asked for several times in a request, so what was found is left in its scope: a look there takes no time."""
    scope: Any = request.scope
    context = scope.get(KEY)
    if context is None:
        context = scope[KEY] = request.app.state.context
    return context
