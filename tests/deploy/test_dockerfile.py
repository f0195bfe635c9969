"""`Dockerfile`: small, pinned, and without rights or secrets."""

import json
import re
import tomllib
from fnmatch import fnmatch
from typing import Any

from tests.deploy.files import DOCKERFILE, ROOT, entrypoint, stages, words_of

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
OURS = {"splito-arena", "splito-bot"}
"""Distributions of this repository: they are built and installed beside the pins."""
BUILT = "/opt/splito"
"""Folder in which the first stage puts everything that the last stage takes."""


def pins(name: str) -> dict[str, str]:
    """The versions in a file of requirements."""
    text = (ROOT / "requirements" / name).read_text("utf-8")
    return dict(re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE))


def copied() -> list[str]:
    """From the folder of the project."""
    found = [words.split() for stage in stages() for words in words_of(stage, "COPY")]
    return [source for words in found if not words[0].startswith("--from=") for source in words[:-1]]


def test_all_stages_of_the_image_use_one_slim_pinned_base() -> None:
    bases = {stage[0].words.partition(" ")[0] for stage in stages()}
    [base] = bases
    assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+", base)
    assert len(stages()) == 2


def test_the_base_can_be_pinned_by_digest_and_nothing_else_can_be_chosen() -> None:
    text = DOCKERFILE.read_text("utf-8")
    assert re.findall(r"^ARG (.*)$", text, re.MULTILINE) == ["PYTHON_IMAGE=python:3.13-slim-trixie"]
    assert {*re.findall(r"^FROM (\S+)", text, re.MULTILINE)} == {"${PYTHON_IMAGE}"}


def test_the_image_does_not_run_as_root() -> None:
    [user] = words_of(stages()[-1], "USER")
    name, _, group = user.partition(":")
    assert int(name) >= 1000
    assert int(group) >= 1000
    last = [instruction.name for instruction in stages()[-1]]
    assert "RUN" not in last[last.index("USER") :]


def test_the_image_holds_only_the_installed_environment() -> None:
    assert words_of(stages()[-1], "COPY") == [f"--from=build {BUILT} {BUILT}"]


def test_files_that_the_image_copies_exist_and_are_not_ignored() -> None:
    ignored = [line for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if not line.startswith("#")]
    assert ignored[0] == "*"
    for source in copied():
        assert (ROOT / source).exists()
        assert f"!{source}" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == {*copied()}
    assert any(fnmatch("cli/__pycache__", line) for line in ignored[1:])


def test_the_image_copies_all_our_packages() -> None:
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert packages
    assert {package.partition("/")[0] for package in packages} <= {*copied()}
    assert "sdk/python" in copied()
    assert " ".join(words_of(stages()[0], "RUN")).count("hatchling build -t wheel") == len(OURS)
    assert {"pyproject.toml", PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]} <= {*copied()}


def test_everything_but_our_own_wheels_is_installed_with_hashes() -> None:
    runs = " ".join(words_of(stages()[0], "RUN"))
    installs = re.findall(r"pip (?:--python \S+ )?install ([^&]*)", runs)
    assert len(installs) == 3
    for words in installs:
        assert "--require-hashes" in words or words.split()[1:] == ["--no-deps", "dist/*.whl"]


def test_run_requirements_are_complete_and_equal_to_the_tested_ones() -> None:
    extras: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
    lines = [*PROJECT["project"]["dependencies"], *extras["service"], *extras["report"], *extras["parquet"]]
    wanted = {re.split(r"[\[<>=;! ]", line)[0] for line in lines} - OURS
    built_by = {*PROJECT["build-system"]["requires"]}
    assert wanted <= pins("run.txt").keys()
    assert OURS.isdisjoint(pins("run.txt"))
    assert pins("base.txt").items() <= pins("run.txt").items()
    assert built_by <= pins("build.txt").keys()
    assert pins("run.txt").items() | pins("build.txt").items() <= pins("dev.txt").items()
    for name in ("run.txt", "base.txt", "build.txt"):
        text = (ROOT / "requirements" / name).read_text("utf-8")
        assert all("--hash=sha256:" in part for part in re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:])


def test_the_image_holds_no_secret() -> None:
    for stage in stages():
        for name, words in stage:
            assert name != "ARG"
            assert name != "ENV" or not re.search(r"(?i)password|secret|token|key", words)


def test_the_image_runs_the_command_splito() -> None:
    [program] = entrypoint()
    assert program in PROJECT["project"]["scripts"]
    [environ] = words_of(stages()[-1], "ENV")
    assert f"PATH={BUILT}/bin:$PATH" in environ.split()


def test_the_default_command_serves_at_the_exposed_port() -> None:
    [command] = words_of(stages()[-1], "CMD")
    assert json.loads(command) == ["serve", "--host", "0.0.0.0"]  # noqa: S104 (inside of a container)
    assert words_of(stages()[-1], "EXPOSE") == ["8000"]
