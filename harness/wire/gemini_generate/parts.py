"""Native parts: reading either key spelling, comparing signatures, and folding parts into neutral ones.

Gemini speaks protobuf JSON: every key may come in camelCase or in snake_case, often mixed in one request, and
bytes may come in either base64 alphabet (the official SDK sends signatures back URL-safe). Everything below
normalises first and compares afterwards.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from harness.wire.base import Json, Opaque, Result
from harness.wire.characters import joined
from harness.wire.json_text import compact
from harness.wire.lenient import string
from harness.wire.turn import Call, Part, Text, ThinkingPart

_NAMED = ("functionCall", "functionResponse")
_ROLES = ("user", "model", "function")
_TEXT_KEYS = {"text", "thought", "thoughtSignature"}


class ContentEntry(NamedTuple):
    """One entry of ``contents`` with camelCase keys; ``at`` is its index."""

    role: str
    parts: tuple[Json, ...]
    at: int


def contents(body: Json) -> tuple[ContentEntry, ...]:
    """The history of a request. A single object counts as a list of one, as for the API."""
    return tuple(
        [
            ContentEntry(_role(entry.get("role")), tuple(map(normal_part, listed(entry.get("parts")))), at)
            for at, entry in enumerate(listed(body.get("contents")))
        ]
    )


def _role(value: Any) -> str:
    """The role, in lower case if it is the API's own, which may come in either case (``USER``)."""
    if value in ("user", "model"):
        return str(value)
    role = value if isinstance(value, str) and value else "user"
    return role.lower() if role.lower() in _ROLES else role


def listed(value: Any) -> list[Json]:
    """The objects of a list; a single object counts as a list of one, as for the API."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def camel_keys(value: Json) -> Json:
    """``value`` with its own keys (not the keys below) in camelCase; the same object if they already are."""
    if "_" not in "".join(value):
        return value
    return {_camel(key) if "_" in key else key: member for key, member in value.items()}


def _camel(key: str) -> str:
    head, *words = key.split("_")
    return head + "".join(word.capitalize() for word in words)


def normal_part(part: Json) -> Json:
    """A part with camelCase keys; arguments, responses and unknown members are unchanged."""
    normal = camel_keys(part)
    for name in _NAMED:
        if name in normal and isinstance(named := normal[name], dict) and (camel := camel_keys(named)) is not named:
            normal = {**normal, name: camel}
    return normal


@lru_cache(maxsize=1024)
def signature_bytes(signature: str) -> bytes | None:
    """The decoded signature, from either base64 alphabet, padded or not; None if it is not base64."""
    standard = signature.replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def canonical_signature(signature: str) -> str:
    """The signature in padded standard base64, so that equal bytes are equal text."""
    decoded = signature_bytes(signature)
    return signature if decoded is None else base64.b64encode(decoded).decode("ascii")


def carries_nothing(part: Json) -> bool:
    """Whether it is an empty text part without a signature, the only part that a continuation may drop."""
    return part.get("text") == "" and not part.get("thoughtSignature") and part.keys() <= _TEXT_KEYS


def is_streamed_call(call: Json) -> bool:
    """Whether it is a piece of a call whose arguments are streamed (``partialArgs``, Vertex only)."""
    return not call or bool(call.get("partialArgs")) or bool(call.get("willContinue"))


def begins_call(call: Json) -> bool:
    """Whether this is a whole call, or the first piece of one: only the first piece has a name."""
    return bool(call.get("name")) or not is_streamed_call(call)


def arguments_text(call: Json) -> str:
    """The arguments as JSON. If the end of the call is missing, they stay open, so no loop takes them for whole."""
    text = compact(call.get("args") or {})
    return text.rstrip("}]").removesuffix('"') if is_streamed_call(call) else text


def neutral(parts: Iterable[Json]) -> tuple[Part | Result | Opaque, ...]:
    """Parts with camelCase keys in neutral form: streamed texts joined, signatures in standard base64.

    A signed piece ends its text. Halves of a surrogate pair in separate pieces become one character.
    """
    folded: list[Part | Result | Opaque] = []
    pieces: list[str] = []
    kind: type[Text] | type[ThinkingPart] = Text

    def close(signature: str = "") -> None:
        if pieces:
            text = joined("".join(pieces))
            folded.append(Text(text, signature) if kind is Text else ThinkingPart(text, signature=signature))
            pieces.clear()

    for part in parts:
        if carries_nothing(part):
            continue
        if "text" not in part or not isinstance(part["text"], str):
            close()
            folded.extend(_other(part))
            continue
        wanted = ThinkingPart if part.get("thought") else Text
        if wanted is not kind:
            close()
            kind = wanted
        pieces.append(part["text"])
        if signature := string(part.get("thoughtSignature")):
            close(canonical_signature(signature))
    close()
    return tuple(folded)


def spoken(parts: Iterable[Json]) -> tuple[Part, ...]:
    """The ``neutral`` parts of a response that the model itself wrote."""
    return tuple(part for part in neutral(parts) if not isinstance(part, Result | Opaque))


_MORE = frozenset(["codeExecutionResult", "executableCode", "fileData", "functionResponse", "inlineData"])
"""Members that are the content of a part."""


def beyond_parts(part: Json) -> tuple[str, ...]:
    """``Wire.beyond_parts``: a part that is neither text nor a call."""
    return tuple(sorted(_MORE & camel_keys(part).keys()))


def _other(part: Json) -> list[Part | Result | Opaque]:
    signature = canonical_signature(string(part.get("thoughtSignature")))
    if isinstance(call := part.get("functionCall"), dict):
        return [*_call(call, signature)]
    if isinstance(response := part.get("functionResponse"), dict):
        return [_result(response)]
    kind = next((key for key in part if key not in ("thought", "thoughtSignature")), "empty")
    return [Opaque(kind, part)]


def _call(call: Json, signature: str) -> list[Call]:
    name, call_id = string(call.get("name")), string(call.get("id"))
    return [Call(name, arguments_text(call), call_id, signature)] if begins_call(call) else []


def _result(response: Json) -> Result:
    payload = response.get("response")
    failed = isinstance(payload, dict) and "error" in payload and "output" not in payload
    return Result(string(response.get("id")), compact(payload), string(response.get("name")), failed)
