"""Conversion of a request into a stored tournament: checked, but without its entrants."""

import secrets
from collections.abc import Sequence
from typing import Any, TypeAlias

import msgspec

from splito_arena.blocks.play import secret_of_seed
from splito_arena.bots.find import MOST_COPIES, installed_name
from splito_arena.formats import Elimination, Experiment, Gauntlet, Ladder
from splito_arena.match.seat import Clock
from splito_engine.errors import BadBot, BadOption
from splito_engine.match import start
from splito_engine.registry import find_game
from splito_service.bots.model import is_registered
from splito_service.ids import Milliseconds, milliseconds_of, new_id
from splito_service.tournaments.installed_versions import stand_in_version
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.schemas.experiments import NewExperimentOf
from splito_service.tournaments.schemas.tournaments import NewTournamentOf

Wish: TypeAlias = NewTournamentOf[Any] | NewExperimentOf[Any]
"""The request for a tournament or experiment. Its tag is the game."""


def words_of(wish: Wish) -> list[str]:
    """Return the bots of the request; in an experiment NEW, OLD and the field.

    Raise `BadBot` if a bot is named twice. A copy of a house bot has a name of its own: `planner#2`.
    """
    words = [wish.new, wish.old, *wish.field] if isinstance(wish, NewExperimentOf) else wish.bots
    for number, word in enumerate(words):
        if word in words[:number]:
            raise BadBot(f"bot {word!r} cannot take part twice{_advice(word, words)}", field="bots")
    return words


def _advice(word: str, words: Sequence[str]) -> str:
    """Return how to enter a house bot once more; empty for a registered bot, or if it has no number left."""
    if is_registered(word):
        return ""
    numbered = (f"{installed_name(word)}#{number}" for number in range(2, MOST_COPIES + 1))
    free = next((copy for copy in numbered if copy not in words), None)
    return f"; enter a copy of this house bot as {free!r}" if free else ""


def times_of_wish(wish: Wish) -> tuple[Milliseconds | None, Milliseconds | None]:
    """Return the times at which sign-up and play begin. Raise `BadOption` for `opens` without `starts`."""
    if isinstance(wish, NewExperimentOf) or (wish.opens is None and wish.starts is None):
        return None, None
    if wish.starts is None:
        raise BadOption("opens needs starts, the time at which play begins", field="opens")
    return None if wish.opens is None else milliseconds_of(wish.opens), milliseconds_of(wish.starts)


def kept_of(owner: str, wish: Wish) -> StoredTournament:
    """Return the tournament without entrants, with a new secret. Raise `WrongPlayers` or `BadOption`."""
    game = str(wish.__struct_config__.tag)
    rules = find_game(game)
    opening = start(rules, wish.players, "any", wish.options)
    experiment = isinstance(wish, NewExperimentOf)
    seed = None if isinstance(wish, NewExperimentOf) else _seed(wish)
    return StoredTournament(
        id=new_id(),
        owner=owner,
        kind="experiment" if experiment else "tournament",
        name=wish.name,
        game=game,
        players=wish.players,
        options=msgspec.to_builtins(opening.options),
        rules=rules.INFO.version,
        format=_experiment(wish) if isinstance(wish, NewExperimentOf) else wish.format,
        entrants=(),
        clock=Clock(wish.clock.turn_ms, wish.clock.bank_ms),
        strikes=wish.strikes,
        stand_in=stand_in_version(),
        secret=secrets.token_hex(32) if seed is None else secret_of_seed(seed),
        seed=seed,
        ranked=not isinstance(wish, NewExperimentOf) and wish.ranked,
        log=wish.log,
        late=not isinstance(wish, NewExperimentOf) and _late(wish),
    )


def _seed(wish: NewTournamentOf[Any]) -> str | None:
    """Return the seed of the request. Raise `BadOption` if it is for a ranked tournament or for a ladder."""
    if wish.seed is not None and wish.ranked:
        raise BadOption(
            "a ranked tournament takes no seed: its holder would know all deals, and it must not move a rating then",
            field="seed",
        )
    if wish.seed is not None and isinstance(wish.format, Ladder):
        raise BadOption(
            "a ladder takes no seed: its tables follow the ratings of the day, so it cannot be held again", field="seed"
        )
    return wish.seed


def _late(wish: NewTournamentOf[Any]) -> bool:
    """Return True if bots may enter after the start. Raise `BadOption` if the format cannot take them."""
    if wish.late and isinstance(wish.format, Elimination | Gauntlet):
        raise BadOption(
            "the tables of an elimination and of a gauntlet are made for the bots of the start, so there is no late"
            " entry; give it a sign-up with opens and starts",
            field="late",
        )
    return wish.late


def _experiment(wish: NewExperimentOf[Any]) -> Experiment:
    return Experiment(new=wish.new, old=wish.old, field=tuple(wish.field), **msgspec.structs.asdict(wish.question))
