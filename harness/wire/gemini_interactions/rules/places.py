"""Finding things in the body of any request of this wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.wire.base import Json
from harness.wire.gemini_interactions.models import MODELS
from harness.wire.posted import Posted, put

MODEL_STEPS = frozenset(
    [
        *("thought", "model_output", "function_call", "google_search_call", "google_search_result"),
        *("code_execution_call", "code_execution_result"),
    ]
)
"""The steps that the model writes."""


def steps(posted: Posted) -> list[Json]:
    """The steps as the body has them: results may be wrapped."""
    found: list[Json] = posted.body["input"]
    return found


def of_kind(posted: Posted, kind: str) -> list[Json]:
    """The steps of a kind, also inside a ``user_input``; changes to them change the request."""
    found = []
    for step in steps(posted):
        if step["type"] == kind:
            found.append(step)
        elif step["type"] == "user_input":
            found += [each for each in step["content"] if each["type"] == kind]
    return found


def last(posted: Posted, kind: str) -> list[Json]:
    """The last step of a kind, if there is one."""
    return of_kind(posted, kind)[-1:]


def holder_of(posted: Posted, step: Json) -> list[Json]:
    """The list that a step is in."""
    for each in steps(posted):
        if each["type"] == "user_input" and any(inner is step for inner in each["content"]):
            content: list[Json] = each["content"]
            return content
    return steps(posted)


def fact(posted: Posted, name: str) -> Any:
    """What is known of the model that is asked."""
    return MODELS.value(name, posted.body.get("model", ""))


def waiting(posted: Posted) -> list[Json]:
    """The results after the last step of the model."""
    found: list[Json] = []
    for step in reversed(steps(posted)):
        if step["type"] == "function_result":
            found.insert(0, step)
        elif step["type"] == "user_input" and step["content"][0]["type"] == "function_result":
            found = [*step["content"], *found]
        elif step["type"] != "user_input":
            break
    return found


def places_of_calls(posted: Posted) -> list[int]:
    """The places of the calls that the waiting results answer."""
    ids = {result["call_id"] for result in waiting(posted)}
    return [at for at, step in enumerate(steps(posted)) if step["type"] == "function_call" and step["id"] in ids]


def spoken(text: str) -> Json:
    """A step in which the user says something."""
    return {"type": "user_input", "content": [{"type": "text", "text": text}]}


def keep(posted: Posted, which: Callable[[Json], object]) -> bool:
    """Leave every other step out. Returns whether there was one."""
    kept = [step for step in steps(posted) if which(step)]
    fewer = len(kept) < len(steps(posted))
    posted.body["input"] = kept
    return fewer


def remove(posted: Posted, *found: Json) -> bool:
    """Leave these steps out. Returns whether there was one."""
    for step in found:
        steps(posted).remove(step)
    return bool(found)


def configure(posted: Posted, **members: Any) -> bool:
    """Set members of the request's ``generation_config``, which is made if there is none."""
    return put([posted.body.setdefault("generation_config", {})], **members)
