"""Steps: the typed pieces of an interaction, and their neutral forms.

A request has steps, too: the user's input (``user_input``), and the results of the calls (``function_result``). The
results may be in the content of a ``user_input`` (two clients send them so, and recordings accept it); ``flattened``
takes them out, so that all forms of a continuation become one list of steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects, string
from harness.wire.turn import Call, Part, Text, ThinkingPart

INPUT: Final = "user_input"
OUTPUT: Final = "model_output"
THOUGHT: Final = "thought"
CALL: Final = "function_call"
RESULT: Final = "function_result"

CONTENTS: Final = frozenset(["text", "image", "audio", "video", "document"])
"""The types of contents in a ``user_input`` or ``model_output``; all other types are types of steps."""


def kind_of(step: Any) -> str:
    """The type of a step or content; empty if it has none."""
    return string(members(step).get("type"))


def is_server_call(kind: str) -> bool:
    """Whether a step of this type is a call that the provider runs itself."""
    return kind.endswith("_call") and kind != CALL


def is_server_result(kind: str) -> bool:
    """Whether a step of this type is the result of such a call."""
    return kind.endswith("_result") and kind != RESULT


def flattened(value: Any) -> Iterator[tuple[Json, str]]:
    """The steps of the member ``input``, each with its place; adjacent contents become one ``user_input``.

    It may be a text, a content, a list of contents or a list of steps. An entry that is no object is an empty step.
    """
    if isinstance(value, str):
        yield {"type": INPUT, "content": [{"type": "text", "text": value}]}, "input"
    elif isinstance(value, dict):
        yield from _step(value, "input")
    else:
        for number, entry in enumerate(entries(value)):
            yield from _step(members(entry), f"input[{number}]")


def _step(step: Json, at: str) -> Iterator[tuple[Json, str]]:
    if kind_of(step) in CONTENTS:
        yield {"type": INPUT, "content": [step]}, at
    elif kind_of(step) == INPUT and any(kind_of(each) == RESULT for each in entries(step.get("content"))):
        yield from _apart(entries(step["content"]), at)
    else:
        yield step, at


def _apart(content: Sequence[Any], at: str) -> Iterator[tuple[Json, str]]:
    """The results of a ``user_input`` as steps, and the contents between them as ``user_input`` steps."""
    for number, each in enumerate(content):
        place = f"{at}.content[{number}]"
        yield (each if kind_of(each) == RESULT else {"type": INPUT, "content": [each]}), place


# --- in neutral words ---------------------------------------------------------------------------------------


def parts_of(step: Json, arguments: str | None = None) -> tuple[Part, ...]:
    """The neutral parts of a model's step; none if it has no neutral form (server tools, images ...).

    ``arguments`` is a call's JSON text as streamed; without it the text is made from the object.
    """
    kind = kind_of(step)
    if kind == OUTPUT:
        texts = (each for each in objects(step.get("content")) if kind_of(each) == "text")
        return tuple(Text(string(each.get("text"))) for each in texts)
    if kind == THOUGHT:
        text, signature = summary_of(step), string(step.get("signature"))
        return (ThinkingPart(text, "plain" if text else "omitted", signature),)
    if kind == CALL:
        text = _arguments(step.get("arguments", {})) if arguments is None else arguments
        return (Call(string(step.get("name")), text, string(step.get("id")), string(step.get("signature"))),)
    return ()


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else compact(value)


def parts_of_steps(steps: Sequence[Json], arguments: Iterable[str | None]) -> tuple[Part, ...]:
    """The parts of ``steps``, in order, without the done calls, which an agent has run itself."""
    done = done_calls(steps)
    return tuple(
        part
        for step, text in zip(steps, arguments, strict=True)
        if kind_of(step) != CALL or step.get("id") not in done
        for part in parts_of(step, text)
    )


def done_calls(steps: Iterable[Json]) -> frozenset[str]:
    """The ids of the calls whose results are among the steps."""
    return frozenset(string(step.get("call_id")) for step in steps if kind_of(step) == RESULT and step.get("call_id"))


def summary_of(thought: Json) -> str:
    """The texts of a thought's summary, joined."""
    return "".join(string(each.get("text")) for each in objects(thought.get("summary")))
