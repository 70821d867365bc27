"""Tools as functions with a signature: what a library reads off them, and what they are called with."""

from __future__ import annotations

import inspect
from typing import Annotated, Any, Literal, get_args

import pytest
from pydantic import TypeAdapter

from harness.targets.tools import CallableTool
from harness.targets.typed import checked_type, python_type, signed, typed_arguments
from harness.trace import JsonValue


def tool(**parameters: JsonValue) -> CallableTool:
    declared: dict[str, JsonValue] = {"type": "object", **parameters}
    return CallableTool("ask", "Ask somebody.", declared, "function", "", None)  # type: ignore[arg-type]  # never run


@pytest.mark.parametrize(
    ("schema", "type_"),
    [
        ({"type": "string"}, str),
        ({"type": "number"}, float),
        ({"type": "boolean"}, bool),
        ({"type": "object", "properties": {}}, dict),
        ({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}, list[list[int]]),
        ({"type": "array"}, list[object]),
        ({"type": ["string", "null"]}, object),
        ({"enum": [1, 2]}, object),
        (True, object),
    ],
)
def test_a_plain_schema_has_the_type_that_a_person_would_write(schema: JsonValue, type_: Any) -> None:
    assert python_type(schema) == type_


def test_a_function_is_signed_as_its_tool_declares() -> None:
    async def call(**arguments: Any) -> JsonValue:
        return arguments

    made = signed(
        call,
        tool(properties={"who": {"type": "string"}, "times": {"type": "integer"}}, required=["who"]),
    )
    assert inspect.iscoroutinefunction(made)
    assert (made.__name__, made.__doc__) == ("ask", "Ask somebody.")
    assert str(inspect.signature(made)) == "(*, who: str, times: int | None = None)"
    assert made.__annotations__ == {"who": str, "times": int | None}


def test_descriptions_and_enums_of_parameters_are_in_the_signature() -> None:
    def call(**arguments: Any) -> None: ...

    unit: JsonValue = {"type": "string", "enum": ["c", "f"], "description": "The unit."}
    days: JsonValue = {"type": "integer", "description": "How many."}
    asked = tool(properties={"unit": unit, "days": days}, required=["unit"])
    assert signed(call, asked).__annotations__ == {
        "unit": Annotated[Literal["c", "f"], "The unit."],
        "days": Annotated[int | None, "How many."],
    }
    checked = signed(call, asked, checked_type).__annotations__
    assert [get_args(each)[1] for each in checked.values()] == ["The unit.", "How many."]
    assert TypeAdapter(checked["unit"]).json_schema() == unit


def test_what_a_library_hands_on_beside_the_arguments_comes_first() -> None:
    def call(context: bytes, **arguments: Any) -> None: ...

    made = signed(call, tool(properties={"who": {"type": "string"}}, required=["who"]), context=bytes)
    assert str(inspect.signature(made)) == "(context: bytes, *, who: str)"


def test_a_type_is_checked_and_told_as_it_was_declared() -> None:
    schema: JsonValue = {"type": "string", "enum": ["a", "b"], "description": "Which."}
    adapter = TypeAdapter(checked_type(schema))
    assert adapter.json_schema() == schema
    assert adapter.validate_python("c") == "c"  # what stands deeper in a schema is for the model
    with pytest.raises(ValueError, match="valid string"):
        adapter.validate_python(1)


def test_a_schema_that_refers_to_another_is_told_as_its_type() -> None:
    adapter = TypeAdapter(checked_type({"type": "array", "items": {"$ref": "#"}}))
    assert adapter.json_schema() == {"type": "array", "items": {}}


def test_a_tool_is_given_what_the_model_gave() -> None:
    asked = tool(properties={"who": {}, "times": {}}, required=["who"])
    assert typed_arguments(asked, {"who": None, "times": None}) == {"who": None}
    assert typed_arguments(asked, {"who": "you", "times": 0}) == {"who": "you", "times": 0}
