"""The output that a run returns: an object in place of a text, which the model has given as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.finding import Finding, broken
from harness.rules.arguments import members
from harness.rules.evidence import json_words
from harness.rules.model import rule
from harness.rules.run_history import what_returns
from harness.rules.tool_input import first_difference
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import JsonValue
from harness.wire import Text


@dataclass(frozen=True, slots=True)
class _ModelOutput:
    """An object that the model has given as the output (``what`` it is), and the schema that was declared for it."""

    what: str
    value: Mapping[str, Any]
    schema: Any


@rule(
    "reported/run-output",
    "MUST",
    "unsafe",
    "The output that a run returns as an object means what the model gave: the arguments of an output call of its "
    "last turn, or the JSON object that its last text is. What the schema does not declare may be left out, and "
    "defaults may be added. Where the last turn gives none, none is returned, such as that of an earlier "
    "run. Nothing is expected of a run that returns no output.",
    why="The program goes on with values that the model never gave.",
    source="Tool Call Flow Diagrams, Tool Kind Hierarchy: the arguments of an output tool are the result of the run",
    needs=("events", "exchanges"),
    scope="run",
)
def _output(view: TraceView) -> Iterator[Finding]:
    final, last = what_returns(view), view.last
    if final is None or final[1].output is None or final[1].outcome != "completed":
        return
    at, event = final
    if at < last.at or not last.runnable or view.edited(last):
        return
    candidates = list(_candidates(view, last))
    if any(_is_same(each, event.output) for each in candidates):
        return
    expected = " or ".join(f"{each.what}: {json_words(dict(each.value))}" for each in candidates)
    if candidates or (isinstance(event.output, dict) and not _says(event.output, last.turn.text)):
        got = json_words(event.output)
        yield broken(at, expected or "no output, since the last turn gives none", got, "the output of the run")


def _candidates(view: TraceView, last: Ask) -> Iterator[_ModelOutput]:
    """What may be the output: of several calls the loop may refuse some, and so each of them may be the one."""
    calls = [call for call in view.calls_of(last) if view.kind(call) == "output"]
    offered = last.full.tools if last.full is not None else ()
    for call in calls:
        value = members(call.call.arguments)
        if value is not None:
            schema = next((tool.parameters for tool in offered if tool.name == call.call.name), {})
            yield _ModelOutput(f"the arguments of {call.call.name}", value, schema)
    text = "".join(part.text for part in last.turn.parts if isinstance(part, Text))
    if not last.calls and text.strip() and (value := members(text)) is not None:
        yield _ModelOutput("the object in the model's last text", value, {})


def _is_same(candidate: _ModelOutput, output: JsonValue) -> bool:
    """Whether the output means what was given. An object may be written out as JSON, one that only wraps another value
    may be taken off, and a member may be of another type."""
    returned = members(output) if isinstance(output, str) and output.strip() else output
    if not isinstance(returned, dict):
        return [output] == [*candidate.value.values()]
    found = first_difference(candidate.value, returned, candidate.schema)
    return found is None or found.level == "SHOULD"


def _says(output: Mapping[str, JsonValue], text: str) -> bool:
    """Whether the object only wraps the text, as some loops return every answer."""
    return text in output.values()
