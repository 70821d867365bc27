"""What mutants look for in a request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.openai_chat.models import MAKER, MODELS, OPENAI, REASONING_WANTED
from harness.wire.posted import Posted

_ISSUED: Final = re.compile(r"call_[A-Za-z0-9]{24}")


def messages(posted: Posted) -> list[Json]:
    """The history, to be changed where it stands; none where another mistake has left none."""
    found = posted.body.get("messages")
    return found if isinstance(found, list) else []


def of_role(posted: Posted, *roles: str) -> list[int]:
    """Where messages of these roles stand."""
    history = messages(posted)
    return [at for at, message in enumerate(history) if isinstance(message, dict) and message.get("role") in roles]


def blocks(posted: Posted) -> list[int]:
    """Where assistant messages with calls stand."""
    return [at for at in of_role(posted, "assistant") if messages(posted)[at].get("tool_calls")]


def results_of(posted: Posted, block: int) -> list[int]:
    """Where the results of a block stand."""
    results = set(of_role(posted, "tool"))
    return list(takewhile(results.__contains__, range(block + 1, len(messages(posted)))))


def thoughts(posted: Posted, *, issued: bool = False) -> list[int]:
    """Where thinking goes back beside calls, and must. ``issued``: only where the endpoint knows what it was.

    The ids that the endpoint gives have a form of their own; of calls with other ids it knows nothing.
    """
    wanted, thinking = fact(posted, REASONING_WANTED), posted.body.get("thinking")
    mode = thinking.get("type") if isinstance(thinking, dict) else None
    if not wanted or mode == "disabled" or (wanted == "when enabled" and mode != "enabled"):
        return []
    found = [at for at in blocks(posted) if messages(posted)[at].get("reasoning_content")]
    return [at for at in found if not issued or all(map(_is_issued, messages(posted)[at]["tool_calls"]))]


def _is_issued(call: Json) -> bool:
    return _ISSUED.fullmatch(call.get("id") or "") is not None


def calls(posted: Posted) -> list[Json]:
    """Every call, in order."""
    return [call for at in blocks(posted) for call in messages(posted)[at]["tool_calls"]]


def functions(posted: Posted) -> Iterator[Json]:
    """The function of every call and of every declared tool."""
    for each in (*calls(posted), *(posted.body.get("tools") or ())):
        if isinstance(each.get("function"), dict):
            yield each["function"]


def fact(posted: Posted, name: str) -> Any:
    """What is known of the model."""
    return MODELS.value(name, str(posted.body.get("model") or ""))


def maker(posted: Posted) -> str:
    """Return who makes the model of the request; "" where nobody knows."""
    return str(fact(posted, MAKER) or "")


def is_strict(posted: Posted) -> bool:
    """Whether OpenAI's own server would read it."""
    return maker(posted) in (OPENAI, "")
