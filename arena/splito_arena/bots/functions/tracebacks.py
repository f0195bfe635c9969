"""Tracebacks for bot authors: without the frames of the arena that lead to the author's function."""

import sys
import traceback
from importlib import __file__ as import_file
from pathlib import Path
from types import TracebackType

import splito_arena
from splito_arena.faults import cut

MOST = 6000
"""Bytes of a traceback that are kept; a longer one loses its middle."""
IN_TIME = "Stack when its time was over (most recent call last):\n"
OURS = str(Path(splito_arena.__file__).parent)


def of_error(error: BaseException) -> str:
    """Return the traceback of an error from the author's first frame on."""
    return _short("".join(traceback.format_exception(type(error), error, _of_author(error.__traceback__))))


def of_thread(thread: int) -> str:
    """Return the stack of a running thread from the author's first frame on; empty if it runs no code of theirs."""
    frames = sys._current_frames()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] (it is documented)
    frame = frames.get(thread)
    stack = traceback.extract_stack(frame)
    first = max((place for place, one in enumerate(stack) if _is_ours(one.filename)), default=-1) + 1
    if not stack[first:]:
        return ""
    return _short("".join([IN_TIME, *traceback.format_list(stack[first:])]))


def place_of(error: BaseException) -> str:
    """Return file and line of the author's last frame; empty if the error comes from no code of theirs."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if not _is_not_theirs(one.filename)]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def _is_not_theirs(file: str) -> bool:
    return _is_ours(file) or file.startswith("<frozen ") or file == import_file


def _of_author(found: TracebackType | None) -> TracebackType | None:
    while found is not None and _is_ours(found.tb_frame.f_code.co_filename):
        found = found.tb_next
    return found


def _is_ours(file: str) -> bool:
    return file.startswith(OURS)


def _short(text: str) -> str:
    half = MOST // 2
    raw = text.rstrip("\n")
    return raw if len(raw.encode("utf-8", "replace")) <= MOST else f"{cut(raw, half)}\n…\n{raw[-half:]}"
