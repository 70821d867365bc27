"""The pieces of a request in the JSON of six wires: its calls, results, words and thinking, and the same with a change.

No function knows the wire: a piece is known by its members. Nothing that is given is changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Any, Final, Literal

Json = dict[str, Any]
Kind = Literal["call", "result", "text", "thinking", "other"]
Change = Callable[[Kind, Json], Json | list[Json] | None]
"""Takes a piece and what it is; returns what stands in its place, or None where nothing does."""

_TYPES: Final[dict[str, Kind]] = {
    **dict.fromkeys(("tool_use", "function_call", "function"), "call"),
    **dict.fromkeys(("tool_result", "function_call_output", "function_result"), "result"),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning", "thought"), "thinking"),
    **dict.fromkeys(("text", "output_text", "model_output"), "text"),
}
_MEMBERS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("toolUse", "functionCall", "function_call"), "call"),
    **dict.fromkeys(("toolResult", "functionResponse", "function_response", "tool_call_id"), "result"),
    "reasoningContent": "thinking",
}
_INNER: Final = ("toolUse", "functionCall", "function_call", "toolResult", "functionResponse", "function_response")
_HISTORIES: Final = ("messages", "input", "contents")
_ARGUMENTS: Final = ("arguments", "input", "args")
_RESULT_IDS: Final = ("tool_call_id", "tool_use_id", "call_id", "toolUseId", "id")


def kind(piece: Json) -> Kind:
    """What a piece is."""
    for member, found in _MEMBERS.items():
        if member in piece:
            return found
    if piece.get("thought") is True:
        return "thinking"
    if piece.get("type") == "message":
        return "text" if piece.get("role") == "assistant" else "other"
    return _TYPES.get(piece.get("type", ""), "text" if "text" in piece else "other")


def is_of_the_model(entry: Json) -> bool:
    """Whether an entry of a history is the model's."""
    if "role" in entry:
        return entry["role"] in ("assistant", "model")
    return kind(entry) in ("call", "thinking", "text")


def entries_of(body: Json) -> list[Json]:
    """The history of a request; a question alone is an entry."""
    for name in _HISTORIES:
        if isinstance(found := body.get(name), list):
            return found
    return []


def with_entries(body: Json, entries: Sequence[Json]) -> Json:
    """The request with another history."""
    name = next(name for name in _HISTORIES if name in body)
    return {**body, name: list(entries)}


def changed(entries: Sequence[Json], change: Change) -> list[Json]:
    """The entries with a change of each piece; an entry of which nothing is left is left out."""
    return [new for entry in deepcopy(list(entries)) for new in _changed(entry, change)]


def pieces(entries: Sequence[Json]) -> list[tuple[Kind, Json]]:
    """The pieces of a history, in order."""
    found: list[tuple[Kind, Json]] = []

    def note(what: Kind, piece: Json) -> Json:
        found.append((what, piece))
        return piece

    changed(entries, note)
    return found


def edited(body: Json, what: Kind, edit: Callable[[int, Json], Json | list[Json] | None]) -> Json:
    """The request with a change of all pieces of a kind, by their number."""
    at = -1

    def change(kind: Kind, piece: Json) -> Json | list[Json] | None:
        nonlocal at
        if kind != what or (what in ("text", "thinking") and not _is_of_the_models_turn(body, piece)):
            return piece
        at += 1
        return edit(at, piece)

    return with_entries(body, changed(entries_of(body), change)) if entries_of(body) else body


def _is_of_the_models_turn(body: Json, piece: Json) -> bool:
    """Whether a text is in a turn of the model's: users have texts, too."""
    own = [each for kind, each in pieces([e for e in entries_of(body) if is_of_the_model(e)]) if kind != "other"]
    return piece in own


def _changed(entry: Json, change: Change) -> Iterator[Json]:
    member = _holder(entry)
    if member:
        entry[member] = [new for piece in entry[member] for new in _all(change(kind(piece), piece))]
        yield from [entry] if entry[member] else []
    elif entry.get("role") == "assistant" and "type" not in entry:
        yield from _changed_message(entry, change)
    else:
        yield from _all(change(kind(entry), entry))


def _holder(entry: Json) -> str:
    """The member that has the pieces of an entry; empty where the entry is one piece, or a message of Chat's."""
    if "tool_calls" in entry or kind(entry) != "other":
        return ""
    return next((name for name in ("content", "parts") if isinstance(entry.get(name), list)), "")


def _changed_message(message: Json, change: Change) -> Iterator[Json]:
    """A message of the model's on Chat, whose words, thinking and calls are members."""
    for name, what in (("reasoning_content", "thinking"), ("content", "text")):
        if isinstance(message.get(name), str) and message[name]:
            new = list(_all(change(what, {"text": message[name]})))  # type: ignore[arg-type] # a piece
            message[name] = "".join(each["text"] for each in new) if new else None
            if not new and name == "reasoning_content":
                del message[name]
    if calls := message.get("tool_calls"):
        message["tool_calls"] = [new for piece in calls for new in _all(change("call", piece))]
        if not message["tool_calls"]:
            del message["tool_calls"]
    if message.get("content") or message.get("tool_calls"):
        yield message


def _all(value: Json | list[Json] | None) -> list[Json]:
    return [] if value is None else value if isinstance(value, list) else [value]


# --- members of a piece -----------------------------------------------------------------------------------------


def inner(piece: Json) -> Json:
    """The object of a call or a result that has its name and arguments."""
    if isinstance(piece.get("function"), dict):
        return piece["function"]  # type: ignore[no-any-return] # JSON: an object, as was asked
    return next((piece[name] for name in _INNER if isinstance(piece.get(name), dict)), piece)


def arguments_of(piece: Json) -> Any:
    """The arguments of a call, read."""
    found: Any = next((inner(piece)[name] for name in _ARGUMENTS if name in inner(piece)), {})
    if not isinstance(found, str):
        return found
    try:
        return json.loads(found or "{}")
    except ValueError:
        return found


def put_arguments(piece: Json, arguments: Any) -> None:
    """Give a call other arguments, in the form that it has them in."""
    holder = inner(piece)
    name = next((name for name in _ARGUMENTS if name in holder), "args")
    holder[name] = json.dumps(arguments) if isinstance(holder.get(name), str) else arguments


def result_id(piece: Json) -> tuple[Json, str]:
    """The object and the member in which a result names its call."""
    holder = inner(piece)
    return holder, next((name for name in _RESULT_IDS if name in holder), "")


def text_of(piece: Json) -> str:
    """The words of a text."""
    if isinstance(piece.get("text"), str):
        return str(piece["text"])
    content = piece.get("content")
    return content if isinstance(content, str) else "".join(map(text_of, content or []))


def with_text(piece: Json, change: Callable[[str], str]) -> Json:
    """The text with other words."""
    if isinstance(piece.get("text"), str):
        return {**piece, "text": change(piece["text"])}
    content = piece.get("content")
    if isinstance(content, str):
        return {**piece, "content": change(content)}
    return {**piece, "content": [with_text(each, change) for each in content or []]}


def with_tools(body: Json, change: Callable[[list[Json]], list[Json]]) -> Json:
    """The request with other declarations of tools; each is the object that has the name."""
    if isinstance(config := body.get("toolConfig"), dict) and "tools" in config:
        specs = change([each["toolSpec"] for each in config["tools"] if "toolSpec" in each])
        named = [{"toolSpec": each} for each in specs]
        left = {key: value for key, value in body.items() if key != "toolConfig"}
        return {**left, "toolConfig": {**config, "tools": named}} if named else left
    tools: list[Json] = body.get("tools") or []
    if not tools:
        return body
    left = {key: value for key, value in body.items() if key not in ("tools", "tool_choice", "toolConfig")}
    for name in ("functionDeclarations", "function_declarations"):
        if name in tools[0]:
            declared = change([tool for each in tools for tool in each.get(name) or []])
            return {**left, "tools": [{name: declared}]} if declared else left
    if isinstance(tools[0].get("function"), dict):
        new: list[Json] = [
            {"type": "function", "function": each} for each in change([tool["function"] for tool in tools])
        ]
    else:
        new = change(tools)
    return {**left, "tools": new} if new else left
