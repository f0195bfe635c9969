"""Files with keys: their owner alone reads them, and a file that others could read or change is refused."""

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from splito_bot.account.files import LARGEST, config_folder, read_file, write_file
from splito_bot.account.trouble import Trouble

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_and_its_folders_are_for_their_owner_alone(tmp_path: Path) -> None:
    top, old = tmp_path / "config" / "splito", os.umask(0)
    try:
        write_file(top / "profiles" / "x" / "profile.json", b"{}", top)
    finally:
        os.umask(old)
    assert mode(top / "profiles" / "x" / "profile.json") == 0o600
    assert [mode(folder) for folder in (top, top / "profiles", top / "profiles" / "x")] == [0o700] * 3
    assert read_file(top / "profiles" / "x" / "profile.json") == b"{}"
    assert [*(top / "profiles" / "x").iterdir()] == [top / "profiles" / "x" / "profile.json"]


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    assert read_file(tmp_path / "none") is None


def link(file: Path) -> None:
    file.rename(file.with_name("other"))
    file.symlink_to(file.with_name("other"))


def pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


UNSAFE: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "readable for the group": (lambda file: file.chmod(0o640), "can be read by other users", "chmod 600"),
    "writable for all": (lambda file: file.chmod(0o602), "can be read by other users", "chmod 600"),
    "a link": (link, "it is a link", "remove"),
    "a pipe": (pipe, "is not a plain file", "remove"),
    "too large": (lambda file: file.write_bytes(b"x" * (LARGEST + 1)), "is too large", "remove"),
}


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_file_is_refused(name: str, tmp_path: Path) -> None:
    spoil, cause, advice = UNSAFE[name]
    write_file(tmp_path / "splito" / "key", b"key", tmp_path / "splito")
    spoil(tmp_path / "splito" / "key")
    with pytest.raises(Trouble, match=cause) as trouble:
        read_file(tmp_path / "splito" / "key")
    assert advice in trouble.value.advice
    assert str(tmp_path / "splito" / "key") in trouble.value.cause


def test_nothing_is_written_into_a_folder_that_others_can_change(tmp_path: Path) -> None:
    (tmp_path / "splito").mkdir()
    (tmp_path / "splito").chmod(0o777)
    with pytest.raises(Trouble, match="can be changed by other users") as trouble:
        write_file(tmp_path / "splito" / "key", b"key", tmp_path / "splito")
    assert trouble.value.advice == f"chmod 700 {tmp_path / 'splito'}"
    assert [*(tmp_path / "splito").iterdir()] == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    write_file(tmp_path / "splito" / "key", b"key", tmp_path / "splito")
    os.chown(tmp_path / "splito" / "key", 12345, 12345)
    with pytest.raises(Trouble, match="belongs to another user"):
        read_file(tmp_path / "splito" / "key")


@pytest.mark.skipif(sys.platform != "linux", reason="other platforms keep configuration elsewhere")
@pytest.mark.parametrize("chosen", ["", "relative/folder"])
def test_the_config_folder_is_in_the_home_folder_unless_xdg_names_another(
    chosen: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_folder({"XDG_CONFIG_HOME": chosen}) == tmp_path / ".config" / "splito"
    assert config_folder({"XDG_CONFIG_HOME": str(tmp_path / "x")}) == tmp_path / "x" / "splito"
