"""Native output items, and the neutral turn that they become.

An item is one entry of a response's ``output`` list: ``message``, ``reasoning``, ``function_call``,
``custom_tool_call``, or one of the many built-in kinds, which have no neutral part and are only carried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, string
from harness.wire.turn import Call, FinishReason, Part, Refusal, StreamError, Text, ThinkingPart, Turn, Usage

ARGUMENTS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
"""The kinds of tool call that the harness reads, each with the member that holds the model's argument text."""

OUTPUTS: Final = {"function_call_output": "function_call", "custom_tool_call_output": "custom_tool_call"}
"""The kinds of tool output, each with the kind of call that it answers."""

PIECES: Final[dict[str, tuple[str, str, Json]]] = {
    "response.output_text": ("content", "text", {"type": "output_text", "annotations": []}),
    "response.refusal": ("content", "refusal", {"type": "refusal"}),
    "response.reasoning_text": ("content", "text", {"type": "reasoning_text"}),
    "response.reasoning_summary_text": ("summary", "text", {"type": "summary_text"}),
    "response.function_call_arguments": ("", "arguments", {}),
    "response.custom_tool_call_input": ("", "input", {}),
}
"""The events that carry an item's text in pieces, without ``.delta`` or ``.done``. Each has the item's list that the
text belongs to (``""``: the item itself), the member with the text, and the other members of an entry of the list."""

NO_USAGE: Final = Usage(input=0, output=0)
"""The usage of a response without ``usage``: an unfinished or a failed one."""


def item_id_of(event: Mapping[str, Any]) -> str:
    """The id of the item that an event is about; ``""`` for none. llama.cpp's server names items only so."""
    item = event.get("item")
    return string(item.get("id") if isinstance(item, dict) else event.get("item_id"))


def kind_of(item: Mapping[str, Any]) -> str:
    """An item's ``type``, which a message may leave out; ``""`` if it has no readable one."""
    return string(item.get("type")) if "type" in item else "message" if "role" in item else ""


def parts_of(item: Mapping[str, Any]) -> tuple[Part, ...]:
    """The neutral parts of one item; none for a kind that has no neutral form."""
    kind = kind_of(item)
    if kind == "message":
        return tuple(_message_parts(item))
    if kind == "reasoning":
        return (_thinking(item),)
    if kind in ARGUMENTS:
        return (Call(_text(item.get("name")), _text(item.get(ARGUMENTS[kind])), id=_text(item.get("call_id"))),)
    return ()


def beyond_parts(item: Json) -> tuple[str, ...]:
    """``Wire.beyond_parts``: an item of a built-in kind, and the sources of a text."""
    kind = kind_of(item)
    if kind not in ("message", "reasoning", *ARGUMENTS):
        return (kind or "an item without a type",)
    return ("annotations",) if any(part.get("annotations") for part in _parts(item.get("content"))) else ()


def _message_parts(item: Mapping[str, Any]) -> Iterator[Part]:
    for part in _parts(item.get("content")):
        if part.get("type") == "output_text":
            yield Text(_text(part.get("text")), phase=_text(item.get("phase")))
        elif part.get("type") == "refusal":
            yield Refusal(_text(part.get("refusal")))


def _thinking(item: Mapping[str, Any]) -> ThinkingPart:
    text = thinking_text(item)
    return ThinkingPart(text, "plain" if text else "omitted", _text(item.get("encrypted_content")))


def thinking_text(item: Mapping[str, Any]) -> str:
    """The reasoning that can be read: the summary, or the raw reasoning that open-weight servers send."""
    parts = _parts(item.get("summary")) or _parts(item.get("content"))
    return "\n\n".join(_text(part.get("text")) for part in parts)


def _text(value: Any) -> str:
    """``value`` as text; servers that copy the format also send null, or arguments as an object."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact(value)


def pieces_of(item: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Every text of an item that a stream sends in pieces: the name of its events, its place, and the whole text."""
    for stem, (collection, member, entry) in PIECES.items():
        if collection:
            for place, part in enumerate(_parts(item.get(collection))):
                if part.get("type") == entry["type"]:
                    yield stem, place, _text(part.get(member))
        elif ARGUMENTS.get(str(item.get("type"))) == member:
            yield stem, 0, _text(item.get(member))


def _parts(value: Any) -> list[Json]:
    return [part if isinstance(part, dict) else {} for part in entries(value)]


def assembled(item: Json, texts: Mapping[tuple[str, int], str]) -> Json:
    """An item that never came whole, with the text that arrived for it (by event and place, as in ``pieces_of``)."""
    whole: Json = {**item}
    for (stem, _), text in texts.items():
        collection, member, entry = PIECES[stem]
        if collection:
            whole[collection] = [*_parts(whole.get(collection)), {**entry, member: text}]
        else:
            whole[member] = text
    return whole


def stop_of(parts: Iterable[Part], status: str | None, reason: str | None) -> FinishReason:
    """Why the model stopped. Only an ``incomplete`` response has a reason; otherwise it follows from the parts.

    An unknown reason counts as a token limit, because both say that the output is not whole.
    """
    if status == "incomplete" and reason != "steered":  # that one is over, and its successor follows by itself
        return FinishReason.CONTENT_FILTER if reason == "content_filter" else FinishReason.MAX_TOKENS
    kinds = {type(part) for part in parts}
    if Call in kinds:
        return FinishReason.TOOL_CALLS
    return FinishReason.REFUSAL if Refusal in kinds else FinishReason.END


def usage_of(usage: Any) -> Usage:
    """The token counts of a response; zero if it has none."""
    if not isinstance(usage, Mapping):
        return NO_USAGE
    return Usage(
        input=usage.get("input_tokens") or 0,
        output=usage.get("output_tokens") or 0,
        reasoning=members(usage.get("output_tokens_details")).get("reasoning_tokens") or 0,
        cached=members(usage.get("input_tokens_details")).get("cached_tokens") or 0,
    )


def turn_of(items: Iterable[Json], response: Mapping[str, Any], error: StreamError | None, *, complete: bool) -> Turn:
    """The neutral turn of ``items``. ``response`` is the last response object that came; it may be empty."""
    parts = tuple(part for item in items for part in parts_of(item))
    reason = members(response.get("incomplete_details")).get("reason")
    return Turn(
        parts=parts,
        stop=stop_of(parts, response.get("status"), reason),
        usage=usage_of(response.get("usage")),
        error=error,
        ending="complete" if complete or error else "eof",
    )


# --- what a request says of its history --------------------------------------------------------------------------


def input_items(request: Mapping[str, Any]) -> list[Json]:
    """The input items of a request. An entry that is no object becomes an empty one, so that places stay right."""
    return [item if isinstance(item, dict) else {} for item in entries(request.get("input"))]


def conversation_id(request: Mapping[str, Any]) -> str | None:
    """The id of the ``conversation`` that the request belongs to; it may be sent as a text or as an object."""
    value = request.get("conversation")
    if isinstance(value, dict):
        value = value.get("id")
    return value if isinstance(value, str) and value else None
