"""Values on their way back to Gemini: parts as the API's JSON, without characters that UTF-8 cannot encode."""

from __future__ import annotations

from typing import Any

from harness.wire import ToolDeclaration
from harness.wire.characters import sendable_value

Json = dict[str, Any]


def response_part(call: Json, result: Any, ok: bool) -> Json:
    """The answer to ``call`` (a native functionCall): its name, and its id only if it had one.

    The API has no flag for a failure; by convention the object has ``output`` or ``error``. A result that already
    is an object with ``error`` is sent unchanged.
    """
    if ok:
        payload = {"output": result}
    else:
        payload = result if isinstance(result, dict) and "error" in result else {"error": result}
    response: Json = {"name": call["name"], "response": sendable_value(payload)}
    if call.get("id"):
        response["id"] = call["id"]
    return {"functionResponse": response}


def declaration(tool: ToolDeclaration) -> Json:
    """A tool with its parameters as plain JSON Schema."""
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}
