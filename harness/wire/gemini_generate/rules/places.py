"""Finding things in the body of any request of this wire, whichever way its members are spelled."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from harness.wire.base import Json
from harness.wire.gemini_generate.models import MODELS
from harness.wire.posted import Posted


@dataclass(frozen=True, slots=True)
class FoundPart:
    """A part, where it is, and what it holds."""

    parts: list[Json]
    index: int
    held: Any

    @property
    def part(self) -> Json:
        """The part itself; changes to it change the request."""
        return self.parts[self.index]


def _snake(name: str) -> str:
    return re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", name)


def member(value: Json, name: str, otherwise: Any = None) -> Any:
    """A member in either spelling."""
    return value.get(name, value.get(_snake(name), otherwise))


def replace(value: Json, name: str, new: Any) -> None:
    """Set a member in the spelling that it has; None takes it away."""
    spelled = _snake(name) if _snake(name) in value else name
    if new is None:
        value.pop(spelled, None)
    else:
        value[spelled] = new


def contents(posted: Posted) -> list[Json]:
    """The history, to be changed in place."""
    found: list[Json] = posted.body["contents"]
    return found


def parts(history: list[Json], kind: str) -> list[FoundPart]:
    """The parts of some contents that hold one kind of thing, in order."""
    return [
        FoundPart(content["parts"], index, member(part, kind))
        for content in history
        for index, part in enumerate(content["parts"])
        if member(part, kind) is not None
    ]


def call_turns(posted: Posted) -> list[tuple[int, list[FoundPart]]]:
    """Every content with calls, by its index, with its calls."""
    return [(at, calls) for at, content in enumerate(contents(posted)) if (calls := parts([content], "functionCall"))]


def answer_turns(posted: Posted) -> list[tuple[int, list[FoundPart]]]:
    """Every content with responses, by its index, with its responses."""
    return [
        (at, answers)
        for at, content in enumerate(contents(posted))
        if (answers := parts([content], "functionResponse"))
    ]


def texts_in(history: list[Json]) -> list[FoundPart]:
    """The parts that are text and no thoughts."""
    return [found for found in parts(history, "text") if not found.part.get("thought")]


def signature(found: FoundPart) -> bytes:
    """The decoded signature of a part; empty without one."""
    text = member(found.part, "thoughtSignature") or ""
    standard = text.replace("-", "+").replace("_", "/")
    return base64.b64decode(standard + "=" * (-len(standard) % 4))


def functions(posted: Posted) -> list[Json]:
    """The declarations of the first tool that declares functions."""
    for tool in member(posted.body, "tools") or ():
        if declared := member(tool, "functionDeclarations"):
            found: list[Json] = declared
            return found
    return []


def generation(posted: Posted) -> Json:
    """The settings of the answer, made if there are none."""
    return _settings(posted.body, "generationConfig")


def thinking_config(posted: Posted) -> Json:
    """The settings of thinking, made if there are none."""
    return _settings(generation(posted), "thinkingConfig")


def _settings(value: Json, name: str) -> Json:
    if not isinstance(member(value, name), dict):
        replace(value, name, {})
    settings: Json = member(value, name)
    return settings


def model(posted: Posted) -> str:
    """The model that the path names."""
    found = re.search(r"/([^/:]+):(?:generate|streamGenerate)Content", posted.path)
    return found[1] if found else ""


def fact(posted: Posted, name: str) -> Any:
    """What is known of the model that is asked."""
    return MODELS.value(name, model(posted))


# --- edits that several rules state ------------------------------------------------------------------------------


def settle(value: Json, **members: Any) -> bool:
    """Set members in the spelling that they have; None takes one away."""
    for name, new in members.items():
        replace(value, name, new)
    return True


def set_held(posted: Posted, kind: str, **members: Any) -> bool:
    """Settle members of the last call or response that has them."""
    found = [each for each in parts(contents(posted), kind) if all(member(each.held, n) is not None for n in members)]
    return bool(found) and settle(found[-1].held, **members)


def of_the_model(posted: Posted) -> list[Json]:
    """The contents of the model."""
    return [content for content in contents(posted) if content.get("role") == "model"]


def last_answers(posted: Posted) -> list[Json]:
    """The last content with responses; none without one."""
    return [contents(posted)[at] for at, _ in answer_turns(posted)[-1:]]


def begin_with_the_last_calls(posted: Posted) -> bool:
    """Remove everything in front of the last calls, so that no user's turn precedes them."""
    turns = call_turns(posted)
    if turns:
        del contents(posted)[: turns[-1][0]]
    return bool(turns)


def answers_behind(posted: Posted, at: int) -> list[FoundPart]:
    """The responses in the content after this one."""
    return parts(contents(posted)[at + 1 : at + 2], "functionResponse")


def answer_to_the_last(posted: Posted, at: int, calls: list[FoundPart]) -> FoundPart:
    """The response to the last call of a content: the one with its id, or the last."""
    answers = answers_behind(posted, at)
    wanted = member(calls[-1].held, "id")
    return next((each for each in answers if member(each.held, "id") == wanted), answers[-1])


InATurn = Callable[[Posted, int, list[FoundPart]], object]


def in_the_last_turn(posted: Posted, change: InATurn, *, calls: int = 1) -> bool:
    """Change the last content with so many calls and an answer to each after it."""
    for at, found in reversed(call_turns(posted)):
        if len(found) >= calls and len(answers_behind(posted, at)) == len(found):
            change(posted, at, found)
            return True
    return False


def encoded(signature: bytes) -> str:
    """A signature as the API writes it."""
    return base64.b64encode(signature).decode()


def signed_calls(posted: Posted) -> list[FoundPart]:
    """The calls with a signature, in order."""
    return [call for call in parts(contents(posted), "functionCall") if member(call.part, "thoughtSignature")]


def sign(calls: Iterable[FoundPart], text: str | Callable[[FoundPart], str] | None) -> bool:
    """Give parts another signature; None takes it away. Returns whether there was a part."""
    signed = list(calls)
    for call in signed:
        replace(call.part, "thoughtSignature", text(call) if callable(text) else text)
    return bool(signed)


def ask(posted: Posted, name: str) -> bool:
    """Ask another model."""
    posted.path = posted.path.replace(f"/{model(posted)}:", f"/{name}:")
    return True
