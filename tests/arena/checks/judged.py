"""A check that is made again while this machine is too busy to judge a bot, as the message of the arena asks."""

from splito_arena.checks import Report, Scope, Subject, Unknown, check
from splito_arena.faults import Void

TRIES = 40


async def judged_report(subject: Subject | Unknown, scope: Scope) -> Report:
    """Return the report of a check. Raise `Void` for any other reason than a busy machine, and after 40 tries."""
    for _ in range(TRIES - 1):
        try:
            return await check(subject, scope)
        except Void as refused:
            if "too busy" not in str(refused):
                raise
    return await check(subject, scope)
