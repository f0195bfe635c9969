"""Lookup of matches for the routes."""

import re

from splito_engine.errors import UnknownMatch
from splito_service.http.services.matches import MatchServices
from splito_service.ids import ID_PATTERN
from splito_service.matches.model import StoredMatch

ID = re.compile(ID_PATTERN)
CREATED = {"match": "$response.body#/match/id"}
"""Parameters of the links from a new match."""


async def find(services: MatchServices, game: str, match_id: str) -> StoredMatch:
    """Return a match. Raise `UnknownGame` or `UnknownMatch` if there is none."""
    services.games.find(game)
    if ID.fullmatch(match_id):
        kept = await services.store.get(match_id)
        if kept.deal.game == game:
            return kept
    raise UnknownMatch(f"there is no match {match_id!r} of {game}", field="match")


def first_move(match: str) -> dict[str, str]:
    """Return the default move of a match in an answer, as the body of a link."""
    return {"move": f"$response.body#{match}/legal_moves/0"}
