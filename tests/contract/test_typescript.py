"""TypeScript programs compile with the types that the command of the docs makes from the contracts, and one plays.

`play.ts` plays a match of every game at a real service; `sample.ts` and `bot_sample.ts` are only compiled.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from splito_service.http.contract.__main__ import FOLDER
from splito_service.http.contract.document import HOUSE
from splito_service.processes.embedded_redis import open_server
from tests.contract.tools import BOT, NODE, PACKAGES, SERVICE, needs_packages, run, run_package
from tests.service.process import running

COMMAND = re.search(
    r"^npx openapi-typescript openapi/service.yaml (.+) --output service.ts$",
    (FOLDER.parent / "docs" / "service.md").read_text("utf-8"),
    re.MULTILINE,
)
STRICT = ["--strict", "--noUncheckedIndexedAccess", "--skipLibCheck", "--target", "es2022", "--module", "esnext"]
CASTS = re.compile(r"\bas\b|\bany\b|\w!|\)!|\]!|@ts-")
"""Words and signs that take the compiler's checks away: `as`, `any`, the non-null assertion and compiler directives."""
PLAY = "import { playAll } from './play.js'; console.log(JSON.stringify(await playAll(process.argv[1])));"

pytestmark = needs_packages


@pytest.fixture(scope="module")
def unlimited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a service that counts no requests."""
    with open_server(tmp_path_factory.mktemp("typescript")) as server, running(server.url) as process:
        yield process.url


def generate(folder: Path, contract: Path) -> None:
    """Make the types of a contract with the command of the docs."""
    assert COMMAND is not None, "docs/service.md names no command"
    run_package(folder, "openapi-typescript", contract, *COMMAND[1].split(), "--output", f"{contract.stem}.ts")


def compile_program(folder: Path, name: str, *options: str) -> None:
    shutil.copy(PACKAGES / name, folder)
    run_package(folder, "tsc", *STRICT, "--moduleResolution", "bundler", *options, name)


@pytest.mark.parametrize(("contract", "sample"), [(SERVICE, "sample.ts"), (BOT, "bot_sample.ts")])
def test_generated_types_accept_right_messages_and_refuse_wrong_ones(
    tmp_path: Path, contract: Path, sample: str
) -> None:
    generate(tmp_path, contract)
    compile_program(tmp_path, sample, "--noEmit")


def test_the_program_that_plays_has_no_casts() -> None:
    code = re.sub(r"//.*", "", (PACKAGES / "play.ts").read_text("utf-8"))
    assert CASTS.findall(code) == []


def test_a_typescript_program_plays_a_match_of_every_game(tmp_path: Path, unlimited: str) -> None:
    generate(tmp_path, SERVICE)
    compile_program(tmp_path, "play.ts")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    played = json.loads(run(tmp_path, NODE, "--input-type=module", "--eval", PLAY, unlimited))
    assert [one["game"] for one in played] == [*HOUSE]
    for one in played:
        assert len(one["scores"]) == 3
        assert one["winner"] in {"Ada", "Grace", "greedy"}
    splito, splitit, splitter = played
    assert (splito["turns"], splito["moves"]) == (13, 39)
    assert (splitter["turns"], splitter["moves"]) == (22, 66)
    assert splitit["turns"] > 20
    assert re.fullmatch(r"commons star-\d and moon-[a-z]+, zones 3", splito["about"])
    assert splitit["about"] == "row of 7, seat 0 splits"
    assert re.fullmatch(r"sheet B, roll [1-6] and [1-6]", splitter["about"])
