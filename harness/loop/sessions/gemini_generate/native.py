"""Values on their way back to Gemini: parts as the JSON that the API speaks, and nothing that UTF-8 cannot say."""

from __future__ import annotations

import base64
import re
from typing import Any

from google.genai import types

from harness.wire import ToolDeclaration

__all__ = ["call_part", "declaration", "other_part", "response_part", "sendable", "text_part"]

Json = dict[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(value: Any) -> Any:
    """A JSON value with the halves of surrogate pairs joined, and U+FFFD for a half that stands alone."""
    if isinstance(value, str):
        if value.isascii() or _SURROGATE.search(value) is None:
            return value
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {sendable(key): sendable(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(member) for member in value]
    return value


def text_part(text: str, part: types.Part) -> Json:
    """A text or thought part that says ``text`` and keeps what ``part`` has beside it."""
    native: Json = {"text": text}
    if part.thought:
        native["thought"] = True
    return _signed(native, part)


def call_part(name: str, arguments: Json, part: types.Part) -> Json:
    """A call as it came: with the id that it had, or with none."""
    call: Json = {"name": name, "args": sendable(arguments)}
    if part.function_call and part.function_call.id:
        call["id"] = part.function_call.id
    return _signed({"functionCall": call}, part)


def other_part(part: types.Part) -> Json:
    """A part that the loop carries but does not read (code, images, server tools)."""
    native: Json = part.model_dump(mode="json", by_alias=True, exclude_none=True)
    return native


def response_part(call: Json, result: Any, ok: bool) -> Json:
    """The answer to ``call`` (a native functionCall): its name, and its id only if it had one.

    The API has no flag for a failure; by convention the object has ``output`` or ``error``. A result that already
    is an object with ``error`` is sent as it is.
    """
    if ok:
        payload = {"output": result}
    else:
        payload = result if isinstance(result, dict) and "error" in result else {"error": result}
    response: Json = {"name": call["name"], "response": sendable(payload)}
    if "id" in call:
        response["id"] = call["id"]
    return {"functionResponse": response}


def declaration(tool: ToolDeclaration) -> Json:
    """A tool, its parameters as plain JSON Schema."""
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}


def _signed(native: Json, part: types.Part) -> Json:
    if part.thought_signature:
        native["thoughtSignature"] = base64.b64encode(part.thought_signature).decode("ascii")
    return native
