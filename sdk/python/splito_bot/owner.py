"""The client for owners of bots and organisers: operations that need a key.

    with Owner.create("http://127.0.0.1:8000", "Ada") as ada:
        cup = ada.hold(NewTournament(name="Cup", game="splito", players=3, format=Swiss(), bots=[...]))
        for news in ada.watch(cup.id):
            print(news.progress.done)

Methods raise `Refused` if the service refuses a request, as those of `Client` do.
"""

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, Self, TypeVar
from urllib.parse import quote

import msgspec

from splito_bot.contract import BotInfo
from splito_bot.events import Frames
from splito_bot.messages import BotJoining, BotSeated
from splito_bot.ranked import (
    BlocksChange,
    Bot,
    BotChange,
    BotRegistered,
    BotRegistration,
    Check,
    Estimate,
    Experiment,
    ExperimentProgress,
    NewCheck,
    NewExperiment,
    NewOwner,
    NewTournament,
    OpenTo,
    OwnerCreated,
    Standings,
    StateChange,
    TimesChange,
    Tournament,
    TournamentProgress,
)
from splito_bot.transport import Transport

T = TypeVar("T")

LOOK = 0.5
"""Seconds between two requests for the state of a check."""
LONG = 120.0
"""Seconds for answers that the service has to compute."""


class Owner:
    def __init__(self, url: str, key: str, *, retries: int = 3, timeout: float = 10.0) -> None:
        self.key = key
        """The secret key of the owner. Keep it."""
        self._transport = Transport(url, retries, timeout)

    @classmethod
    def create(cls, url: str, name: str) -> Self:
        """Create an owner and return its client, with a key that has all scopes."""
        owner = cls(url, "")
        owner.key = owner._send("POST", "/v1/owners", OwnerCreated, NewOwner(name)).key
        return owner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    def register(self, name: str, url: str | None = None, open_to: OpenTo = "organisers") -> BotRegistered:
        """Register a bot that the arena calls at this URL or, without one, a bot that asks the arena.

        `open_to` names the clients that may enter and seat it: its owner, also organisers and house ladders, or all.
        """
        kind = "pull" if url is None else "push"
        return self._send("POST", "/v1/bots", BotRegistered, BotRegistration(name, kind, url, open_to))

    def open(self, bot_id: str, open_to: OpenTo) -> Bot:
        """Set the clients that may enter the bot in tournaments and experiments and seat it in matches."""
        bot = self.bot(bot_id)
        change = BotChange(bot.name, bot.own.url if bot.own else None, open_to)
        return self._send("PUT", _path("bots", bot_id), Bot, change)

    def bot(self, bot_id: str) -> Bot:
        return self._send("GET", _path("bots", bot_id), Bot)

    def prove(self, bot_id: str) -> Bot:
        """Make a push bot ready: the arena calls it, and it must prove that it knows its secret."""
        return self._send("POST", f"{_path('bots', bot_id)}/proof", Bot)

    def describe(self, bot_id: str, info: BotInfo) -> Bot:
        """Make a pull bot ready: set its info."""
        return self._send("PUT", f"{_path('bots', bot_id)}/info", Bot, info)

    def delete(self, bot_id: str) -> None:
        self._transport.send("DELETE", _path("bots", bot_id), token=self.key)

    def delete_owner(self) -> None:
        """Delete the owner, with all keys, bots, hooks and logs."""
        self._transport.send("DELETE", "/v1/owner", token=self.key)

    def check(self, bot_id: str, *, quick: bool = False) -> Check:
        """Run the checks of a bot and return the result, after two minutes at most."""
        path = f"{_path('bots', bot_id)}/checks"
        check = self._send("POST", path, Check, NewCheck(quick))
        while check.state == "running":
            time.sleep(LOOK)
            check = self._send("GET", f"{path}/{check.id}", Check)
        return check

    def seat(self, game: str, match_id: str, bot: str, seat: int | None = None) -> int:
        """Seat a bot that is open to you at an open seat of a match, and return the number of its seat."""
        path = f"/v1/{quote(game, safe='')}/matches/{quote(match_id, safe='')}/bots"
        return self._send("POST", path, BotSeated, BotJoining(bot, seat)).seat

    def dry_run(self, wanted: NewTournament) -> Estimate:
        """Return how many games a tournament would have, and how long they would take. Nothing is created."""
        return self._send("POST", "/v1/tournaments/dry-run", Estimate, wanted)

    def hold(self, wanted: NewTournament) -> Tournament:
        """Create a tournament, which begins at once, or at its `starts`."""
        return self._send("POST", "/v1/tournaments", Tournament, wanted)

    def tournament(self, tournament_id: str) -> Tournament:
        return self._send("GET", _path("tournaments", tournament_id), Tournament)

    def watch(self, tournament_id: str) -> Iterator[TournamentProgress]:
        """Yield the progress of a tournament whenever it changes, until its end."""
        return self._watch(_path("tournaments", tournament_id), TournamentProgress)

    def set_state(self, tournament_id: str, state: Literal["running", "paused", "cancelled"]) -> Tournament:
        return self._send("PUT", f"{_path('tournaments', tournament_id)}/state", Tournament, StateChange(state))

    def set_times(self, tournament_id: str, starts: datetime, opens: datetime | None = None) -> Tournament:
        """Change when a tournament that waits for its start begins, and its sign-up."""
        path = f"{_path('tournaments', tournament_id)}/times"
        return self._send("PUT", path, Tournament, TimesChange(starts, opens))

    def set_blocks(self, tournament_id: str, blocks: int) -> Tournament:
        """Set the number of blocks for each table, in all."""
        return self._send("PUT", f"{_path('tournaments', tournament_id)}/blocks", Tournament, BlocksChange(blocks))

    def enter(self, tournament_id: str, bot_id: str) -> Tournament:
        """Enter a bot in a ladder, or in a tournament whose sign-up is open."""
        return self._send("PUT", f"{_path('tournaments', tournament_id)}/{_path('bots', bot_id, '')}", Tournament)

    def withdraw(self, tournament_id: str, bot_id: str) -> None:
        path = f"{_path('tournaments', tournament_id)}/{_path('bots', bot_id, '')}"
        self._transport.send("DELETE", path, token=self.key)

    def delete_tournament(self, tournament_id: str) -> None:
        """Delete a finished tournament, with all its games."""
        self._transport.send("DELETE", _path("tournaments", tournament_id), token=self.key)

    def standings(self, tournament_id: str) -> Standings:
        return self._send("GET", f"{_path('tournaments', tournament_id)}/standings", Standings)

    def export(self, tournament_id: str, file: str) -> bytes:
        """Return a table as a file: `standings.csv`, `games.parquet`, `ratings.json`."""
        return self._fetch(f"{_path('tournaments', tournament_id)}/exports/{quote(file, safe='')}")

    def report(self, tournament_id: str) -> bytes:
        """Return the report, a page of HTML."""
        return self._fetch(f"{_path('tournaments', tournament_id)}/report")

    def dump(self, tournament_id: str) -> bytes:
        """Return all blocks of a tournament, as lines of JSON."""
        return self._fetch(f"{_path('tournaments', tournament_id)}/dump")

    def compare(self, wanted: NewExperiment) -> Experiment:
        """Create an experiment, whether NEW is better than OLD. It begins at once, and stops at its verdict."""
        return self._send("POST", "/v1/experiments", Experiment, wanted)

    def experiment(self, experiment_id: str) -> Experiment:
        return self._send("GET", _path("experiments", experiment_id), Experiment)

    def watch_experiment(self, experiment_id: str) -> Iterator[ExperimentProgress]:
        """Yield the progress of an experiment whenever it changes, until its verdict."""
        return self._watch(_path("experiments", experiment_id), ExperimentProgress)

    def stop_experiment(self, experiment_id: str) -> Experiment:
        path = f"{_path('experiments', experiment_id)}/state"
        return self._send("PUT", path, Experiment, StateChange("cancelled"))

    def delete_experiment(self, experiment_id: str) -> None:
        """Delete a finished experiment, with all its games."""
        self._transport.send("DELETE", _path("experiments", experiment_id), token=self.key)

    def _watch(self, path: str, kind: type[T]) -> Iterator[T]:
        for frame in Frames(self._transport, f"{path}/events", None, token=self.key):
            yield msgspec.json.decode(frame.data, type=kind)
            if frame.kind == "over":
                return

    def _fetch(self, path: str) -> bytes:
        return self._transport.send("GET", path, token=self.key, wait=LONG, file=True)

    def _send(self, method: str, path: str, kind: type[T], body: Any = None) -> T:
        answer = self._transport.send(method, path, body=body, token=self.key, wait=LONG)
        return msgspec.json.decode(answer, type=kind)


def _path(kind: str, name: str, root: str = "/v1/") -> str:
    return f"{root}{kind}/{quote(name, safe='')}"
