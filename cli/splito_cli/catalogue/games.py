"""`splito games`: the list of installed games."""

from splito_cli.terminal.screen import plain_table, wide_screen
from splito_engine.game import GameInfo
from splito_engine.registry import games

EXAMPLES = ("splito games",)


def list_games() -> None:
    """List the installed games: players, version of the rules, titles, and which rules are reconstructed.

    Reconstructed rules may differ from the printed game, because the printed text was not available to us.
    """
    table = plain_table("game", "players", "rules")
    table.add_column("titles")
    table.add_column("reconstructed")
    for game_id, game in games().items():
        info = game.INFO
        titles = " / ".join(dict.fromkeys(info.titles.values()))
        table.add_row(game_id, f"{info.min_players}-{info.max_players}", info.version, titles, _reconstructed(info))
    wide_screen().print(table)


def _reconstructed(info: GameInfo) -> str:
    numbers = " and ".join(map(str, info.reconstructed_players))
    return f"the rules for {numbers} players" if numbers else ""
