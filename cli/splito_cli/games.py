"""`splito games`: what can be played."""

from splito_cli.screen import plain_table, screen
from splito_engine.registry import games

EXAMPLES = ("splito games",)


def list_games() -> None:
    """List the games that are installed."""
    table = plain_table("game", "players", "rules")
    table.add_column("titles")
    for game_id, game in games().items():
        info = game.INFO
        titles = " / ".join(dict.fromkeys(info.titles.values()))
        table.add_row(game_id, f"{info.min_players}-{info.max_players}", info.version, titles)
    screen().print(table)
