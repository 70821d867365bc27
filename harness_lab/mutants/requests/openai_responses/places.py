"""Where the items of a request are, for somebody who wants to change them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.posted import Posted

CALLS: Final = ("function_call", "custom_tool_call")
OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")


def items(posted: Posted) -> list[Json]:
    """The input items, to be changed where they stand; none where the input is a text."""
    found = posted.body.get("input")
    return found if isinstance(found, list) else []


def kind_of(item: Json) -> str:
    """The type of an item; a message may leave it out."""
    return str(item.get("type", "message" if "role" in item else ""))


def places(posted: Posted, *kinds: str) -> list[int]:
    """The places of the items of some kinds, in order."""
    return [place for place, item in enumerate(items(posted)) if kind_of(item) in kinds]


def last(posted: Posted, *kinds: str) -> Json | None:
    """The last item of some kinds."""
    found = places(posted, *kinds)
    return items(posted)[found[-1]] if found else None


def is_by(item: Json, *roles: str) -> bool:
    """Whether an item is a message of one of these roles."""
    return kind_of(item) == "message" and item.get("role") in roles


def messages(posted: Posted, *roles: str) -> list[Json]:
    """The messages of some roles."""
    return [item for item in items(posted) if is_by(item, *roles)]


def single(posted: Posted, *kinds: str) -> list[int]:
    """The places of calls or outputs whose id no other item of these kinds has."""
    found = places(posted, *kinds)
    times = Counter(items(posted)[place].get("call_id") for place in found)
    return [place for place in found if times[items(posted)[place].get("call_id")] == 1]


def names_its_history(posted: Posted) -> bool:
    """Whether the request names earlier turns instead of sending them."""
    return bool(posted.body.get("previous_response_id") or posted.body.get("conversation"))


def answered_calls(posted: Posted) -> Iterator[tuple[int, int]]:
    """The places of each call in the request and of its output, where both ids are used once."""
    outputs = {items(posted)[place].get("call_id"): place for place in single(posted, *OUTPUTS)}
    for place in single(posted, *CALLS):
        output = outputs.get(items(posted)[place].get("call_id"))
        if output is not None:
            yield place, output


def reasoning_with_item(posted: Posted) -> Iterator[tuple[int, int]]:
    """The places of each reasoning item and of the model's item right behind it."""
    history = items(posted)
    for place, following in enumerate(range(1, len(history))):
        item, after = history[place], history[following]
        if kind_of(item) == "reasoning" and (kind_of(after) in CALLS or is_by(after, "assistant")):
            yield place, following


def functions(posted: Posted) -> list[Json]:
    """The function tools that a request declares, with their schemas."""
    tools: Any = posted.body.get("tools")
    declared = tools if isinstance(tools, list) else []
    return [tool for tool in declared if tool.get("type") == "function" and isinstance(tool.get("parameters"), dict)]
