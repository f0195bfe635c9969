"""The contract is complete, true to the code, and the same as the committed files."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from splito_engine.registry import games
from splito_service.http.access import ROLES, verdict
from splito_service.http.app import ENDPOINTS, create_app
from splito_service.http.contract.__main__ import FOLDER
from splito_service.http.contract.document import HOUSE, contract
from splito_service.http.contract.game_schemas import own_properties
from splito_service.http.contract.json_schemas import objects_in, schemas_of
from splito_service.http.contract.operations_page import DOCS, TABLES, page
from splito_service.http.contract.write import as_yaml
from splito_service.http.endpoint import EVERY, Endpoint
from splito_service.http.parameters import PARAMETERS
from splito_service.http.queries import Query
from splito_service.http.routes import docs
from splito_service.problems import MEDIA_TYPE, STATUS
from splito_service.settings import Settings
from tests.contract.documents import service_document
from tests.contract.reader import Call, Content, Json, read_yaml

HERE = service_document()
CALLS = list(HERE.calls)
CONTENTS = [content for call in CALLS for content in HERE.contents(call)]
VERBS = "create|list|get|join|leave|seal|watch|explain|change|delete|prove|describe|rotate|settle|answer|estimate|enter"

every_call = pytest.mark.parametrize("call", CALLS, ids=lambda call: call.id)


def test_the_committed_file_is_what_the_code_says() -> None:
    written = (FOLDER / "service.yaml").read_bytes()
    assert written == as_yaml(HERE.whole), "openapi/service.yaml is out of date: run `make contract`"
    assert read_yaml(written) == HERE.whole


def test_the_service_contract_is_a_valid_openapi_document() -> None:
    OpenAPIV31SpecValidator(HERE.whole).validate()


def test_the_contract_of_an_installed_game_is_valid() -> None:
    whole = contract(tuple(games()), ENDPOINTS)
    OpenAPIV31SpecValidator(whole).validate()
    assert "/v1/highest/matches" in whole["paths"]


def test_every_route_is_in_the_contract_and_nothing_else() -> None:
    app = create_app(Settings(redis_url="unix:///nowhere"), HOUSE)
    about_itself = {path for handler in docs.routes(dict) for path in handler.paths}
    served = {
        f"{method} {path}"
        for route in app.routes
        if route.path not in about_itself
        for method in getattr(route, "methods", ())
        if method != "OPTIONS"
        for path in _paths(route.path)
    }
    assert {call.name for call in CALLS} == served


def _paths(template: str) -> list[str]:
    """Return the paths of a route as in the contract: one per game, without the types of parameters."""
    path = re.sub(r"\{(\w+):\w+\}", r"{\1}", template)
    return [path.replace("{game}", game) for game in HOUSE] if "{game}" in path else [path]


def test_operation_ids_are_unique_and_begin_with_a_verb() -> None:
    ids = [call.id for call in CALLS]
    per_game = [row for row in ENDPOINTS if row.per_game]
    assert len(set(ids)) == len(ids) == len(ENDPOINTS) + (len(HOUSE) - 1) * len(per_game)
    assert [name for name in ids if not re.fullmatch(rf"({VERBS})([A-Z][a-z]+)+", name)] == []


@every_call
def test_every_operation_has_a_description_and_its_security(call: Call) -> None:
    operation = call.operation
    assert all(operation[field] for field in ("summary", "description", "tags"))
    assert [scheme for scheme in operation["security"] if scheme.keys() - {"seatToken", "ownerKey"}] == []


@every_call
def test_every_operation_lists_its_refusals_with_examples(call: Call) -> None:
    for status, response in HERE.responses(call).items():
        if status >= 400:
            assert response["content"].keys() == {MEDIA_TYPE}
            codes = _codes(response)
            assert codes, f"{call.id} {status} has no examples"
            assert {STATUS[code] for code in codes} == {status}
    statuses = HERE.responses(call).keys()
    assert 500 in statuses
    assert call.path.startswith("/health") or {429, 503} <= statuses


@pytest.mark.parametrize("row", ENDPOINTS, ids=lambda row: row.id)
def test_the_contract_names_every_refusal_of_the_permission_table(row: Endpoint) -> None:
    refusals = {code for role in ROLES if (code := verdict(row.access, role)) is not None}
    assert refusals <= {*row.errors}


@pytest.mark.parametrize("name", TABLES)
def test_the_operation_tables_of_the_docs_are_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == page(name, ENDPOINTS), f"docs/{name} is out of date: run `make contract`"


def _codes(response: Json) -> list[str]:
    examples = response["content"][MEDIA_TYPE]["examples"]
    said = {name: HERE.resolve(example)["value"]["code"] for name, example in examples.items()}
    assert all(name == code for name, code in said.items())
    return list(said)


def test_the_refusal_of_a_move_lists_the_legal_moves() -> None:
    for game in HOUSE:
        refusal = HERE.responses(HERE.call(f"seal{game.capitalize()}Move"))[409]["content"][MEDIA_TYPE]
        assert refusal["schema"] == {"$ref": f"#/components/schemas/{game.capitalize()}MoveProblem"}
        assert HERE.resolve(refusal["examples"]["illegal-move"])["value"]["legal_moves"]


def test_the_contract_lists_exactly_the_problem_codes_of_the_service() -> None:
    shown = {
        code
        for call in CALLS
        for status, response in HERE.responses(call).items()
        if status >= 400
        for code in _codes(response)
    }
    met = {code for call in CALLS for code in call.operation["x-problems"]} | {*EVERY}
    nowhere = {"unknown-game", "wrong-method", "wrong-players"}
    assert met == shown == STATUS.keys() - nowhere, "no operation of these games can meet those three"


@every_call
def test_every_problem_of_an_operation_has_its_status_among_the_answers(call: Call) -> None:
    answered = HERE.responses(call).keys()
    assert {STATUS[code] for code in call.operation["x-problems"]} <= answered


def test_the_committed_contracts_have_at_most_12_000_lines() -> None:
    assert sum(len(file.read_bytes().splitlines()) for file in FOLDER.iterdir()) <= 12_000


def test_every_type_of_one_game_names_its_game_as_a_constant() -> None:
    for game in HOUSE:
        own = [own_properties(schema) for name, schema in HERE.schemas.items() if _is_of(name, game, schema)]
        assert len(own) > 5
        assert [properties["game"] for properties in own if properties["game"].get("const") != game] == []


def _is_of(name: str, game: str, schema: Json) -> bool:
    is_object = "properties" in schema or "allOf" in schema
    return name.startswith(game.capitalize()) and is_object and "game" in own_properties(schema)


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: content.place)
def test_every_example_fits_its_schema(content: Content) -> None:
    assert content.examples
    for name, value in content.examples.items():
        assert HERE.faults(content.schema, value) == [], name


@every_call
def test_every_parameter_has_an_example_within_its_bounds(call: Call) -> None:
    parameters = [HERE.resolve(part) for part in call.operation["parameters"]]
    for parameter in parameters:
        assert parameter["description"]
        assert HERE.faults(parameter["schema"], parameter["example"]) == []
    in_path = {parameter["name"] for parameter in parameters if parameter["in"] == "path"}
    assert in_path == set(re.findall(r"\{(\w+)\}", call.path))


@pytest.mark.parametrize("kind", Query.__subclasses__(), ids=lambda kind: kind.__name__)
def test_query_parameters_have_the_bounds_that_the_routes_enforce(kind: type[Query]) -> None:
    enforced = schemas_of([kind]).components[kind.__name__]["properties"]
    assert {name: _bounds(PARAMETERS[name].schema) for name in enforced} == {
        name: _bounds(schema) for name, schema in enforced.items()
    }


def _bounds(schema: Json) -> Json:
    """In any order. Where two operations have one parameter, only one of them has a default for it."""
    return {word: sorted(value) if word == "enum" else value for word, value in schema.items() if word != "default"}


@every_call
def test_links_name_existing_operations_and_parameters(call: Call) -> None:
    for response in HERE.responses(call).values():
        for link in response.get("links", {}).values():
            target = HERE.call(link["operationId"])
            known = {HERE.resolve(part)["name"] for part in target.operation["parameters"]}
            assert link["parameters"].keys() <= known


@every_call
def test_headers_are_declared_once(call: Call) -> None:
    for response in HERE.responses(call).values():
        for name, header in response.get("headers", {}).items():
            assert header == {"$ref": f"#/components/headers/{name}"}
            assert HERE.resolve(header)["description"]


def _parts() -> Iterator[Json]:
    schemas: list[Any] = [HERE.schemas, *(content.schema for content in CONTENTS)]
    return (part for schema in schemas for part in objects_in(schema))


def test_every_object_of_the_contract_declares_its_properties() -> None:
    for part in _parts():
        if part.get("type") == "object":
            assert "properties" in part or isinstance(part.get("additionalProperties"), dict), part


@pytest.mark.parametrize("call", [call for call in CALLS if "requestBody" in call.operation], ids=lambda call: call.id)
def test_a_request_takes_no_unknown_fields(call: Call) -> None:
    schema = call.operation["requestBody"]["content"]["application/json"]["schema"]
    for part in _reachable(schema):
        if part.get("type") == "object":
            assert part["additionalProperties"] is False


def _reachable(schema: Json, seen: frozenset[str] = frozenset()) -> Iterator[Json]:
    for part in objects_in(schema):
        yield part
        if (ref := part.get("$ref")) and ref not in seen:
            yield from _reachable(HERE.resolve(part), seen | {ref})


def test_unions_of_the_contract_have_a_discriminator() -> None:
    unions = [part["anyOf"] for part in _parts() if "anyOf" in part and "discriminator" not in part]
    assert [union for union in unions if sum("$ref" in kind for kind in union) > 1 and union != _events(union)] == []


def _events(union: list[Json]) -> list[Json]:
    """The type of an event's data depends on the name of the event."""
    return union if union[0]["$ref"].endswith(("/Seats", "Progress")) else []


def test_every_property_has_a_type() -> None:
    """A property that could be anything would tell a generated client nothing."""
    holes = [
        f"{name}.{field}"
        for name, schema in HERE.schemas.items()
        for field, part in schema.get("properties", {}).items()
        if not part.keys() & {"type", "$ref", "anyOf", "const", "enum"}
    ]
    assert holes == []


def test_the_contract_has_no_unused_components() -> None:
    used = {part["$ref"] for part in objects_in(HERE.whole) if "$ref" in part}
    named = {f"#/components/{kind}/{name}" for kind, parts in HERE.whole["components"].items() for name in parts}
    mapped = {target for part in objects_in(HERE.whole) if "mapping" in part for target in part["mapping"].values()}
    schemes = {name for part in objects_in(HERE.whole) for wanted in part.get("security", ()) for name in wanted}
    assert named - used - mapped == {f"#/components/securitySchemes/{name}" for name in schemes}
