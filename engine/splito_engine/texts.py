"""Texts that ship with a package: its rules in the three languages."""

from functools import cache
from importlib.resources import files

from splito_engine.game import Language


@cache
def read_rules(package: str, language: Language) -> str:
    """`rules.<language>.md` beside the game's code: one clause a paragraph, numbered as the tests cite them."""
    return files(package).joinpath(f"rules.{language}.md").read_text("utf-8")
