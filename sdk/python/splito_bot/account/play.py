"""`enter` and `seat`: an owner lets a bot play in a tournament or in a match."""

import re

import msgspec

from splito_bot.account.page import Outcome, Page
from splito_bot.account.session import Session, path_of, pick
from splito_bot.account.trouble import RefusedByService, Trouble
from splito_bot.schemas.catalogue import Games
from splito_bot.schemas.tournaments import Tournament

LAST_PARTS = re.compile(r"(?:/v1)?/([\w-]+)/matches/([0-9a-v]{24})/?$")
"""The end of an address of a match: its game and its id."""


class Chair(msgspec.Struct, frozen=True):
    """The seat that a bot has taken."""

    seat: int


def enter(session: Session, tournament: str, word: str | None) -> Outcome:
    """Enter a bot in a ladder, from its next round on."""
    one = pick(session.bots(), word)
    held = session.send("PUT", path_of("tournaments", tournament, "bots", one.id), Tournament)
    facts = [("tournament", f"{held.name} ({held.id})"), ("game", held.game), ("state", held.progress.state)]
    page = Page(f"{one.name} is entered.", facts, next=f"watch it: `splito tournament watch {held.id}` (splito-arena)")
    return Outcome(held, page)


def seat(session: Session, match: str, word: str | None, number: int | None) -> Outcome:
    """Seat a bot at an open seat of a match; the match begins when its last open seat is taken."""
    one = pick(session.bots(), word)
    game, match_id = _place(session, match)
    wanted = {"bot": one.id, "seat": number}
    taken = session.send("POST", path_of(game, "matches", match_id, "bots"), Chair, wanted)
    facts = [("match", match_id), ("game", game), ("seat", str(taken.seat))]
    after = f"its asks are in the log: `splito-bot asks {one.id}`"
    data = {"bot": one.id, "match": match_id, "game": game, "seat": taken.seat}
    return Outcome(data, Page(f"{one.name} is seated.", facts, next=after))


def _place(session: Session, match: str) -> tuple[str, str]:
    """Return the game and the id of a match, given by its address or its id."""
    if found := LAST_PARTS.search(match):
        return found[1], found[2]
    for game in session.get("/v1/games", Games, public=True).games:
        try:
            session.get(path_of(game.id, "matches", match), msgspec.Raw, public=True)
        except RefusedByService as error:
            if error.refusal != "unknown-match":
                raise
        else:
            return game.id, match
    raise Trouble("refused", f"there is no match {match!r} at {session.url}", "check its id, and that --url has it")
