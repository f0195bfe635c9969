"""Dumps of a tournament and of an experiment, as the tests of `splito tournament verify` change them."""

from collections.abc import Callable
from typing import Any

import msgspec

from splito_arena.formats import Experiment
from splito_arena.reports.dump_head import Head
from tests.arena.reports.dumps import head_of
from tests.arena.tournaments import ledger
from tests.cli.conftest import Run

SECRET = "study"  # noqa: S105
"""With which `ledger` is played."""


LEDGER = ledger()


HEAD = head_of(LEDGER, SECRET)


QUESTION = Experiment(new="new", old="old", field=("field",), least=2, cap=4, high=0.5)


Verify = Callable[..., Run]


def head(**changes: Any) -> Head:
    return msgspec.structs.replace(HEAD, **changes)


def experiment(**changes: Any) -> Head:
    return head(kind="experiment", entrants={"new@1": "Ada", "old@1": "Bob", "field@1": "Eve"}, blocks=4, **changes)


def assert_refused(run: Run, code: str, why: str) -> None:
    """In one line, that says what to do next."""
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith(f"splito: {code}: ")
    assert why in run.err
    assert run.err.count("\n") == 1
    assert ". Next: " in run.err
