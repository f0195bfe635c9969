"""Open event streams and long-polls of each client in one process."""

from collections import defaultdict

from splito_service.errors import TooManyStreams


class Streams:
    """The count of open streams per client; a client has at most `most`, 0 means no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: defaultdict[str, int] = defaultdict(int)

    def take(self, client: str) -> "Place":
        """Return a place that the caller must close. Raise `TooManyStreams` if the client has all of its places."""
        if self._most and self._open[client] >= self._most:
            raise TooManyStreams(
                f"a client has at most {self._most} event streams and long-polls open at a time", field="streams"
            )
        self._open[client] += 1
        return Place(self, client)

    def leave(self, client: str) -> None:
        self._open[client] -= 1
        if not self._open[client]:
            del self._open[client]


class Place:
    """The right of one stream or long-poll to be open."""

    def __init__(self, streams: Streams, client: str) -> None:
        self._streams: Streams | None = streams
        self._client = client

    def close(self) -> None:
        """Give the place back; a second call does nothing."""
        if self._streams is not None:
            self._streams.leave(self._client)
            self._streams = None
