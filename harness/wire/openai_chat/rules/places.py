"""Finds things in the body of a posted request, for the edits that make it wrong."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any, Final

from harness.wire.lenient import Json
from harness.wire.openai_chat.models import MAKER, MODELS, OPENAI, REASONING_WANTED
from harness.wire.posted import Posted, put

IMAGE: Final = {"type": "image_url", "image_url": {"url": "https://img.test/a.png"}}
SOUND: Final = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}

_ISSUED: Final = re.compile(r"call_[A-Za-z0-9]{24}")


def messages(posted: Posted) -> list[Json]:
    """The history, to be changed in place; empty if another mistake has removed it."""
    found = posted.body.get("messages")
    return found if isinstance(found, list) else []


def of_role(posted: Posted, *roles: str) -> list[Json]:
    """The messages of these roles."""
    return [message for message in messages(posted) if isinstance(message, dict) and message.get("role") in roles]


def call_turns(posted: Posted) -> list[Json]:
    """The assistant messages with calls."""
    return [message for message in of_role(posted, "assistant") if message.get("tool_calls")]


def silent_turns(posted: Posted) -> list[Json]:
    """The assistant messages without calls."""
    return [message for message in of_role(posted, "assistant") if not message.get("tool_calls")]


def calls(posted: Posted) -> list[Json]:
    """Every call, in order."""
    return [call for message in call_turns(posted) for call in message["tool_calls"]]


def functions(posted: Posted) -> list[Json]:
    """The function of every call and of every declared tool."""
    found = (*calls(posted), *(posted.body.get("tools") or ()))
    return [each["function"] for each in found if isinstance(each.get("function"), dict)]


def place_of(posted: Posted, message: Json) -> int:
    """The place of this message itself, not of an equal one."""
    return next(at for at, each in enumerate(messages(posted)) if each is message)


def results_of(posted: Posted, turn: Json) -> list[Json]:
    """The results directly after a message with calls."""
    behind = messages(posted)[place_of(posted, turn) + 1 :]
    return list(takewhile(lambda message: isinstance(message, dict) and message.get("role") == "tool", behind))


def first_results(posted: Posted) -> list[Json]:
    """The results of the first message with calls."""
    return [result for turn in call_turns(posted)[:1] for result in results_of(posted, turn)]


def thoughts(posted: Posted, *, issued: bool = False) -> list[Json]:
    """The messages in which thinking goes back beside calls, and must. ``issued``: only what the endpoint issued.

    The endpoint's ids have their own form; it knows nothing about calls with other ids.
    """
    wanted, thinking = fact(posted, REASONING_WANTED), posted.body.get("thinking")
    mode = thinking.get("type") if isinstance(thinking, dict) else None
    if not wanted or mode == "disabled" or (wanted == "when enabled" and mode != "enabled"):
        return []
    found = [message for message in call_turns(posted) if message.get("reasoning_content")]
    return [message for message in found if not issued or all(map(_is_issued, message["tool_calls"]))]


def _is_issued(call: Json) -> bool:
    return _ISSUED.fullmatch(call.get("id") or "") is not None


def fact(posted: Posted, name: str) -> Any:
    """The fact with this name about the model."""
    return MODELS.value(name, posted.model_of_body)


def maker(posted: Posted) -> str:
    """Return the maker of the request's model; "" if it is unknown."""
    return str(fact(posted, MAKER) or "")


def is_strict(posted: Posted) -> bool:
    """Whether OpenAI's own server would read it."""
    return maker(posted) in (OPENAI, "")


# --- changes that several rules state -----------------------------------------------------------------------


def insert(posted: Posted, found: list[Json], *new: Json, behind: bool = True) -> bool:
    """Put messages after each of the found ones, or in front of it. Returns whether there was one."""
    for each in found:
        at = place_of(posted, each) + behind
        messages(posted)[at:at] = new
    return bool(found)


def leave_out(posted: Posted, found: list[Json]) -> bool:
    """Remove these messages. Returns whether there was one."""
    for each in found:
        del messages(posted)[place_of(posted, each)]
    return bool(found)


def rename(posted: Posted, turns: list[Json], number: int, new: str) -> bool:
    """Give one call of each of these messages, and its result, another id. Returns whether there was one."""
    for turn in turns:
        call = turn["tool_calls"][number]
        old, call["id"] = call.get("id"), new
        put([each for each in results_of(posted, turn) if each.get("tool_call_id") == old], tool_call_id=new)
    return bool(turns)


def add_part(posted: Posted, role: str, part: Json) -> bool:
    """Give the last message of a role another part. Returns whether there was one."""
    found = of_role(posted, role)[-1:]
    for message in found:
        content = message.get("content")
        parts = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
        message["content"] = [*parts, part]
    return bool(found)


def show(posted: Posted, part: Json) -> bool:
    """Let the last user message show something. Returns whether there was one."""
    return put(of_role(posted, "user")[-1:], content=[{"type": "text", "text": "Here."}, part])
