"""`splito play` is wholly in the chosen language: every sentence, refusal, help text and command."""

import ast
import re
from pathlib import Path

import msgspec
import pytest

import splito_cli
from splito_cli.terminal.show import SHOWS
from splito_cli.terminal.show.words import SPLITIT, SPLITO, SPLITTER
from splito_cli.terminal.words import WORDS
from splito_engine.game import LANGUAGES, Language
from splito_engine.record import verify
from tests.cli.conftest import Splito
from tests.conftest import QUICK

HELP = "?\nhelp\nwhy\nhint\ntalk\nhands\nsheets\ntable\nmoves\n\nzz\n999\n1 !9\n"
ILLEGAL = "r9<\nr1<\nr2<\nr3<\nr4<\na1=1\na3=1\na3=2\na3=3\na3=4\na3=5\na3=6\nwhite\n-pink\nJ8\n1|3\n"
SCREENS = {
    "Splito with talk": ("splito", "--players", "3", "--option", "talk=true"),
    "Splito in two deals": ("splito", "--players", "4", "--option", "deals=2"),
    "Splito for two": ("splito", "--players", "2"),
    "Splitter alone": ("splitter",),
    "Splitter with hearts": ("splitter", "--players", "3", "--option", "sheet=B"),
    "Split it! for two": ("splitit", "--players", "2"),
    "Split it! for four": ("splitit", "--players", "4"),
}
SAME: dict[Language, set[str]] = {
    "fr": {"zone", "points", "place", "table", "joker", "jokers", "orange", "six", "point", "bot", "score", "double"},
    "de": {"zone", "joker", "orange", "bot", "hand", "in", "was", "so"},
}
"""Words that both languages have."""
TOKENS = (
    r"[0-9a-f]{64}|sha256|splito/1/\S+|splito verify \S+|\S+\.json|\w+#\d|\b[a-z]+(-[a-z0-9]+)+\b|\b(play|unmet):\S+"
)
NAMES = {"random", "planner", "splito", "splitter", "split", "it"}
TYPED = {"white", "pink", "black", "zz", "hands", "sheets"}
"""Moves, and words that a refusal repeats."""


def screen(splito: Splito, words: tuple[str, ...], language: Language, record: Path) -> str:
    """Return a whole match with all commands and refusals, without the lines that were typed."""
    typed = HELP + ILLEGAL + "1 !1\n" + ILLEGAL + "2\n1\n" * 20 + "why\n" + "1\n" * 200
    run = splito(
        "play", *words, "--bots", "random", "--seed", "7", "--lang", language, "--record", str(record), typed=typed
    )
    assert (run.code, run.err) == (0, "")
    return re.sub(r"(?m)(\(\?.*\) > ).*$", r"\1", run.out)


def words_of(text: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"[^\W\d_]{2,}", re.sub(TOKENS, " ", text))}


@pytest.mark.parametrize("name", [*SCREENS][:: 4 if QUICK else 1])
def test_no_english_word_is_on_a_french_or_german_screen(name: str, splito: Splito, tmp_path: Path) -> None:
    """An untranslated text is on both screens of the same match, so its words would be found here."""
    words = {one: words_of(screen(splito, SCREENS[name], one, tmp_path / f"{one}.json")) for one in LANGUAGES}
    for language, same in SAME.items():
        assert len(words[language]) > 60
        assert words["en"] & words[language] - NAMES - TYPED <= same


STYLES = {
    *("bold", "dim", "italic", "underline", "reverse", "on"),
    *("red", "white", "blue", "black", "yellow", "green", "cyan", "magenta", "grey11", "dark_orange"),
}
MODULES = (
    "matches/play.py",
    "terminal/desk.py",
    "terminal/show/scene.py",
    "terminal/show/plain.py",
    "terminal/show/splito.py",
    "terminal/show/splitit.py",
    "terminal/show/splitter.py",
)


ELSEWHERE = {"CommandWords", "BadOption"}
"""Words of one language among others, and errors of the command line, which come before the first screen."""


def texts_in(tree: ast.Module) -> list[str]:
    """Return the texts of a module that a person could read on the screen: no docstrings, no examples for `--help`."""
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ELSEWHERE:
            silent |= {id(inner) for inner in ast.walk(node)}
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "EXAMPLES":
            silent |= {id(inner) for inner in ast.walk(node)}
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [str(node.value) for node in strings if id(node) not in silent]


@pytest.mark.parametrize("module", MODULES)
def test_the_modules_of_the_screen_hold_no_sentences_of_their_own(module: str) -> None:
    """A text with a capital, or with two words, belongs into `words.py`, where each language has one."""
    source = Path(splito_cli.__file__).with_name(module.split("/", 1)[0]) / module.partition("/")[2]
    for text in texts_in(ast.parse(source.read_text("utf-8"))):
        words = re.findall(r"[^\W\d]{2,}", text)
        spoken = [word for word in words if word not in STYLES]
        assert len(spoken) < 2 or " " not in text.strip(), text
        assert not any(word[0].isupper() for word in spoken if not word.isupper()), text


@pytest.mark.parametrize("table", [WORDS, SPLITO, SPLITTER, SPLITIT], ids=["general", "splito", "splitter", "splitit"])
def test_every_language_has_words_of_its_own(table: dict[Language, msgspec.Struct]) -> None:
    """Equal texts in two languages are either the same word in both or were never translated."""
    assert tuple(table) == LANGUAGES
    for name in table["en"].__struct_fields__:
        english, *others = (getattr(table[language], name) for language in LANGUAGES)
        assert english not in others, name


COMMANDS = [
    *(
        (language, "splitter", name, words.typed)
        for language in LANGUAGES
        for name, words in WORDS[language].commands.items()
        if name != "quit"
    ),
    *(
        (language, game, name, extra.words[language].typed)
        for language in LANGUAGES
        for game, show in SHOWS.items()
        for name, extra in show.EXTRAS.items()
    ),
]


@pytest.mark.parametrize(("language", "game", "english", "word"), COMMANDS)
def test_a_command_is_understood_in_english_and_in_the_language_of_the_screen(
    language: Language, game: str, english: str, word: str, splito: Splito
) -> None:
    start = ("play", game, "--bots", "random", "--seed", "7", "--lang", language)
    answers = [splito(*start, typed=f"{typed}\nquit\n").out.split(" > ")[1] for typed in (english, word)]
    assert answers[0].removeprefix(english) == answers[1].removeprefix(word)
    assert "✗" not in answers[0].partition("\n")[2].partition("\n")[0]
    assert f"{word} " in splito(*start, typed="?\nquit\n").out or english == "talk"


@pytest.mark.parametrize(
    ("language", "word", "answer"),
    [
        ("en", "quit", "You left the match; nothing was recorded."),
        ("fr", "quitter", "Vous avez quitté la partie ; rien n’a été enregistré."),
        ("de", "ende", "Du hast die Partie verlassen; nichts wurde aufgezeichnet."),
    ],
)
def test_the_goodbye_is_in_the_chosen_language(language: Language, word: str, answer: str, splito: Splito) -> None:
    run = splito("play", "splitter", "--lang", language, typed=f"{word}\n")
    assert run.out.endswith(f"\n{answer}\n")


@pytest.mark.clause("S19")
@pytest.mark.parametrize(
    ("language", "note"),
    [
        ("en", "The rules for 2 players are reconstructed; the printed game may differ."),
        ("fr", "Les règles à 2 sont reconstituées ; le jeu imprimé peut différer."),
        ("de", "Die Regeln für 2 Personen sind rekonstruiert; das gedruckte Spiel kann abweichen."),
    ],
)
def test_a_match_of_two_splito_players_begins_with_the_note_that_its_rules_are_reconstructed(
    language: Language, note: str, splito: Splito
) -> None:
    for players in (2, 3):
        words = ("play", "splito", "--players", str(players), "--bots", "random", "--lang", language)
        assert (note in " ".join(splito(*words, typed="quit\n").out.split())) == (players == 2)


REFUSALS = {
    "en": {
        "r9<": "there is no card r9",
        "a1=1": "a1=1: sheet A has no such cell",
        "J8": "J8 is not legal now: you split the row",
        "999": "there is no move 999: the list goes from 1 to",
    },
    "fr": {
        "r9<": "il n’y a pas de carte r9",
        "a1=1": "a1=1 : la fiche A n’a pas cette case",
        "J8": "J8 n’est pas permis maintenant : vous coupez la rangée",
        "999": "il n’y a pas de coup 999 : la liste va de 1 à",
    },
    "de": {
        "r9<": "es gibt keine Karte r9",
        "a1=1": "a1=1: Blatt A hat kein solches Feld",
        "J8": "J8 ist jetzt nicht erlaubt: Du teilst die Reihe",
        "999": "es gibt keinen Zug 999: Die Liste geht von 1 bis",
    },
}
GAME_OF = {"r9<": "splito", "a1=1": "splitter", "J8": "splitit", "999": "splitter"}


@pytest.mark.parametrize(("language", "typed"), [(language, typed) for language in LANGUAGES for typed in GAME_OF])
def test_a_refused_move_is_explained_in_the_language(language: Language, typed: str, splito: Splito) -> None:
    run = splito(
        "play", GAME_OF[typed], "--bots", "random", "--seed", "7", "--lang", language, typed=f"{typed}\nquit\n"
    )
    assert f"✗ {REFUSALS[language][typed]}" in run.out


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_record_names_the_person_alike_in_every_language(
    language: Language, splito: Splito, tmp_path: Path
) -> None:
    path = tmp_path / "match.json"
    words = ("play", "splitter", "--players", "2", "--bots", "random", "--lang", language, "--record", str(path))
    splito(*words, typed="1\n" * 22)
    record, _ = verify(path.read_bytes())
    assert record.names == ("you", "random")
