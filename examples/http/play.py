"""A whole match against two house bots, over HTTP.

    pip install ./sdk/python rich
    python examples/http/play.py splito --url http://127.0.0.1:8000

Your seat plays random moves. Change `choose` to make it play better.
"""

import argparse
import random
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from splito_bot import GAMES, Client, Game, Match, NewBot, NewPerson, Position

console = Console()


def choose(position: Position[Any, Any]) -> Any:
    """Return one of the legal moves. `position.view` is the view of your seat."""
    return random.choice(position.legal_moves)


def play(client: Client, game: Game[Any, Any, Any], name: str) -> Match[Any, Any]:
    created = client.create(game, [NewPerson(name), NewBot("planner"), NewBot("greedy")])
    for position in client.play(game, created.match.id, created.token(0)):
        move = choose(position)
        position.seal(move)
        console.print(f"[dim]turn {position.match.turn:>2}[/dim]  {said(move)}")
    return client.match(game, created.match.id)


def said(move: msgspec.Struct) -> str:
    return ", ".join(f"{field} [bold]{value}[/bold]" for field, value in msgspec.to_builtins(move).items())


def show(client: Client, game: Game[Any, Any, Any], match: Match[Any, Any]) -> None:
    table = Table("seat", "player", "points", "how", title=f"{match.game}, {match.turn} turns")
    totals = client.explain(game, match.id).totals
    best = max(match.scores or [])
    for seat, (player, points, total) in enumerate(zip(match.seats, match.scores or [], totals, strict=True)):
        style = "bold green" if points == best else ""
        table.add_row(f"{seat}", player.name, f"{points[0]}", total, style=style)
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="Play a whole match against two house bots.")
    parser.add_argument("game", choices=GAMES)
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="address of the service")
    parser.add_argument("--name", default="Ada", help="name of your player")
    wanted = parser.parse_args()
    game = GAMES[wanted.game]
    with Client(wanted.url) as client:
        match = play(client, game, wanted.name)
        show(client, game, match)
    console.print(f"Record: {wanted.url}/v1/{game.id}/matches/{match.id}/record", soft_wrap=True)


if __name__ == "__main__":
    main()
