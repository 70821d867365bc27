"""Finds things in the body of a posted request, for the edits that make it wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from itertools import pairwise
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.lenient import objects
from harness.wire.openai_responses.items import ARGUMENTS, OUTPUTS, kind_of
from harness.wire.openai_responses.rules.kinds import CALL_KINDS
from harness.wire.posted import Edit, Posted, drop

CALLS: Final = tuple(ARGUMENTS)
RESULTS: Final = tuple(OUTPUTS)

GO_ON: Final[Json] = {"role": "user", "content": "Go on."}
"""A message of the user."""

OTHER_TEXT: Final[Json] = {"role": "assistant", "content": "Something else."}
"""Something that the model has not said."""

BUILT_IN_CALLS: Final = {
    "shell": CALL_KINDS["shell_call"],
    "local-shell": CALL_KINDS["local_shell_call"],
    "patch": CALL_KINDS["apply_patch_call"],
    "computer": CALL_KINDS["computer_call"],
    "search": CALL_KINDS["tool_search_call"],
}
"""The kinds of calls that the provider knows, by what edits are called that are about one."""


# --- items ------------------------------------------------------------------------------------------------------


def items(posted: Posted) -> list[Json]:
    """The input items, to be changed in place; empty if the input is a text."""
    found = posted.body.get("input")
    return found if isinstance(found, list) else []


def of_kind(posted: Posted, *kinds: str) -> list[Json]:
    """The items of some kinds, in order; changes to them change the request."""
    return [item for item in items(posted) if kind_of(item) in kinds]


def with_id(posted: Posted, *kinds: str) -> list[Json]:
    """The items of some kinds that have an id."""
    return [item for item in of_kind(posted, *kinds) if item.get("id")]


def last(posted: Posted, *kinds: str) -> list[Json]:
    """The last item of some kinds; empty if there is none."""
    return of_kind(posted, *kinds)[-1:]


def place_of(posted: Posted, item: Json) -> int:
    """The place of an item."""
    return next(at for at, each in enumerate(items(posted)) if each is item)


def is_by(item: Json, *roles: str) -> bool:
    """Whether an item is a message of one of these roles."""
    return kind_of(item) == "message" and item.get("role") in roles


def messages(posted: Posted, *roles: str) -> list[Json]:
    """The messages of some roles."""
    return [item for item in items(posted) if is_by(item, *roles)]


def single(posted: Posted, *kinds: str) -> list[Json]:
    """The calls or outputs whose id no other item of these kinds has."""
    found = of_kind(posted, *kinds)
    times = Counter(item.get("call_id") for item in found)
    return [item for item in found if times[item.get("call_id")] == 1]


def answered_calls(posted: Posted) -> list[tuple[Json, Json]]:
    """Each call in the request with its output, where both ids are used once."""
    outputs = {item.get("call_id"): item for item in single(posted, *RESULTS)}
    calls = [call for call in single(posted, *CALLS) if call.get("call_id") in outputs]
    return [(call, outputs[call.get("call_id")]) for call in calls]


def known_outputs(posted: Posted) -> list[Json]:
    """The outputs of calls in the request or in the response that it names; each id used once."""
    called = {item.get("call_id") for item in of_kind(posted, *CALLS)}
    known = bool(posted.body.get("previous_response_id"))
    return [item for item in single(posted, *RESULTS) if known or item.get("call_id") in called]


def reasoning_with_item(posted: Posted) -> list[tuple[Json, Json]]:
    """Each reasoning item with the model's item right after it."""
    history = items(posted)
    return [
        (item, after)
        for item, after in pairwise(history)
        if kind_of(item) == "reasoning" and (kind_of(after) in CALLS or is_by(after, "assistant"))
    ]


def function_call(call_id: str, **members: str) -> Json:
    """A call of a tool that the base requests declare."""
    return {"type": "function_call", "call_id": call_id, "name": "read_file", "arguments": "{}", **members}


def result_of(call_id: str) -> Json:
    """What a call has returned."""
    return {"type": "function_call_output", "call_id": call_id, "output": "ok"}


# --- the request ------------------------------------------------------------------------------------------------


def names_its_history(posted: Posted) -> bool:
    """Whether the request names earlier turns instead of sending them."""
    return bool(posted.body.get("previous_response_id") or posted.body.get("conversation"))


def stores_nothing(posted: Posted) -> bool:
    """Whether the response is not to be stored."""
    return posted.body.get("store") is False


def is_deepseeks(posted: Posted) -> bool:
    """Whether one of DeepSeek's thinking models is asked, and has made calls."""
    return str(posted.body.get("model")).startswith("deepseek-v") and bool(of_kind(posted, *CALLS))


def tools(posted: Posted, *kinds: str) -> list[Json]:
    """The tools of some kinds that a request declares."""
    return [tool for tool in objects(posted.body.get("tools")) if tool.get("type") in kinds]


def functions(posted: Posted) -> list[Json]:
    """The functions that a request declares, with their schemas."""
    return [tool for tool in tools(posted, "function") if isinstance(tool.get("parameters"), dict)]


# --- edits ------------------------------------------------------------------------------------------------------


def say(posted: Posted, *new: Any, at: int | None = None) -> bool:
    """Send further items, before place ``at`` (None: at the end). Returns whether the input is a list of items."""
    found = posted.body.get("input")
    if isinstance(found, list):
        start = len(found) if at is None else at
        found[start:start] = deepcopy(new)
    return isinstance(found, list)


def leave_out(posted: Posted, found: Iterable[Json]) -> bool:
    """Do not send these items. Returns whether there was one."""
    lost = [id(each) for each in found]
    if lost:
        items(posted)[:] = [each for each in items(posted) if id(each) not in lost]
    return bool(lost)


def exchange(posted: Posted, item: Json, *new: Json) -> bool:
    """Send other items instead of this one."""
    at = place_of(posted, item)
    return say(posted, *new, at=at) and leave_out(posted, [item])


def send_twice(posted: Posted, found: list[Json]) -> bool:
    """Send the first of these items twice."""
    for item in found[:1]:
        return say(posted, item, at=place_of(posted, item))
    return False


def forget(kind: str, partner: str) -> Edit:
    """The last item of a kind is not sent, the one that it belongs to is."""
    return lambda it: bool(of_kind(it, partner)) and not names_its_history(it) and leave_out(it, last(it, kind))


def drop_ids(posted: Posted) -> bool:
    """Remove the ids of all items; references keep theirs."""
    return drop((item for item in items(posted) if kind_of(item) != "item_reference"), "id")


def ask(posted: Posted, model: str, effort: str = "", **members: Any) -> bool:
    """Ask another model, with these settings."""
    posted.body["model"] = model
    if effort:
        posted.body["reasoning"] = {"effort": effort}
    else:
        posted.body.pop("reasoning", None)
    posted.body.update(members)
    return True
