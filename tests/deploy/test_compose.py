"""`docker-compose.yml`: as the compose specification has it, and as a deployment of ours must be."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from splito_cli.commands import whole_program
from splito_service.settings import Settings, read_settings
from tests.deploy.files import COMPOSE, ROOT, compose, entrypoint, services

THEIRS = {"redis"}
"""Services whose images are not built here."""


def check(file: Path) -> "subprocess.CompletedProcess[str]":
    """By the JSON schema of the specification, which the package check-jsonschema carries."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_compose_file_is_valid_by_the_compose_specification() -> None:
    done = check(COMPOSE)
    assert done.returncode == 0, done.stdout + done.stderr


WRONG = {
    "a key that the specification does not have": ("  restart: unless-stopped\n", "  restarts: always\n"),
    "a value of another type": ("ports: [", "ports: {}\n    expose: ["),
    "a duration that is none": ("interval: 5s", "interval: [5]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_an_invalid_compose_file_is_found(name: str, tmp_path: Path) -> None:
    there, instead = WRONG[name]
    text = COMPOSE.read_text("utf-8")
    assert there in text
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(text.replace(there, instead, 1))
    assert check(broken).returncode == 1


def test_a_duplicate_key_in_the_compose_file_is_found() -> None:
    text = COMPOSE.read_text("utf-8").replace("  service:\n", "  service:\n    init: true\n    init: true\n", 1)
    with pytest.raises(yaml.YAMLError, match="twice: init"):
        compose(text)


def test_compose_runs_redis_the_service_and_workers_only() -> None:
    assert [*services()] == ["redis", "service", "worker"]
    assert int(services()["worker"]["deploy"]["replicas"]) >= 1


def test_every_container_has_a_health_check_and_is_restarted() -> None:
    for service in services().values():
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"][0] == "CMD"


def test_services_volumes_and_folders_that_compose_names_exist() -> None:
    for service in services().values():
        assert {*service.get("depends_on", {})} <= {*services()}
        for volume in service.get("volumes", []):
            assert volume.partition(":")[0] in compose()["volumes"]
        assert (ROOT / service.get("build", {}).get("context", ".")).is_dir()


def test_every_container_waits_until_redis_is_healthy() -> None:
    for name in {*services()} - THEIRS:
        assert services()[name]["depends_on"] == {"redis": {"condition": "service_healthy"}}


def test_redis_is_durable_and_has_no_published_port() -> None:
    redis = services()["redis"]
    command = redis["command"]
    options = dict(zip(command[::2], command[1::2], strict=True))
    assert redis["entrypoint"] == ["valkey-server"]
    assert options == {
        "--dir": "/data",
        "--appendonly": "yes",
        "--appendfsync": "everysec",
        "--maxmemory-policy": "noeviction",
        "--maxmemory": "1gb",
    }
    assert redis["volumes"] == ["redis:/data"]
    assert not redis.keys() & {"ports", "expose", "network_mode"}


def test_only_the_service_is_published_and_only_to_this_machine() -> None:
    assert services()["service"]["ports"] == ["127.0.0.1:8000:8000"]
    assert "ports" not in services()["worker"]


@pytest.mark.parametrize("name", ["redis", "service", "worker"])
def test_no_container_has_rights_that_it_does_not_need(name: str) -> None:
    service = services()[name]
    assert (service["read_only"], service["cap_drop"], service["init"]) == (True, ["ALL"], True)
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.keys() & {"privileged", "cap_add", "network_mode", "pid", "ipc", "devices"}
    assert all(re.fullmatch(r"/tmp:size=\d+m,mode=1777", place) for place in service["tmpfs"])  # noqa: S108


def test_redis_does_not_run_as_root() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", services()["redis"]["user"])


@pytest.mark.parametrize("name", ["redis", "service", "worker"])
def test_every_container_has_a_limit_of_memory_and_of_processes(name: str) -> None:
    service = services()[name]
    assert 0 < _bytes(service["mem_limit"]) <= _bytes("4g")
    assert 0 < service["pids_limit"] <= 512


def test_redis_refuses_writes_before_its_container_is_killed_for_its_memory() -> None:
    redis = services()["redis"]
    most = redis["command"][redis["command"].index("--maxmemory") + 1]
    assert _bytes(most) * 2 <= _bytes(redis["mem_limit"])


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)(m|g)b?", text)
    assert found
    return int(found[1]) * {"m": 2**20, "g": 2**30}[found[2]]


@pytest.mark.parametrize("name", ["service", "worker"])
def test_environment_variables_of_compose_are_known_settings(name: str) -> None:
    """Reading the settings raises an error for an unknown name."""
    environment: dict[str, str] = services()[name]["environment"]
    assert read_settings(environment) == Settings(
        redis_url="redis://redis:6379/0", data=read_settings(environment).data
    )


@pytest.mark.parametrize("name", ["service", "worker"])
def test_commands_of_compose_are_valid_commands_of_splito(name: str) -> None:
    words: list[Any] = [*entrypoint()[1:], *services()[name]["command"]]
    assert all(isinstance(word, str) for word in words)
    command, _, _ = whole_program().parse_args(words, exit_on_error=False, print_error=False)
    assert callable(command)


def test_images_of_others_are_pinned_to_a_version_and_can_be_pinned_by_digest() -> None:
    assert "image: ${REDIS_IMAGE:-" in COMPOSE.read_text("utf-8")
    assert services()["service"]["build"]["args"] == {"PYTHON_IMAGE": "python:3.13-slim-trixie"}
    for name in THEIRS:
        assert re.fullmatch(r"[\w./-]+:\d+\.\d+[\w.-]*", services()[name]["image"])


def test_no_secret_is_written_down() -> None:
    assert not re.search(r"(?i)password|secret|token|whsec_|\bkey", COMPOSE.read_text("utf-8"))
