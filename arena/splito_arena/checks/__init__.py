"""Checks of whether a bot is ready to play: one suite for push bots, pull bots and functions.

async with at_address(Address("http://localhost:8001", allow_private=True)) as subject:
    report = await check(subject)
"""

from splito_arena.checks.report import Finding, Latency, Outcome, Report, Row
from splito_arena.checks.run import LIMIT, Scope
from splito_arena.checks.subject import Address, Remote, Subject, Unknown, at_address, in_process, on_this_machine
from splito_arena.checks.suite import CHECKS, Progress, Step, check

__all__ = [
    "CHECKS",
    "LIMIT",
    "Address",
    "Finding",
    "Latency",
    "Outcome",
    "Progress",
    "Remote",
    "Report",
    "Row",
    "Scope",
    "Step",
    "Subject",
    "Unknown",
    "at_address",
    "check",
    "in_process",
    "on_this_machine",
]
