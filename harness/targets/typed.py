"""Tools as typed Python functions, for libraries that read a tool's parameters from a function's signature."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import WithJsonSchema

from harness.trace import JsonValue

if TYPE_CHECKING:
    from harness.targets.tools import CallableTool

_F = TypeVar("_F", bound=Callable[..., Any])

_TYPES: Mapping[JsonValue, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict,
    "null": type(None),
}


_OF_LITERALS = ("string", "integer", "boolean")


def python_type(schema: JsonValue) -> Any:
    """The annotation that a person would write for a parameter of this JSON Schema; ``object`` if none is obvious."""
    values = schema.get("enum") if isinstance(schema, dict) and schema.get("type") in _OF_LITERALS else None
    return Literal[tuple(values)] if isinstance(values, list) and values else _plain_type(schema)


def _plain_type(schema: JsonValue) -> Any:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(schema, dict) and kind == "array":
        return list[python_type(schema.get("items"))]  # type: ignore[misc]
    return _TYPES.get(kind, object) if isinstance(kind, str) else object


def checked_type(schema: JsonValue) -> Any:
    """The type with which pydantic checks an argument. The model gets ``schema`` for it unchanged.

    For a schema with references the model gets the type's own schema: a signature has nothing to refer to.
    """
    if not isinstance(schema, dict) or '"$ref"' in json.dumps(schema):
        return python_type(schema)
    return Annotated[_plain_type(schema), WithJsonSchema(schema)]


def signed(
    function: _F,
    tool: CallableTool,
    annotation: Callable[[JsonValue], Any] = python_type,
    context: Any = None,
    *,
    described: bool = True,
) -> _F:
    """``function``, which takes any keywords, with the name, the docstring and the signature of ``tool``.

    ``annotation`` gives the type of a parameter from its schema; the parameter's description is beside it, as people
    write it (``Annotated[str, "Where."]``), unless the library takes none there (``described=False``). A parameter that
    is not required is None by default. If the library passes a function more than the model's arguments, ``context``
    is the type of that first parameter.
    """
    required = _required_names(tool)
    parameters = [
        _parameter(name, schema, annotation, name in required, described) for name, schema in _properties(tool).items()
    ]
    if context is not None:
        parameters.insert(0, inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=context))
    made: Any = function
    made.__name__ = made.__qualname__ = tool.name
    made.__doc__ = tool.description
    made.__signature__ = inspect.Signature(parameters)
    made.__annotations__ = {each.name: each.annotation for each in parameters}
    return function


def _parameter(
    name: str, schema: JsonValue, annotation: Callable[[JsonValue], Any], required: bool, described: bool
) -> inspect.Parameter:
    default = inspect.Parameter.empty if required else None
    kind = annotation(schema) if required else annotation(schema) | None
    description = schema.get("description") if isinstance(schema, dict) else None
    if described and isinstance(description, str):
        # Some libraries take the first word beside the type for the description, and some look at no other.
        beside = getattr(kind, "__metadata__", ())
        kind = Annotated[(kind.__origin__ if beside else kind, description, *beside)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def typed_arguments(tool: CallableTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The ``arguments`` that the model wrote, without the defaults that a signature added."""
    required = _required_names(tool)
    return {name: value for name, value in arguments.items() if value is not None or name in required}


def _properties(tool: CallableTool) -> Mapping[str, JsonValue]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}


def _required_names(tool: CallableTool) -> list[JsonValue]:
    required = tool.parameters.get("required")
    return required if isinstance(required, list) else []
