"""Conversion of stored tournaments into response schemas.

The secret of the deals is shown when the tournament is over and none of its blocks is played any more, because blocks
that had begun when it was cancelled count.
"""

from collections.abc import Mapping
from typing import Any

from splito_arena.blocks.play import commitment_of
from splito_arena.formats import Experiment, describe
from splito_arena.reports.about import HOUSE, About
from splito_engine.game import read_options
from splito_engine.registry import find_game
from splito_service.ids import moment
from splito_service.owners.model import Owner
from splito_service.owners.schemas import OwnerInfo
from splito_service.tournaments.model import OVER, StoredEntrant, StoredTournament
from splito_service.tournaments.schemas.tournaments import (
    BotClock,
    EntrantInfo,
    Held,
    Progress,
    TournamentSummary,
    shown_type,
)


def secret_of(kept: StoredTournament, playing: int) -> str | None:
    """Return the secret if it may be shown while so many blocks are being played, else None."""
    return kept.secret if kept.state in OVER and not playing else None


def tournament_summary(kept: StoredTournament, owners: Mapping[str, Owner]) -> TournamentSummary:
    return TournamentSummary(
        id=kept.id,
        name=kept.name,
        game=kept.game,
        players=kept.players,
        format=held(kept),
        owner=owner_info(kept.owner, owners),
        ranked=kept.ranked,
        bots=len(kept.entrants),
        state=kept.state,
        starts=None if kept.starts_ms is None else moment(kept.starts_ms),
        **times_of(kept),
    )


def tournament_of(
    kept: StoredTournament, owners: Mapping[str, Owner], progress: Progress, *, to_holder: bool = False
) -> Any:
    """Return a tournament as the API shows it; `to_holder` shows its seed before the end."""
    shown = to_holder or secret_of(kept, progress.playing) is not None
    return shown_type(find_game(kept.game))(
        format=held(kept),
        ranked=kept.ranked,
        entrants=[entrant_info(entrant, owners) for entrant in kept.entrants],
        added_blocks=kept.extra,
        seeded=kept.seed is not None,
        seed=kept.seed if shown else None,
        late=kept.late,
        series=kept.series,
        **common_fields(kept, owners, progress),
    )


def common_fields(kept: StoredTournament, owners: Mapping[str, Owner], progress: Progress) -> dict[str, Any]:
    """Return the fields that tournaments and experiments share."""
    return {
        "id": kept.id,
        "name": kept.name,
        "players": kept.players,
        "options": read_options(find_game(kept.game), kept.options),
        "owner": owner_info(kept.owner, owners),
        "clock": BotClock(kept.clock.turn_ms, kept.clock.bank_ms),
        "strikes": kept.strikes,
        "log": kept.log,
        "commitment": commitment_of(kept.id, kept.secret),
        "secret": secret_of(kept, progress.playing),
        "progress": progress,
        **times_of(kept),
    }


def about_of(kept: StoredTournament, owners: Mapping[str, Owner], playing: int) -> About:
    """Return the facts for the head of a report, while so many blocks are being played."""
    return About(
        tournament=kept.id,
        title=kept.name,
        format=describe(kept.format, kept.players, kept.extra),
        organiser=owners[kept.owner].name if kept.owner in owners else HOUSE,
        state=kept.state,
        begun=times_of(kept)["started"],
        ended=None if kept.ended_ms is None else moment(kept.ended_ms),
        commitment=commitment_of(kept.id, kept.secret),
        secret=secret_of(kept, playing),
    )


def held(kept: StoredTournament) -> Held:
    """Return the format of a tournament. Raise `TypeError` for an experiment, which is never shown as a tournament."""
    if isinstance(kept.format, Experiment):
        raise TypeError("an experiment is no tournament")
    return kept.format


def entrant_info(entrant: StoredEntrant, owners: Mapping[str, Owner]) -> EntrantInfo:
    return EntrantInfo(
        bot=entrant.bot,
        name=entrant.name,
        version=entrant.version,
        owner=owner_info(entrant.owner, owners),
        gone=entrant.gone,
    )


def owner_info(owner: str, owners: Mapping[str, Owner]) -> OwnerInfo | None:
    return OwnerInfo(owner, owners[owner].name) if owner in owners else None


def times_of(kept: StoredTournament) -> dict[str, Any]:
    """Return the times of the start and the end; None for what has not been."""
    return {
        "started": moment(kept.started_ms) if kept.started_ms else None,
        "ended": None if kept.ended_ms is None else moment(kept.ended_ms),
    }
