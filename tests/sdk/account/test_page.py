"""Pages as plain text, and texts that name commands of `splito-bot` in the words of `splito`."""

from splito_bot.account.page import Page, Table, plain
from splito_bot.account.trouble import of_splito

PAGE = Page(
    "owl\x1b[2J",
    [("id", "1"), ("state", "ready\nnew")],
    Table(("bot", "rank"), [("owl", "1"), ("kite\r", "12")]),
    "`splito-bot status owl`",
)
SHOWN = """owl [2J

  id     1
  state  ready new

bot    rank
owl    1
kite   12

Next: `splito-bot status owl`
"""


def test_a_page_is_plain_text_without_control_characters() -> None:
    assert plain(PAGE) == SHOWN


def test_texts_name_the_commands_of_the_program_that_prints_them() -> None:
    text = "`splito-bot login URL`, `splito-bot check owl`, then `splito-bot serve my_bot:choose --bot owl`"
    assert of_splito(text) == (
        "`splito login URL`, `splito bot check owl`, then `splito-bot serve my_bot:choose --bot owl`"
    )
