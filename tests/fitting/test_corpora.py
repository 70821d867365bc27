"""Every schema of a tool or an answer that real programs have sent (``../shared``) gets values that fit it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from harness.fitting import fitting
from tests.fitting.validity import fits

OF_TOOLS: Final = frozenset(
    {"parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema", "inputSchema"}
)
OF_ANSWERS: Final = frozenset({"schema", "responseSchema", "responseJsonSchema"})
WITH_ANSWERS: Final = frozenset(
    {"response_format", "text", "output_config", "output_format", "generationConfig", "generation_config"}
)
WITH_TOOLS: Final = frozenset({"tools", "toolConfig", "functions"})
TYPES: Final = ("", "string", "number", "integer", "boolean", "array", "object", "null")
"""Google's types by their numbers."""

NOTHING_FITS: Final = {
    '{"$ref": "https://example.com/schemas/input.json"}': "https://example.com/schemas/input.json",
    '{"type": "string"}': "exclude each other",
    '{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}, "$ref": "#/$defs/A"}': "leads back to itself",
}
"""The recorded schemas that no arguments fit, and what the reason says."""


def schemas_in(value: Any, keys: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The objects at these keys, wherever they are in a JSON value; none inside of another."""
    if isinstance(value, list):
        for each in value:
            yield from schemas_in(each, keys)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name in keys and isinstance(each, dict):
                yield each["json"] if set(each) == {"json"} else each  # as Bedrock has it
            else:
                yield from schemas_in(each, keys)


def declared(body: Any, places: frozenset[str], keys: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The schemas at ``keys`` below the members of a body that are called as one of ``places``."""
    for each in body if isinstance(body, list) else ():
        yield from declared(each, places, keys)
    for name, value in body.items() if isinstance(body, dict) else ():
        yield from (schemas_in if name in places else partial(declared, places=places))(value, keys=keys)


@cache
def bodies(shared: Path) -> list[Any]:
    found = []
    for corpus in ("corpus", "corpus2"):
        with gzip.open(shared / corpus / "exchanges.jsonl.gz", "rt", encoding="utf-8") as lines:
            texts = ((json.loads(line)["request"].get("body") or {}).get("text") for line in lines)
            found += [read(text) for text in texts if text]
    return found


@cache
def of_tools(shared: Path) -> dict[str, Any]:
    """Every distinct schema of a tool's arguments in both corpora, by its text."""
    return {json.dumps(each): each for body in bodies(shared) for each in declared(body, WITH_TOOLS, OF_TOOLS)}


@cache
def of_answers(shared: Path) -> dict[str, Any]:
    """Every distinct schema of an answer."""
    return {json.dumps(each): each for body in bodies(shared) for each in declared(body, WITH_ANSWERS, OF_ANSWERS)}


def read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # a form, or a file
        return None


def in_json_schema(schema: Any) -> Any:
    """Google's spelling of types as JSON Schema has it."""
    if isinstance(schema, list):
        return [in_json_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    named = (
        {"type": TYPES[kind] if isinstance(kind, int) else kind.lower()} if _is_kind(kind := schema.get("type")) else {}
    )
    return {**{word: in_json_schema(value) for word, value in schema.items()}, **named}


def _is_kind(value: object) -> bool:
    return isinstance(value, int | str)


def test_every_recorded_tool_gets_three_sets_of_arguments_that_fit(shared: Path) -> None:
    assert len(of_tools(shared)) >= 200
    for text, schema in of_tools(shared).items():
        for number in range(3):
            fit = fitting(schema, number=number, arguments=True)
            if text in NOTHING_FITS:
                assert fit.text is None
                assert NOTHING_FITS[text] in fit.why
                continue
            assert fit.text is not None, (text, fit.why)
            assert fits(in_json_schema(schema), json.loads(fit.text)), (text, fit.text)


def test_every_recorded_schema_of_an_answer_gets_three_answers_that_fit(shared: Path) -> None:
    assert len(of_answers(shared)) >= 20
    for text, schema in of_answers(shared).items():
        for number in range(3):
            fit = fitting(schema, number=number)
            assert fit.text is not None, (text, fit.why)
            assert fits(in_json_schema(schema), json.loads(fit.text)), (text, fit.text)


def test_optional_members_come_and_go(shared: Path) -> None:
    """Of the recorded schemas with optional members, each is tried without them, and with them."""
    tried = 0
    for schema in of_tools(shared).values():
        members = schema.get("properties")
        optional = set(members or ()) - set(schema.get("required") or ())
        if str(schema.get("type")).lower() != "object" or not optional:
            continue
        least, most = (set(json.loads(str(fitting(schema, number=at, arguments=True).text))) for at in (0, 1))
        assert not least & optional, schema
        assert optional <= most, schema
        tried += 1
    assert tried >= 15
