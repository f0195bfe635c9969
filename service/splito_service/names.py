"""Names that clients give: of owners, bots, persons at a table, tournaments and experiments."""

from splito_arena.bots.names import fault_of, is_of_house, starts_like
from splito_service.errors import BadName

LADDER = "House ladder"
"""Beginning of the names of the house ladders."""


def check_name(name: str) -> str:
    """Return the name of an owner, a bot or a person. Raise `BadName` if it is blank or that of a house bot."""
    check_text(name)
    if is_of_house(name):
        raise BadName("this is, or looks like, the name of a house bot: choose another name", field="name")
    return name


def check_title(name: str) -> str:
    """Return the name of a tournament or an experiment. Raise `BadName` if it is blank or like a house ladder's."""
    check_text(name)
    if starts_like(name, LADDER):
        raise BadName("names that begin like this are reserved for house ladders: choose another name", field="name")
    return name


def check_text(text: str) -> str:
    """Return a text that is shown, such as an author. Raise `BadName` if it is blank or not printable."""
    if fault := fault_of(text):
        raise BadName(fault, field="name")
    return text
