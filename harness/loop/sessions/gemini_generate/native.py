"""Values on their way back to Gemini: parts as the API's JSON, without characters that UTF-8 cannot encode."""

from __future__ import annotations

import base64
from typing import Any

from google.genai import types

from harness.wire import ToolDeclaration
from harness.wire.characters import sendable_value
from harness.wire.gemini_generate.parts import camel_keys

Json = dict[str, Any]


def text_part(text: str, part: types.Part) -> Json:
    """A text or thought part with the text ``text`` and all other members of ``part``."""
    native: Json = {"text": text}
    if part.thought:
        native["thought"] = True
    return _signed(native, part)


def call_part(name: str, arguments: Json | None, part: types.Part) -> Json:
    """A call as it came: without arguments or id if it had none."""
    call: Json = {"name": name} if arguments is None else {"name": name, "args": sendable_value(arguments)}
    if part.function_call and part.function_call.id:
        call["id"] = part.function_call.id
    return _signed({"functionCall": call}, part)


def piece_of_call(call: types.FunctionCall) -> Json:
    """A call, or a piece of one, with the received members. A streamed argument may have the value null."""
    piece = camel_keys(_members(call))
    if call.partial_args:
        piece["partialArgs"] = [camel_keys(_members(partial)) for partial in call.partial_args]
    return piece


def other_part(part: types.Part) -> Json:
    """A part that the loop carries but does not read (code, images, server tools)."""
    native: Json = part.model_dump(mode="json", by_alias=True, exclude_none=True)
    return native


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
    if "id" in call:
        response["id"] = call["id"]
    return {"functionResponse": response}


def declaration(tool: ToolDeclaration) -> Json:
    """A tool with its parameters as plain JSON Schema."""
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}


def _members(value: types.FunctionCall | types.PartialArg) -> Json:
    return {name: getattr(value, name) for name in value.model_fields_set}


def _signed(native: Json, part: types.Part) -> Json:
    if part.thought_signature:
        native["thoughtSignature"] = base64.b64encode(part.thought_signature).decode("ascii")
    return native
