"""Consent of owners to tournaments: which bots the holder may enter, and which may go on in a ladder."""

from splito_service.bots.consent import HOUSE, Asker, allows
from splito_service.bots.model import Registered
from splito_service.tournaments.model import StoredEntrant, StoredTournament


def holder_of(kept: StoredTournament) -> Asker:
    """Return the holder of a tournament as the client that enters its bots."""
    return Asker(kept.owner, kept.owner == HOUSE or kept.by_organiser)


def still_allows(kept: StoredTournament, entrant: StoredEntrant, bot: Registered) -> bool:
    """Return True if the bot may go on in a ladder: its owner entered it, or it is still open to the holder."""
    return entrant.by_owner or allows(bot, holder_of(kept))
