"""`splito-bot connect`: readies a pull bot at the arena, then plays."""

from splito_bot.account.access import Given
from splito_bot.account.companion import Companion
from splito_bot.account.pull import ready_pull_bot
from splito_bot.account.session import Session
from splito_bot.account.trouble import translated
from splito_bot.bot import Bot
from splito_bot.running.connect import Place, connect
from splito_bot.running.tally import Tally

UNANSWERED = 1
"""The exit code if asks were left unanswered at the end."""


def connect_bot(bot: Bot, given: Given, word: str | None, *, check: bool) -> int:
    """Play with the pull bot of this id or name until Ctrl-C or SIGTERM, and return the exit code.

    The arena learns the info of the bot first and, if `check`, checks a version that it has not checked before.
    """
    tally = Tally()
    with Session.open(given) as session:
        known = ready_pull_bot(session, bot.info, word)
        Companion(session, known, bot.info, tally, check=check).start()
        with translated(session.url):
            left = connect(bot, Place(session.url, known.id, session.key), tally)
    return UNANSWERED if left else 0
