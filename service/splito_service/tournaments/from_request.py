"""What somebody wants to be held, as the store keeps it: checked, but not yet with who takes part."""

import secrets
from typing import Any, TypeAlias

import msgspec

from splito_arena.formats import Experiment
from splito_arena.match.seat import Clock
from splito_engine.errors import BadBot
from splito_engine.match import start
from splito_engine.registry import find_game
from splito_service.ids import new_id
from splito_service.tournaments.experiment_schemas import NewExperimentOf
from splito_service.tournaments.installed_versions import stand_in_version
from splito_service.tournaments.model import StoredTournament
from splito_service.tournaments.schemas import NewTournamentOf

Wish: TypeAlias = NewTournamentOf[Any] | NewExperimentOf[Any]
"""As it travels. Its game is its tag."""


def words_of(wish: Wish) -> list[str]:
    """Who is to take part; in an experiment NEW, OLD and the field. Nobody twice: raises `BadBot`."""
    words = [wish.new, wish.old, *wish.field] if isinstance(wish, NewExperimentOf) else wish.bots
    for number, word in enumerate(words):
        if word in words[:number]:
            raise BadBot(f"bot {word!r} cannot take part twice", field="bots")
    return words


def kept_of(owner: str, wish: Wish) -> StoredTournament:
    """Without entrants, and with a new secret. Raises `WrongPlayers` and `BadOption`."""
    game = str(wish.__struct_config__.tag)
    rules = find_game(game)
    opening = start(rules, wish.players, "any", wish.options)
    experiment = isinstance(wish, NewExperimentOf)
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
        secret=secrets.token_hex(32),
        ranked=not isinstance(wish, NewExperimentOf) and wish.ranked,
        log=wish.log,
    )


def _experiment(wish: NewExperimentOf[Any]) -> Experiment:
    return Experiment(new=wish.new, old=wish.old, field=tuple(wish.field), **msgspec.structs.asdict(wish.question))
