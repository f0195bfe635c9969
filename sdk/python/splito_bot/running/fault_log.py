"""Lines about faults of a bot's function: each names its ask, and the first of a kind has the traceback."""

import traceback

from splito_bot.running.limited_log import LimitedLog

RESEND = "`splito bot resend` asks the bot again what the arena asked"
ILLEGAL = "the arena asks once more, with the reason in ask.rejected"


class FaultLog:
    """The log of the faults of one function. Faults are of one kind if the same line raised the same type of error."""

    def __init__(self, log: LimitedLog) -> None:
        self._log = log

    def raised(self, what: str, error: BaseException) -> None:
        """Log an error that the function raised, such as at `the answer to m1-0-0 of splito`."""
        kind = f"{type(error).__name__} in {_place(error)}"
        line = f"{what}: the function raised an error: {type(error).__name__}: {error}"
        if self._log.is_new(kind):
            shown = "".join(traceback.format_exception(error)).rstrip()
            self._log.tell(kind, f"{line}\n{shown}\nNext: correct the function; {RESEND}.")
        else:
            self._log.tell(kind, f"{line} ({_place(error)}; its traceback was shown before)")

    def illegal(self, ask: str, reason: str) -> None:
        self._log.tell("illegal answer", f"illegal answer to {ask}: {reason}", f". Next: {ILLEGAL}; {RESEND}.")

    def unsendable(self, ask: str, error: Exception) -> None:
        line = f"the return value for {ask} cannot be sent: {error}; return one of ask.moves, or an Answer"
        self._log.tell("return value that cannot be sent", line)


def _place(error: BaseException) -> str:
    """Return the file and the line of the innermost frame."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "an unknown place"
