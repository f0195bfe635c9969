"""`splito bot new` makes a folder with a bot; the bots themselves are in the modules `test_starter_*`."""

import re
from pathlib import Path
from typing import get_args

import pytest

from splito_cli.bot.new import FOLDER, STARTERS, Lang, Template, bot_name, new_bot
from splito_engine.errors import BadOption

FILES: dict[tuple[Lang, Template], set[str]] = {
    ("python", "greedy"): {"README.md", "asks.json", "my_bot.py", "requirements.txt", "test_my_bot.py"},
    ("python", "search"): {"README.md", "asks.json", "my_bot.py", "requirements.txt", "test_my_bot.py"},
    ("python", "batch"): {"README.md", "asks.json", "my_bot.py", "server.py", "signatures.py", "test_my_bot.py"},
    ("javascript", "greedy"): {"README.md", "asks.json", "bot.js", "bot.test.js", "package.json", "splito.js"},
    ("java", "greedy"): {
        "BotTest.java",
        "Gate.java",
        "Json.java",
        "MyBot.java",
        "README.md",
        "Server.java",
        "asks.json",
    },
    ("go", "greedy"): {"README.md", "asks.json", "bot.go", "bot_test.go", "go.mod", "server.go", "signatures.go"},
}
HEADINGS = ["Install", "Run", "Check", "Register"]


def test_there_is_a_folder_for_each_starter_and_no_other() -> None:
    assert {(path.parent.name, path.name) for path in FOLDER.glob("*/*")} == {*STARTERS} == {*FILES}
    assert {lang for lang, template in STARTERS if template == "greedy"} == {*get_args(Lang)}


@pytest.mark.parametrize(("lang", "template"), STARTERS)
def test_a_starter_has_all_files_and_prints_the_next_steps(
    tmp_path: Path, lang: Lang, template: Template, capsys: pytest.CaptureFixture[str]
) -> None:
    new_bot(tmp_path, lang=lang, template=template)
    assert {path.name for path in tmp_path.iterdir()} == FILES[lang, template]
    assert all("MY-BOT" not in path.read_text("utf-8") for path in tmp_path.iterdir())
    said = capsys.readouterr().out
    assert all(name in said for name in FILES[lang, template])
    assert all(command in said for command in STARTERS[lang, template].values())


@pytest.mark.parametrize(("lang", "template"), STARTERS)
def test_the_readme_of_a_starter_says_how_to_install_run_check_and_register(lang: Lang, template: Template) -> None:
    page = (FOLDER / lang / template / "README.md").read_text("utf-8")
    assert re.findall(r"^## (.*)", page, re.MULTILINE)[: len(HEADINGS)] == HEADINGS
    commands = re.findall(r"^ {4}(.*)", page, re.MULTILINE)
    assert {*STARTERS[lang, template].values()} <= {*commands}
    assert [word for word in REGISTERED if not any(word in command for command in commands)] == []
    named = {name for name in re.findall(r"`([\w.]+\.\w+)`", page) if not name.startswith(("ask.", "MyBot.INFO"))}
    assert named <= FILES[lang, template]


REGISTERED = [
    "splito bot check http://127.0.0.1:8001",
    "splito login",
    "splito bot register MY-BOT --push",
    "splito bot prove MY-BOT",
    "splito bot check MY-BOT",
]
"""Commands of every README."""


@pytest.mark.parametrize(("lang", "template"), [("go", "search"), ("javascript", "batch")])
def test_a_template_that_a_language_lacks_is_refused_with_all_that_there_are(
    tmp_path: Path, lang: Lang, template: Template
) -> None:
    there_are = "python: greedy, search, batch; javascript: greedy; java: greedy; go: greedy"
    with pytest.raises(BadOption, match=f"no template {template} in {lang}; there are {there_are}") as refused:
        new_bot(tmp_path / "owl", lang=lang, template=template)
    assert refused.value.field == "template"
    assert [*tmp_path.iterdir()] == []


def test_a_starter_can_be_made_in_an_empty_folder(tmp_path: Path) -> None:
    new_bot(tmp_path)
    assert (tmp_path / "my_bot.py").exists()


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", "utf-8")
    for place in (tmp_path, tmp_path / "mine"):
        with pytest.raises(BadOption, match="name a new or empty folder"):
            new_bot(place)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [("owl", "owl"), ("bots/Owl_2", "owl_2"), ("My Bot!", "my-bot"), ("ü", "my-bot"), ("x" * 70, "x" * 64)],
)
def test_a_new_bot_has_the_name_of_its_folder(folder: str, name: str) -> None:
    assert bot_name(Path(folder)) == name
