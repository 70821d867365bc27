"""Rules that a content or a part breaks alone: GEM-01, 02, 03, 11, 14, and the form of signatures (GEM-09)."""

from __future__ import annotations

from harness.wire.base import Violation
from harness.wire.gemini_generate.continuation.request import Found, Request, place, placed_parts
from harness.wire.gemini_generate.parts import signature_bytes
from harness.wire.json_text import compact

__all__ = ["base64", "contents_given", "names_given", "objects", "parts_given", "roles"]

_ROLES = {"user", "model", "function"}
_ROLE = "Please use a valid role: user, model."
_ROLE_3 = (
    "Role '{role}' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, DEVELOPER, CONTEXT, "
    "USER_CONTEXT, MODEL, USER."
)

_OBJECTS = (
    ("functionCall", "args", "function_call.args"),
    ("functionResponse", "response", "function_response.response"),
)


def objects(request: Request) -> Found:
    """GEM-14: arguments and responses are objects."""
    for placed in placed_parts(request.contents):
        for key, member, path in _OBJECTS:
            holder = placed.part.get(key)
            value = holder.get(member) if isinstance(holder, dict) else None
            if value is not None and not isinstance(value, dict):
                shown = compact(value)
                message = f"Invalid value at '{placed.at}.{path}' (type.googleapis.com/google.protobuf.Struct), {shown}"
                yield Violation("GEM-14", message, placed.at, f"{member}: a JSON object", shown, level="L")


def base64(request: Request) -> Found:
    """GEM-09, the form: a signature is base64."""
    for placed in placed_parts(request.contents):
        signature = placed.part.get("thoughtSignature")
        if isinstance(signature, str) and signature_bytes(signature) is None:
            field = f"'{placed.at}.thought_signature' (TYPE_BYTES)"
            message = f'Invalid value at {field}, Base64 decoding failed for "{signature}"'
            yield Violation("GEM-09", message, placed.at, "base64", signature, level="L")


def contents_given(request: Request) -> Found:
    """GEM-01: there are contents."""
    if not request.contents:
        message = "* GenerateContentRequest.contents: contents is not specified\n"
        yield Violation("GEM-01", message, "contents", "at least one content", "none")


def parts_given(request: Request) -> Found:
    """GEM-02: every content has parts."""
    for content in request.contents:
        if not content.parts:
            at = place(content)
            message = f"* GenerateContentRequest.{at}.parts: contents.parts must not be empty.\n"
            yield Violation("GEM-02", message, at, "at least one part", "no parts")


def names_given(request: Request) -> Found:
    """GEM-11: calls and responses have a name."""
    for placed in placed_parts(request.contents):
        for key, path in (("functionCall", "function_call"), ("functionResponse", "function_response")):
            if isinstance(placed.part.get(key), dict) and not placed.part[key].get("name"):
                message = f"* GenerateContentRequest.{placed.at}.{path}.name: Name cannot be empty.\n"
                yield Violation("GEM-11", message, placed.at, "the function's name", "no name")


def roles(request: Request) -> Found:
    """GEM-03: roles are user and model; function is tolerated."""
    for content in request.contents:
        if content.role not in _ROLES:
            message = _ROLE_3.format(role=content.role) if request.version >= (3, 0) else _ROLE
            yield Violation("GEM-03", message, place(content), "user or model", content.role)
