"""The client against the service, both as they are."""

from collections.abc import Iterator
from random import Random
from typing import Any

import httpx
import pytest

from splito_bot import GAMES, SPLITIT, SPLITO, SPLITTER, Client, Game, NewBot, NewOpen, NewPerson, Refused, TurnClock
from splito_bot.games.splitit import SplititOptions
from splito_bot.games.splito import SplitoMove, SplitoOpenOptions
from splito_bot.games.splitter import SplitterMove
from splito_bot.running.connect import Desk
from splito_engine.record import verify
from splito_service.http.app import ENDPOINTS
from tests.service.process import Process

ADA, HOUSE = NewPerson("Ada"), [NewBot("greedy"), NewBot("random")]
UNKNOWN = "0" * 24
METHODS = {
    "create{Game}Match": Client.create,
    "list{Game}Matches": Client.matches,
    "get{Game}Match": Client.match,
    "join{Game}Match": Client.join,
    "delete{Game}Match": Client.delete,
    "leave{Game}Match": Client.leave,
    "seal{Game}Move": Client.seal,
    "answer{Game}Ask": Desk.hand_in,
    "list{Game}Turns": Client.turns,
    "watch{Game}Match": Client.events,
    "get{Game}Record": Client.record,
    "explain{Game}Match": Client.explain,
    "get{Game}Rules": Client.rules,
    "list{Game}Cards": Client.cards,
    "listGames": Client.games,
    "listHouse": Client.house,
    "listProblems": Client.problems,
}
"""By the operation of the contract."""


def play_out(client: Client, game: Game[Any, Any, Any], match_id: str, token: str) -> None:
    rng = Random(match_id)
    for position in client.play(game, match_id, token):
        position.seal(rng.choice(position.legal_moves))


@pytest.fixture(scope="module")
def finished(service: Process) -> Iterator[str]:
    """The id of a match of Splito that is over."""
    with Client(service.url) as client:
        created = client.create(SPLITO, [ADA, *HOUSE])
        play_out(client, SPLITO, created.match.id, created.token(0))
        yield created.match.id


def test_the_client_covers_every_operation_with_the_tags_service_and_matches() -> None:
    declared = {row.id for row in ENDPOINTS if row.tag in ("Service", "Matches") or row.id == "answer{Game}Ask"}
    assert METHODS.keys() | {"enter{Game}Match"} == declared, "an owner seats a bot: Owner.seat"


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_the_client_plays_every_game_to_its_end(client: Client, game: Game[Any, Any, Any]) -> None:
    created = client.create(game, [ADA, *HOUSE])
    play_out(client, game, created.match.id, created.token(0))
    match = client.match(game, created.match.id)
    record, replayed = verify(client.record(game, created.match.id))
    assert match.status == "over"
    assert record.commitment == created.match.commitment
    assert match.scores == [list(points) for points in replayed.scores]
    assert len(client.turns(game, match.id)) == len(record.turns) == match.turn


def test_play_shows_a_person_each_of_its_turns_once(client: Client) -> None:
    created = client.create(SPLITIT, [ADA, *HOUSE])
    seen: list[int] = []
    for position in client.play(SPLITIT, created.match.id, created.token(0)):
        assert position.seat == 0
        assert position.view.phase != "over"
        seen.append(position.match.turn)
        position.seal(position.legal_moves[0])
    acted = [turn.turn for turn in client.turns(SPLITIT, created.match.id) if turn.moves[0].seat == 0]
    assert seen == acted


def test_a_match_has_the_options_and_the_clock_of_its_request(client: Client) -> None:
    options, clock = SplitoOpenOptions(deals=3, talk=True), TurnClock(600)
    created = client.create(SPLITO, [ADA, *HOUSE], options, clock, listed=False)
    assert created.match.clock == clock
    assert created.match.view is not None
    assert created.match.view.options.deals == 3
    assert created.match.deadlines[0] is not None
    assert created.match.id not in [other.id for other in client.all_matches(SPLITO)]
    assert created.tokens[1:] == [None, None]
    with pytest.raises(KeyError, match="seat 1 is not a person's"):
        created.token(1)


def test_a_nudge_is_sent_with_a_move(client: Client) -> None:
    created = client.create(SPLITO, [ADA, *HOUSE], SplitoOpenOptions(talk=True))
    position = next(client.play(SPLITO, created.match.id, created.token(0)))
    position.seal(position.legal_moves[0], "play:left")
    client.match(SPLITO, created.match.id, after=0, wait=25)
    revealed = client.turns(SPLITO, created.match.id)[0].moves[0]
    assert (revealed.move, revealed.nudge) == (position.legal_moves[0], "play:left")


def test_people_join_and_leave(client: Client) -> None:
    created = client.create(SPLITIT, [ADA, NewOpen()], SplititOptions(remove_at_every_split=True))
    assert (created.match.status, created.match.turn, created.match.view) == ("open", -1, None)
    joined = client.join(SPLITIT, created.match.id, "Bob")
    assert (joined.seat, joined.match.status) == (1, "running")
    client.leave(SPLITIT, created.match.id, joined.seat, joined.token)
    left = client.match(SPLITIT, created.match.id).seats[1]
    assert (left.kind, left.name) == ("bot", "Bob")


def test_a_long_poll_answers_when_the_turn_is_revealed(client: Client) -> None:
    created = client.create(SPLITTER, [ADA])
    waited = client.match(SPLITTER, created.match.id, created.token(0), after=0, wait=1)
    assert waited.turn == 0
    client.seal(SPLITTER, waited.id, 0, 0, waited.legal_moves[0], token=created.token(0))
    assert client.match(SPLITTER, waited.id, after=0, wait=25).turn == 1


def test_pages_are_read_one_after_the_other(client: Client) -> None:
    made = {client.create(SPLITTER, [ADA, ADA]).match.id for _ in range(3)}
    first = client.matches(SPLITTER, players=2, limit=2)
    assert first.next is not None
    assert len(first.matches) == 2
    assert made <= {summary.id for summary in client.all_matches(SPLITTER, players=2)}
    assert client.matches(SPLITTER, cursor=first.next).matches[0].id not in {match.id for match in first.matches}


def test_games_rules_cards_and_records_can_be_read(client: Client, finished: str) -> None:
    assert {*GAMES} <= {game.id for game in client.games()}
    assert {"planner", "greedy", "random"} <= {*client.house()}
    assert client.rules(SPLITO, "fr").language == "fr"
    assert {"r4", "moon-red"} <= {card.id for card in client.cards(SPLITO)}
    assert client.cards(SPLITO, "de")[0].text == "rote 1"
    assert len(client.explain(SPLITO, finished).totals) == 3
    assert "illegal-move" in {kind.code for kind in client.problems()}


def test_an_illegal_move_is_refused_with_the_legal_ones(client: Client) -> None:
    created = client.create(SPLITO, [ADA, *HOUSE])
    legal = client.match(SPLITO, created.match.id, created.token(0)).legal_moves
    card = next(card.id for card in client.cards(SPLITO) if card.id not in {move.card for move in legal})
    with pytest.raises(Refused, match="illegal-move") as refused:
        client.seal(SPLITO, created.match.id, 0, 0, SplitoMove(card, "left"), token=created.token(0))
    assert (refused.value.status, refused.value.code, refused.value.seat) == (409, "illegal-move", 0)
    assert refused.value.legal_moves == legal
    with pytest.raises(Refused) as refused:
        client.seal(SPLITO, created.match.id, 0, 0, SplitoMove("z9", "left"), token=created.token(0))
    assert (refused.value.code, refused.value.card) == ("unknown-move", "z9")


def test_a_refusal_names_the_field_at_fault(client: Client) -> None:
    created = client.create(SPLITTER, [ADA, ADA])
    match_id, move = created.match.id, SplitterMove(1, 3, 1)
    refusals = {
        "unknown-match": lambda: client.match(SPLITTER, UNKNOWN),
        "unknown-game": lambda: client.rules(Game("chess", dict, dict, dict)),
        "not-over": lambda: client.record(SPLITTER, match_id),
        "bad-bot": lambda: client.create(SPLITTER, [NewBot("nobody")]),
        "no-token": lambda: client.seal(SPLITTER, match_id, 0, 0, move, token="seat-0-1-" + "x" * 32),
        "wrong-token": lambda: client.seal(SPLITTER, match_id, 0, 1, move, token=created.token(0)),
        "bad-request": lambda: client.create(SPLITTER, [NewPerson("")]),
    }
    for code, request in refusals.items():
        with pytest.raises(Refused) as refused:
            request()
        assert refused.value.code == code
        assert refused.value.legal_moves == []


def test_an_id_with_special_characters_is_quoted_in_the_path(client: Client) -> None:
    with pytest.raises(Refused) as refused:
        client.match(SPLITO, "../../games?x=")
    assert refused.value.status == 404


def test_a_service_that_cannot_be_reached_raises_a_transport_error() -> None:
    with Client("http://127.0.0.1:9", timeout=1) as client, pytest.raises(httpx.ConnectError):
        client.games()
