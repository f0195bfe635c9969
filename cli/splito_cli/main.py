"""The program `splito`: it runs a command, and prints every mistake in one line.

An error that a person or a file can cause ends in one line on stderr, with a stable code and what to do next, and in
exit code 2. A traceback is a bug of this program.
"""

import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from cyclopts import CycloptsError

from splito_cli.commands import program
from splito_cli.extras import missing_extra
from splito_engine.errors import GameError

WRONG, INTERRUPTED = 2, 130
NEXT = {
    "unknown-game": "`splito games` lists the games",
    "bad-bot": "`splito bots` lists the installed bots; name a function as module:function, a server as http://host:port",
    "bad-option": "`splito COMMAND --help` lists the options",
    "bad-dump": "download the dump again; if it is refused again, it does not show the games that were played",
    "bad-deck": "name a deck file of yours (--option deck=FILE to play, --deck FILE to verify or serve a bot), or none",
    "bad-setting": "correct or unset it; `splito settings` then lists all of them",
    "no-server": "`splito settings` shows which server and which folder are used",
    "no-port": "choose another port with --port, or --port 0 for any free one",
    "no-worker": "read its output above; without a plugin or setting of your own, this is a bug of Splito Arena",
    "unavailable": "check that Redis runs there; `splito settings` shows its address",
    "unreachable": "start it, and check that it answers: curl URL/info, or URL/health/ready of a service",
    "unplayable": "read the messages above; it is not a fault of a bot",
    "bad-address": "write it as http://host:port, the address of the bot without /ask",
    "bad-secret": "copy the whole secret of the bot, `whsec_` included",
    "wrong-players": "choose another number with --players",
    "unknown-version": "use a version of this program that has these rules",
    "usage": "`splito --help` shows the usage",
    "unwritable": "choose another place for the file",
}
"""Advice about an error, by its code."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks our symbols shows question marks
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except CycloptsError as error:
        return _complain("usage", str(error))
    except GameError as error:
        code: str = getattr(error, "shown_code", error.code)
        return _complain(code, error.message, getattr(error, "advice", ""))
    except ModuleNotFoundError as error:
        missing = missing_extra(error)
        if missing is None:
            raise
        return _complain(missing.code, missing.message, missing.advice)
    except (KeyboardInterrupt, BrokenPipeError) as end:
        return _end(end)
    except OSError as error:
        return _complain("unwritable", str(error))


def _end(end: KeyboardInterrupt | BrokenPipeError) -> int:
    """Return the exit code after Ctrl-C, or after the reader of the output has gone."""
    if isinstance(end, KeyboardInterrupt):
        sys.stderr.write("splito: stopped by Ctrl-C\n")
        return INTERRUPTED
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush has no reader
    return 0


def _run(arguments: Sequence[str]) -> int:
    result: Any = program(arguments)(
        list(arguments), exit_on_error=False, print_error=False, verbose=False, result_action="return_value"
    )
    return result if isinstance(result, int) else 0


def _complain(code: str, message: str, advice: str = "") -> int:
    from splito_cli.terminal.screen import printable, shortened  # noqa: PLC0415 (a command that goes well does without)

    line, advice = printable(" ".join(message.split())), advice or NEXT.get(code, NEXT["usage"])
    sys.stderr.write(f"splito: {code}: {shortened(line.rstrip('.'))}. Next: {advice}.\n")
    return WRONG
