"""Lines about refused requests: the request, its sender, the reason and the next step."""

from splito_bot.running.limited_log import LimitedLog

LONGEST = 300
"""Characters of a line about a request; the rest is cut, because the sender chooses the text."""
LOGGED_BEFORE = "crashed"
"""Code of a refusal that the bot itself has logged, with the traceback."""
ADVICE = {
    "missing-header": "the arena signs its requests. To try the bot by hand, start it without --secret",
    "wrong-signature": "give the secret that the registration showed: --secret or SPLITO_BOT_SECRET. A check of the"
    " arena sends some wrong signatures on purpose",
    "stale-message": "set the clock of this machine by NTP. A check of the arena sends one on purpose",
    "replayed": "look for a proxy that repeats requests. A check of the arena repeats one on purpose",
    "wrong-recipient": "give the id that this bot has at the arena: --bot-id or SPLITO_BOT_ID",
    "no-secret": "give the secret that the registration showed: --secret or SPLITO_BOT_SECRET",
    "not-found": "register the address of this server without /info or /ask at its end",
    "not-allowed": "if this was the arena, look for a proxy that changes requests",
    "bad-type": "if this was the arena, look for a proxy that changes requests",
    "too-large": "if this was the arena, choose a smaller --batch",
    "too-slow": "if this was the arena, look for a proxy or a network that loses data",
    "bad-request": "if this was the arena, install the newest splito-bot. A check of the arena sends some on purpose",
    "unknown-game": "name the games that the bot plays with --games, or in its INFO",
    "too-many": "if this was the arena, it has an older info of the bot; it reads the info again within some minutes",
    "bad-deck": "give the deck of the match with --deck",
}
"""Advice for the person who runs the bot, by the code of the refusal."""


class RequestLog:
    def __init__(self, log: LimitedLog) -> None:
        self._log = log

    def refused(self, sender: str, request: str, status: int, code: str, detail: str) -> None:
        """Log a request, such as `POST /ask`, that was refused or never arrived (status 0)."""
        if code == LOGGED_BEFORE:
            return
        kind = f"{status} {code}" if status else code
        line = f"refused {_cut(request, LONGEST // 3)} from {sender}: {kind}: {_cut(detail, LONGEST)}"
        self._log.tell(f"refused with {kind}", line, _next(code))


def _next(code: str) -> str:
    return f". Next: {ADVICE[code]}." if code in ADVICE else ""


def _cut(text: str, most: int) -> str:
    """Return the text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
