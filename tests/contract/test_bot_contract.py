"""The document of a bot is complete, agrees with the arena's own messages, and equals the committed file."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from splito_arena.faults import FAULTS, Fault
from splito_arena.match.messages import messages_of
from splito_arena.match.question import Question, judge, read_answer, read_answers, read_one
from splito_arena.match.terms import STRIKES
from splito_arena.net.http_response import BODY_LIMIT
from splito_arena.net.signing import verify
from splito_engine.registry import find_game, games
from splito_service.http.contract.__main__ import FOLDER
from splito_service.http.contract.bot.document import bot_kinds, fault_table
from splito_service.http.contract.bot.operations import OF_BOTS
from splito_service.http.contract.document import HOUSE, bot_contract
from splito_service.http.contract.game_schemas import own_properties
from splito_service.http.contract.json_schemas import objects_in, structs_in
from splito_service.http.contract.write import as_yaml
from splito_service.http.examples.bot_messages import SECRET, asked
from splito_service.problems import MEDIA_TYPE
from tests.contract.documents import bot_document, service_document
from tests.contract.reader import Call, Content, Document, Json, read_yaml

BOT, SERVICE = bot_document(), service_document()
CALLS = list(BOT.calls)
CONTENTS = [content for call in CALLS for content in BOT.contents(call)]
EXAMPLES = {name: example["value"] for name, example in BOT.whole["components"]["examples"].items()}
STRUCTS = {kind.__name__: kind for kind in structs_in(bot_kinds([find_game(game) for game in HOUSE]))}
CLAUSE = re.compile(r"\b[SIT][0-9]{1,2}\b")
PAGE = (FOLDER.parent / "docs" / "bot-contract.md").read_text("utf-8")

every_call = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.id)
every_content = pytest.mark.parametrize("content", CONTENTS, ids=lambda content: content.place)
every_game = pytest.mark.parametrize("game", HOUSE)


def test_the_committed_file_is_what_the_code_says() -> None:
    written = (FOLDER / "bot.yaml").read_bytes()
    assert written == as_yaml(BOT.whole), "openapi/bot.yaml is out of date: run `make contract`"
    assert read_yaml(written) == BOT.whole


def test_the_bot_contract_is_a_valid_openapi_document() -> None:
    OpenAPIV31SpecValidator(BOT.whole).validate()


@pytest.mark.parametrize("played", [["highest"], sorted(games())], ids=["one", "all"])
def test_the_bot_contract_of_other_games_is_valid(played: list[str]) -> None:
    document = Document(bot_contract(played))
    OpenAPIV31SpecValidator(document.whole).validate()
    for content in document.contents(document.call("answerAsk")):
        assert [fault for value in content.examples.values() for fault in document.faults(content.schema, value)] == []


def test_the_bot_contract_has_six_operations() -> None:
    assert [call.name for call in CALLS] == [
        "GET /info",
        "POST /ask",
        "POST /batch",
        "POST /start",
        "POST /end",
        "POST /challenge",
    ]
    assert all(re.fullmatch(r"(get|answer|note)([A-Z][a-z]+)+", call.id) for call in CALLS)


@every_call
def test_an_operation_has_texts_and_optional_signature_headers(call: Call) -> None:
    operation = call.operation
    assert all(operation[field] for field in ("summary", "description", "tags"))
    assert operation["security"] == [{}, {"webhookSignature": []}]
    headers = [BOT.resolve(part) for part in operation["parameters"]]
    assert [header["name"] for header in headers] == ["webhook-id", "webhook-timestamp", "webhook-signature"]
    assert all(header["in"] == "header" and not header["required"] for header in headers)


@every_call
def test_only_status_200_is_an_answer(call: Call) -> None:
    responses = {status: BOT.resolve(response) for status, response in call.operation["responses"].items()}
    assert {status: list(response["content"]) for status, response in responses.items()} == {
        "200": ["application/json"],
        "4XX": [MEDIA_TYPE],
        "default": [MEDIA_TYPE],
    }


@every_content
def test_every_example_fits_its_schema(content: Content) -> None:
    assert content.examples
    for name, value in content.examples.items():
        assert BOT.faults(content.schema, value) == [], name


@every_game
@pytest.mark.parametrize("kind", ["Ask", "Answer", "Asks", "Answers", "Started", "Ended"])
def test_every_game_has_an_example_of_every_message(game: str, kind: str) -> None:
    name = game.capitalize() + kind
    assert [content.place for content in CONTENTS if name in content.examples]
    assert EXAMPLES[name].get("game", game) == game


@every_content
def test_the_arena_reads_every_example(content: Content) -> None:
    for name, value in content.examples.items():
        kinds = _kinds(content)
        kind = next((kind for kind in kinds if name.startswith(kind.__name__)), kinds[0])
        assert _written(msgspec.json.decode(json.dumps(value), type=kind)) == value


def _kinds(content: Content) -> list[Any]:
    """The Structs that may stand there."""
    return [STRUCTS[ref["$ref"].rpartition("/")[2]] for ref in content.schema.get("anyOf", [content.schema])]


def _written(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


@every_game
def test_the_first_move_of_an_ask_is_an_answer_to_it(game: str) -> None:
    question = _question(game)
    for example in (EXAMPLES[f"{game.capitalize()}Ask"], EXAMPLES[f"{game.capitalize()}Asks"]["asks"][0]):
        assert example["id"] == question.id
        for answer in ({"move": example["moves"][0]}, {"ask": example["id"], "index": 0}):
            said = read_answer(question, json.dumps(answer).encode())
            judge(question, said)
            assert _written(said.move) == example["moves"][0]


@every_game
def test_the_first_example_of_an_answer_is_legal_in_every_ask_of_every_game(game: str) -> None:
    """A mock server sends it."""
    [content] = [one for one in CONTENTS if one.place.startswith("answerAsk 200")]
    first, *_ = content.examples.values()
    for question in asked(find_game(game)):
        said = read_answer(question, json.dumps(first).encode())
        judge(question, said)
        assert said.move == question.ask.moves[0]


def test_the_first_example_of_an_info_is_a_bot_without_batches() -> None:
    """A mock server could not name the asks of a batch in its answers."""
    [content] = [one for one in CONTENTS if one.place.startswith("getInfo 200")]
    first, *_ = content.examples.values()
    assert first["batch"] == 0
    assert first["games"] == [*HOUSE]


@every_game
def test_the_answers_of_the_examples_are_legal(game: str) -> None:
    later, begun = asked(find_game(game))
    name = game.capitalize()
    judge(later, read_answer(later, json.dumps(EXAMPLES[f"{name}Answer"]).encode()))
    answers = read_answers(find_game(game), json.dumps(EXAMPLES[f"{name}Answers"]).encode())
    for question in (later, begun):
        judge(question, read_one(question, answers))


@every_game
def test_an_ask_that_is_sent_again_gives_the_reason(game: str) -> None:
    first, again = EXAMPLES[f"{game.capitalize()}Ask"], EXAMPLES[f"{game.capitalize()}Asks"]["asks"][0]
    assert again["rejected"]["code"] in FAULTS
    assert again["time"]["allowed_ms"] < first["time"]["allowed_ms"]
    assert again["deadline"] == first["deadline"]
    told_apart = ("rejected", "time")
    assert {**again, **{name: first[name] for name in told_apart}} == first


def _question(game: str) -> Question:
    return asked(find_game(game))[0]


@every_call
def test_answers_of_bots_allow_no_unknown_fields(call: Call) -> None:
    schema = call.operation["responses"]["200"]["content"]["application/json"]["schema"]
    if schema != {"$ref": "#/components/schemas/Noted"}:
        for part in _reachable(schema):
            assert part.get("type") != "object" or part["additionalProperties"] is False, part


def _reachable(schema: Json, seen: frozenset[str] = frozenset()) -> Iterator[Json]:
    for part in objects_in(schema):
        yield part
        if (ref := part.get("$ref")) and ref not in seen:
            yield from _reachable(BOT.resolve(part), seen | {ref})


@every_game
def test_an_answer_with_an_unknown_field_is_refused(game: str) -> None:
    schema = {"$ref": f"#/components/schemas/{game.capitalize()}Answer"}
    assert BOT.faults(schema, {"index": 0, "indx": 1}) != []
    with pytest.raises(Fault, match="indx"):
        read_answer(_question(game), b'{"index": 0, "indx": 1}')


def test_every_object_of_the_bot_contract_declares_its_properties() -> None:
    for part in objects_in(BOT.schemas):
        if part.get("type") == "object":
            assert "properties" in part or isinstance(part.get("additionalProperties"), dict), part


def test_unions_of_the_bot_contract_have_a_discriminator() -> None:
    """An answer is of the game that was asked about, and the asks of a batch name it themselves."""
    parts = [BOT.schemas, *(content.schema for content in CONTENTS)]
    unions = [part for schema in parts for part in objects_in(schema) if "anyOf" in part]
    several = [part for part in unions if sum("$ref" in kind for kind in part["anyOf"]) > 1]
    untold = [part["anyOf"][0]["$ref"].rpartition("/")[2] for part in several if "discriminator" not in part]
    assert untold == ["SplitoAnswer", "SplitoAsks", "SplitoAnswers"]
    for part in several:
        for tag, place in part.get("discriminator", {"mapping": {}})["mapping"].items():
            properties = own_properties(BOT.resolve({"$ref": place}))
            assert properties[part["discriminator"]["propertyName"]]["const"] == tag


def test_every_schema_and_every_property_has_a_description() -> None:
    described = {
        f"{name}.{field}": part.get("description", "")
        for name, schema in BOT.schemas.items()
        for member in (schema, *schema.get("allOf", ()))
        for field, part in member.get("properties", {}).items()
    }
    assert len(described) > 150
    assert [place for place, text in described.items() if not re.fullmatch(r"[A-Z`].{8,}\.", text)] == []
    assert [name for name, schema in BOT.schemas.items() if not schema.get("description")] == []


def test_the_document_has_the_rules_of_every_game() -> None:
    text = BOT.whole["info"]["description"]
    for game in map(find_game, HOUSE):
        clauses = re.findall(r"^\*\*.*(?:\n.+)*", game.rulebook("en"), re.MULTILINE)
        assert len(clauses) > 5
        assert [clause for clause in clauses if clause not in text] == []


def test_the_document_has_the_requirement_and_the_points_of_every_objective() -> None:
    text = BOT.whole["info"]["description"].replace(" †", "")
    objectives = [card for card in find_game("splito").cards("en") if card.points is not None]
    assert len(objectives) == 37
    assert [card.id for card in objectives if f"| `{card.id}` | {card.text} | {card.points} |" not in text] == []


def test_every_clause_that_a_description_cites_is_in_the_document() -> None:
    cited = {clause for part in objects_in(BOT.schemas) for clause in CLAUSE.findall(str(part.get("description", "")))}
    assert cited > {"S10", "S12", "I4"}
    assert [clause for clause in sorted(cited) if f"**{clause}**" not in BOT.whole["info"]["description"]] == []


def test_every_type_has_a_name_of_its_own() -> None:
    """Types of one name would have been given longer ones."""
    assert [name for name in (*BOT.schemas, *SERVICE.schemas) if not re.fullmatch(r"[A-Z][A-Za-z]+", name)] == []
    assert {name for name in BOT.schemas if not name.endswith("Base")} == STRUCTS.keys() | {"SplititMove"}


def test_the_bot_contract_has_no_unused_components() -> None:
    used = {part["$ref"] for part in objects_in(BOT.whole) if "$ref" in part}
    named = {f"#/components/{kind}/{name}" for kind, parts in BOT.whole["components"].items() for name in parts}
    assert named - used == {"#/components/securitySchemes/webhookSignature"}


def test_the_example_headers_sign_the_example_challenge() -> None:
    headers = BOT.whole["components"]["parameters"]
    for header in headers.values():
        assert BOT.faults(header["schema"], header["example"]) == []
    shown = {name: header["example"] for name, header in headers.items()}
    body = msgspec.json.encode(EXAMPLES["Challenge"])
    assert verify([SECRET], shown, body, now=int(shown["webhook-timestamp"])) == shown["webhook-id"]


def test_the_example_answer_meets_the_example_challenge() -> None:
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    message = b"splito-challenge." + EXAMPLES["Challenge"]["challenge"].encode()
    digest = hmac.new(key, message, hashlib.sha256).digest()
    assert EXAMPLES["ChallengeMet"] == {"answer": base64.b64encode(digest).decode()}


def test_the_service_lists_the_same_messages_as_webhooks() -> None:
    listed = {name: item for name, item in SERVICE.whole["webhooks"].items() if name.startswith("bot")}
    paths = {row.webhook: BOT.whole["paths"][row.call.partition(" ")[2]] for row in OF_BOTS}
    assert list(listed) == ["botInfo", "botAsk", "botBatch", "botStart", "botEnd", "botChallenge"]
    assert {name: _untagged(item) for name, item in listed.items()} == {
        name: _untagged(item) for name, item in paths.items()
    }
    for kind, parts in BOT.whole["components"].items():
        shared = SERVICE.whole["components"][kind]
        assert kind == "examples" or {name: _plain(shared[name]) for name in parts} == _plain(parts)


def _untagged(item: Json) -> Json:
    return {method: {**_plain(operation), "tags": []} for method, operation in item.items()}


def _plain(part: Any) -> Any:
    """Without examples, which only the document of a bot has."""
    if isinstance(part, dict):
        return {name: _plain(value) for name, value in part.items() if name != "examples"}  # pyright: ignore[reportUnknownVariableType]
    return [_plain(value) for value in part] if isinstance(part, list) else part  # pyright: ignore[reportUnknownVariableType]


def test_operation_ids_of_webhooks_are_unique() -> None:
    hooks = [operation["operationId"] for item in SERVICE.whole["webhooks"].values() for operation in item.values()]
    ids = [*hooks, *(call.id for call in SERVICE.calls)]
    assert len(set(ids)) == len(ids)


def test_contract_and_docs_list_every_fault() -> None:
    table = fault_table()
    assert all(f"\n| `{code}` | {kind.meaning} | {kind.advice} |" in table for code, kind in FAULTS.items())
    for text in (BOT.whole["info"]["description"], PAGE):
        assert table in text
        assert f"{STRIKES} faults" in text
        assert f"{BODY_LIMIT:,} bytes" in text


def test_the_docs_show_the_examples_of_the_contract() -> None:
    shown = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)]
    assert shown == [EXAMPLES["BotInfoInFull"], EXAMPLES["SplitoAsk"], EXAMPLES["SplitoAnswer"]]
    assert all(call.name in PAGE for call in CALLS)


@every_game
def test_the_types_of_a_game_are_in_the_contract(game: str) -> None:
    types = messages_of(find_game(game))
    for name in ("Ask", "Answer", "Asks", "Answers", "Started", "Turn", "Revealed"):
        assert getattr(types, name).__name__ in BOT.schemas
