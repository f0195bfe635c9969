"""Forked processes share no id, random number or connection, because each worker shift is a fork of its worker."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "bots", "arena", "service", "cli", "sdk/python/splito_bot", "examples")

CHANGING = {
    *(
        "token_hex",
        "token_bytes",
        "token_urlsafe",
        "urandom",
        "uuid1",
        "uuid4",
        "Random",
        "SystemRandom",
        "default_rng",
    ),
    *("randrange", "randint", "random", "getrandbits", "shuffle", "sample", "new_id", "new_secret", "new_message_id"),
    *("count", "time", "time_ns", "monotonic", "perf_counter", "now", "utcnow", "getpid", "getppid"),
}
"""Calls that give another value each time: at import, all forks would get the same one."""
OPEN = {
    *("socket", "create_connection", "create_server", "Redis", "from_url", "connect", "Caller", "open", "Popen"),
    *("ThreadPoolExecutor", "ProcessPoolExecutor", "Thread", "new_event_loop", "create_default_context", "mkdtemp"),
}
"""Calls that open something that two processes cannot use at the same time."""

FORKING = """
import json, os, sys
import splito_service.workers.shift, splito_service.webhooks.delivery
import splito_service.processes.embedded_redis_main, splito_bot
from random import random
from splito_arena.bots.push_client import new_message_id
from splito_arena.checks.ask import new_match
from splito_arena.net.signing import new_secret
from splito_service.ids import new_id

def values():
    makers = (new_message_id, new_match, new_secret, new_id, random)
    return [str(make()) for make in makers for _ in range(20)]

first = values()
for _ in range(4):
    sys.stdout.flush()
    if (child := os.fork()) == 0:
        print(json.dumps(values()), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print(json.dumps(first + values()))
"""


def test_forked_processes_never_make_the_same_id_secret_or_random_number() -> None:
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, check=True, cwd=ROOT)
    made = [value for line in done.stdout.splitlines() for value in json.loads(line)]
    assert len(made) == 600
    assert len({*made}) == len(made)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_draws_counts_or_opens_anything_when_it_is_imported(package: str) -> None:
    """A value of this kind belongs into a function, or into an object that each process makes for itself."""
    modules = sorted((ROOT / package).rglob("*.py"))
    assert modules
    found = [f"{path.relative_to(ROOT)}:{line}: {name}" for path in modules for line, name in calls_at_import(path)]
    assert found == []


def test_a_forbidden_call_is_found_wherever_an_import_runs_it(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "ours = secrets.token_hex(8)\nclass C:\n    n = count()\ndef f(x=Random()):\n    return count()\n"
        "if ours:\n    a = [socket.socket()]\nb = lambda: count()\n",
        "utf-8",
    )
    assert [*calls_at_import(module)] == [(1, "token_hex"), (3, "count"), (4, "Random"), (7, "socket")]


def calls_at_import(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of each forbidden call that importing the module makes."""
    yield from sorted(_calls(ast.parse(path.read_text("utf-8"))))


def _calls(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
        return
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        if name in CHANGING | OPEN:
            yield node.lineno, name
    for child in _evaluated(node):
        yield from _calls(child)


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The parts that run when the node does: of a function its decorators and defaults, but not its body."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from (*node.decorator_list, node.args)
    elif isinstance(node, ast.Lambda):
        yield node.args
    else:
        yield from ast.iter_child_nodes(node)
