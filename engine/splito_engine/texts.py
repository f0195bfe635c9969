"""The rulebooks that ship with a game, in three languages."""

from functools import cache
from importlib.resources import files

from splito_engine.game import Language


@cache
def read_rules(package: str, language: Language) -> str:
    """Return `rules.<language>.md` of the package: one clause per paragraph, with the numbers that the tests cite."""
    return files(package).joinpath(f"rules.{language}.md").read_text("utf-8")
