"""Entering and withdrawing of bots, as pure functions over a stored tournament."""

from msgspec.structs import replace

from splito_arena.formats import Ladder, RoundRobin, Swiss, late_until
from splito_engine.errors import BadBot
from splito_service.errors import AlreadyOver, NoRoom, NotAllowed, NotOpen
from splito_service.ids import Milliseconds, moment
from splito_service.tournaments.entrants import OWNER_WITHDREW, WITHDRAWN
from splito_service.tournaments.model import BEFORE, OVER, StoredEntrant, StoredTournament
from splito_service.tournaments.past_rounds import entrants_of
from splito_service.tournaments.schemas.tournaments import MOST_BOTS


def check_open(kept: StoredTournament) -> None:
    """Raise `AlreadyOver` if the tournament is over."""
    if kept.state in OVER:
        raise AlreadyOver(f"{kept.kind} {kept.id} is {kept.state}", field=kept.kind)


def check_takes_bots(kept: StoredTournament, now: Milliseconds) -> None:
    """Raise `NotOpen` with the reason if no bot may enter now, `AlreadyOver` if the tournament is over."""
    check_open(kept)
    why = _closed_before(kept, now) if kept.state in BEFORE else _closed_while_running(kept)
    if why is not None:
        raise NotOpen(why, field=kept.kind)


def _closed_before(kept: StoredTournament, now: Milliseconds) -> str | None:
    if kept.opens_ms is not None and kept.state == "scheduled" and now < kept.opens_ms:
        return f"sign-up begins at {moment(kept.opens_ms):%Y-%m-%dT%H:%M:%SZ}"
    if kept.starts_ms is not None and now >= kept.starts_ms:
        return f"sign-up ended at {moment(kept.starts_ms):%Y-%m-%dT%H:%M:%SZ}"
    return None


def _closed_while_running(kept: StoredTournament) -> str | None:
    if isinstance(kept.format, Ladder):
        return None
    if not isinstance(kept.format, Swiss | RoundRobin):
        return (
            "it has begun, and its tables are made for the bots of the start: an elimination, a gauntlet and an"
            " experiment take no bots afterwards"
        )
    if not kept.late:
        return "it has begun, and its organiser did not allow late entry"
    last = late_until(kept.format, kept.players, entrants_of(kept))
    return None if kept.round < last else f"late entry ended when round {last} was planned"


def with_entrant(kept: StoredTournament, entrant: StoredEntrant, owner: str, now: Milliseconds) -> StoredTournament:
    """Return the tournament with a bot that this owner enters; unchanged if it is there already.

    Raise `NotOpen`, `AlreadyOver`, `NotAllowed` or `NoRoom`.
    """
    check_takes_bots(kept, now)
    before = next((one for one in kept.entrants if one.bot == entrant.bot), None)
    if before is not None:
        _check_return(kept, before, entrant, owner)
        entrant = _kept_facts(before, entrant)
        return replace(kept, entrants=tuple(entrant if one.bot == entrant.bot else one for one in kept.entrants))
    if len(kept.entrants) >= MOST_BOTS:
        raise NoRoom(f"a tournament has at most {MOST_BOTS} bots", field="bot")
    return replace(kept, entrants=(*kept.entrants, replace(entrant, since=kept.round)))


def _check_return(kept: StoredTournament, before: StoredEntrant, entrant: StoredEntrant, owner: str) -> None:
    ladder = isinstance(kept.format, Ladder)
    if before.gone == OWNER_WITHDREW and owner != entrant.owner:
        text = f"bot {entrant.bot} was withdrawn by its owner, and only its owner can enter it again"
        raise NotAllowed(text, field="bot")
    if before.gone == WITHDRAWN and owner != kept.owner and not ladder:
        text = f"bot {entrant.bot} was withdrawn by the organiser, and only the organiser can enter it again"
        raise NotAllowed(text, field="bot")
    if before.gone is not None and kept.state not in BEFORE and not ladder:
        raise NotOpen(f"bot {entrant.bot} has dropped out ({before.gone}), and a place is not taken twice", field="bot")


def _kept_facts(before: StoredEntrant, entrant: StoredEntrant) -> StoredEntrant:
    """Return the entrant with what its first entry fixed. The consent of its owner stays until a withdrawal."""
    consent = entrant.by_owner or (before.by_owner and before.gone is None)
    return replace(entrant, since=before.since, rating=before.rating, by_owner=consent)


def without(kept: StoredTournament, bot: str, why: str) -> StoredTournament:
    """Return the tournament without a bot that is withdrawn for this reason. Raise `AlreadyOver` or `BadBot`."""
    check_open(kept)
    if bot not in {entrant.bot for entrant in kept.entrants}:
        raise BadBot(f"bot {bot!r} is not in this tournament", field="bot")
    entrants = (replace(one, gone=why) if one.bot == bot else one for one in kept.entrants)
    return replace(kept, entrants=tuple(entrants))
