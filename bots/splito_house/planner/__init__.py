"""The strongest built-in bot: one strategy per game, without search, within a few milliseconds per move."""

from typing import Any

from splito_engine.errors import BadBot
from splito_engine.player import Ask, Choose
from splito_house.planner import splitit, splito, splitter

PLANNERS: dict[str, Choose] = {
    "splito": splito.choose,
    "splitit": splitit.choose,
    "splitter": splitter.choose,
}


def choose(ask: Ask) -> Any:
    """Return the move of the strategy for this game. Raise `BadBot` if there is none."""
    plan = PLANNERS.get(ask.game)
    if plan is None:
        raise BadBot(f"planner does not play {ask.game}, only {', '.join(PLANNERS)}", field="bot")
    return plan(ask)
