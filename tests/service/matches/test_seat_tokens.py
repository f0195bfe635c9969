"""A seat token is valid for one seat of one match while its player has the seat, and cannot be forged."""

import pytest

from splito_service.errors import NoToken, UnknownSeat, WrongToken
from splito_service.matches.model import Sitter
from splito_service.matches.seat_tokens import Sitting, Tokens, check_seat, check_sitting
from splito_service.matches.store import Matches
from splito_service.storage.client import Link

pytestmark = pytest.mark.anyio
ANN, BOB = Sitter("person", "Ann"), Sitter("person", "Bob")


async def test_a_token_issued_by_one_process_is_read_by_another(link: Link) -> None:
    token = await Tokens(link).issue("splito", "m", Sitting(3, 12))
    assert await Tokens(link).read("splito", "m", f"Bearer {token}") == Sitting(3, 12)
    assert await Tokens(link).read("splito", "m", f"bearer {token}") == Sitting(3, 12)
    assert await Tokens(link).read("splito", "m", None) is None


async def test_an_altered_token_is_refused(link: Link) -> None:
    tokens = Tokens(link)
    token = await tokens.issue("splito", "m", Sitting(3, 12))
    others = [token[:-1], token + "A", token.replace("seat-3", "seat-2"), token.replace("-12-", "-13-"), "", "é" * 40]
    others += [token[:place] + ("B" if token[place] != "B" else "C") + token[place + 1 :] for place in (10, 20, 30)]
    for other in others:
        with pytest.raises(NoToken):
            await tokens.read("splito", "m", f"Bearer {other}")
    with pytest.raises(NoToken):
        await tokens.read("splito", "m", f"Basic {token}")


async def test_a_token_is_valid_for_one_match_of_one_game(link: Link) -> None:
    tokens = Tokens(link)
    token = await tokens.issue("splito", "m", Sitting(0, 1))
    for game, match_id in (("splito", "n"), ("splitter", "m")):
        with pytest.raises(NoToken):
            await tokens.read(game, match_id, f"Bearer {token}")


async def test_the_token_of_a_player_who_left_is_refused(matches: Matches) -> None:
    kept = await matches.create("splito", [ANN, BOB])
    assert check_sitting(kept, Sitting(1, 2)) == 1
    kept = await matches.leave(kept.id, 1, 2, "greedy")
    with pytest.raises(WrongToken):
        check_sitting(kept, Sitting(1, 2))
    assert check_sitting(kept, None) is None


async def test_a_seat_number_outside_the_match_is_unknown(matches: Matches) -> None:
    kept = await matches.create("splito", [ANN, BOB])
    for seat in (-1, 2):
        with pytest.raises(UnknownSeat):
            check_seat(kept, seat)
