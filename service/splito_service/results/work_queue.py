"""A queue for one piece of work at a time, in which clients take turns."""

import asyncio
from collections import OrderedDict, deque

from splito_service.errors import Busy


class Queue:
    """A fair queue of work for one event loop. A client with much work delays itself, not others."""

    def __init__(self, most: int, most_of_one: int) -> None:
        """Make a queue in which at most `most` wait, and `most_of_one` of one client."""
        self._most, self._most_of_one = most, most_of_one
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """Waiting turns by client; the client whose turn is next comes first."""
        self._working = False

    def __len__(self) -> int:
        """Return the number of waiting turns."""
        return sum(map(len, self._waiting.values()))

    def join(self, client: str) -> "Ticket":
        """Return a ticket, which has to be left. Raise `Busy` if too many wait."""
        turn = asyncio.get_running_loop().create_future()
        if not self._working:
            self._working = True
            turn.set_result(None)
            return Ticket(self, client, turn)
        if len(self) >= self._most or len(self._waiting.get(client, ())) >= self._most_of_one:
            raise Busy("too many results wait to be computed; try again in a few seconds")
        self._waiting.setdefault(client, deque()).append(turn)
        return Ticket(self, client, turn)

    def leave(self, client: str, turn: "asyncio.Future[None]") -> None:
        """Give the turn to the next client, or give up waiting for it."""
        mine = self._waiting.get(client, deque())
        if turn in mine:
            mine.remove(turn)
            if not mine:
                del self._waiting[client]
            return
        self._working = bool(self._waiting)
        if self._working:
            first, turns = self._waiting.popitem(last=False)
            turns.popleft().set_result(None)
            if turns:
                self._waiting[first] = turns


class Ticket:
    """The right to work when its turn comes."""

    def __init__(self, queue: Queue, client: str, turn: "asyncio.Future[None]") -> None:
        self._queue, self._client, self._turn = queue, client, turn

    async def wait(self) -> None:
        """Return when it is its turn."""
        await asyncio.shield(self._turn)

    def leave(self) -> None:
        """End the work, or the wait for it. To be called once."""
        self._queue.leave(self._client, self._turn)
