"""Permission for a game to open files that its options name.

Options that a person types may name a file, for example a deck. A record or a message from another machine must never
make this one open a file, so it is read inside `no_files`.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_closed: ContextVar[bool] = ContextVar("splito_files_closed", default=False)


@contextmanager
def no_files() -> Generator[None]:
    """Forbid games to open files that options name, in this task or thread, until the end of the block."""
    token = _closed.set(True)
    try:
        yield
    finally:
        _closed.reset(token)


def may_open_files() -> bool:
    """Return True if a game may open a file that options name."""
    return not _closed.get()
