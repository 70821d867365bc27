"""What a loop reports and sends of results, what its run returns, and what it emits too late."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.trace import Final, ToolResult, ToolStart
from harness.wire import Result
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak
from harness_lab.mutants.traces.edits import alter, judged_by
from harness_lab.mutants.traces.mutant import EquivalentTrace, TraceMutant

_ONE_CALL = "tool-returns"
_NUMBERS = "system-prompt"
_LONG = "text-streamed-at-length"
_OUTPUT = "output-tool-ends-the-run"
_ANSWER = "answer-mended-to-fit"
_LATE = judged_by(paced=True)
"""The runs are recorded without an SDK: their loop reads each response as a whole, and emits all of it then."""


def _print_results(entries: list[Entry]) -> None:
    """Every result is what Python prints of it."""
    for at, (role, part, place) in enumerate(entries):
        if isinstance(part, Result):
            entries[at] = (role, replace(part, output=_printed(part.output)), place)


def _wrap_results(entries: list[Entry]) -> None:
    """Every result is a member of an object."""
    for at, (role, part, place) in enumerate(entries):
        if isinstance(part, Result):
            wrapped = json.dumps({"status": "done", "value": json.loads(part.output)})
            entries[at] = (role, replace(part, output=wrapped), place)


def _printed(output: str) -> str:
    try:
        return json.dumps({"output": repr(json.loads(output))})
    except ValueError:
        raise NothingToBreak from None


MUTANTS = (
    TraceMutant(
        "result-printed",
        "A result goes back as Python prints it.",
        "history/result-value",
        rewriting(_print_results),
        _ONE_CALL,
    ),
    TraceMutant(
        "output-empty",
        "A result is reported without what the tool returned.",
        "reported/output",
        alter(ToolResult, output=None),
        _ONE_CALL,
    ),
    TraceMutant(
        "output-of-nobody",
        "A result is reported with a number that the tool did not return.",
        "reported/output",
        alter(ToolResult, output={"sky": "clear", "celsius": 20}),
        _ONE_CALL,
    ),
    TraceMutant(
        "failure-as-ok",
        "A call that failed is reported as ok.",
        "reported/ok",
        alter(ToolResult, ok=True),
        "tool-raises",
        also=("history/result-error",),
    ),
    TraceMutant(
        "input-of-nobody",
        "The start of a call shows a number that the model did not write.",
        "reported/input",
        alter(ToolStart, input={"basin": "Förde", "hour": 12}),
        _NUMBERS,
    ),
    TraceMutant(
        "usage-invented",
        "A run returns the usage of one answer.",
        "reported/usage",
        alter(Final, usage={"input": 64, "output": 32}),
        _ONE_CALL,
    ),
    TraceMutant(
        "output-of-nobody-returned",
        "A run returns an output that the model did not give.",
        "reported/run-output",
        alter(Final, output={"verdict": "sour", "score": 5}),
        _OUTPUT,
    ),
    TraceMutant(
        "output-in-part",
        "A run returns a part of the output.",
        "reported/run-output",
        alter(Final, output={"verdict": "sour"}),
        _OUTPUT,
    ),
    TraceMutant(
        "another-object-returned",
        "A run returns another object than the one that the model's text is.",
        "reported/run-output",
        alter(Final, output={"verdict": "sweet", "score": 4}),
        _ANSWER,
    ),
    TraceMutant(
        "output-without-any",
        "A run returns an output, and the model gave none.",
        "reported/run-output",
        alter(Final, output={"verdict": "sour"}),
        _ONE_CALL,
    ),
    TraceMutant(
        "history-of-questions",
        "A run returns a history without the model.",
        "reported/history",
        alter(Final, history=[{"role": "user"}]),
        _ONE_CALL,
    ),
    TraceMutant(
        "text-late", "Text is emitted when the turn has ended.", "timing/text", _LATE, _LONG, also=("timing/thinking",)
    ),
    TraceMutant(
        "thinking-late",
        "Thinking is emitted when the turn has ended.",
        "timing/thinking",
        _LATE,
        _LONG,
        also=("timing/text",),
    ),
    TraceMutant(
        "preview-late",
        "The only preview is emitted when the turn has ended.",
        "timing/preview",
        _LATE,
        "long-page",
        ("openai-responses", "openai-chat", "anthropic-messages"),
        also=("timing/start", "timing/text"),
    ),
    TraceMutant(
        "start-late",
        "The start of a call is emitted when the turn has ended.",
        "timing/start",
        _LATE,
        "long-page",
        ("openai-responses", "openai-chat", "anthropic-messages"),
        also=("timing/preview", "timing/text"),
    ),
)

CONCURRENT = (
    TraceMutant(
        "waited-in-vain",
        "A tool has waited for another call of its turn that did not end.",
        "execution/concurrent",
        judged_by(waited=("sonar",)),
        "results-as-they-come",
    ),
)

EQUIVALENTS = (
    EquivalentTrace("result-wrapped", "A loop may wrap a result.", rewriting(_wrap_results), _ONE_CALL),
    EquivalentTrace(
        "output-summarised", "An output is a summary.", alter(ToolResult, output={"sky": "cl...", "more": 4}), _ONE_CALL
    ),
    EquivalentTrace("output-in-words", "An output may be a text.", alter(ToolResult, output="19 degrees"), _ONE_CALL),
    EquivalentTrace("input-shortened", "An input is a summary.", alter(ToolStart, input={"hour": 11}), _NUMBERS),
    EquivalentTrace("usage-not-returned", "A run need not return its usage.", alter(Final, usage=None), _ONE_CALL),
    EquivalentTrace(
        "history-of-items",
        "The history that a run returns may be the provider's own, an entry for every part.",
        alter(
            Final,
            history=[
                {"role": "user"},
                {"type": "message", "content": [{"text": "Let me look."}]},
                {"type": "function_call", "name": "get_weather"},
                {"type": "function_call_output"},
                {"type": "message", "content": [{"text": "Clear and 19 degrees."}]},
            ],
        ),
        _ONE_CALL,
    ),
    EquivalentTrace("run-without-output", "A run need not return its output.", alter(Final, output=None), _OUTPUT),
    EquivalentTrace(
        "output-with-a-default",
        "A loop may add what the schema has by default.",
        alter(Final, output={"verdict": "sour", "score": 4.0, "cups": 1}),
        _OUTPUT,
    ),
    EquivalentTrace(
        "output-written-out",
        "An output may be written out as JSON.",
        alter(Final, output='{"score": 4, "verdict": "sour"}'),
        _ANSWER,
    ),
    EquivalentTrace(
        "answer-as-output",
        "A loop may return every answer as an object.",
        alter(Final, output={"response": "Clear and 19 degrees."}),
        _ONE_CALL,
    ),
    EquivalentTrace(
        "history-not-returned", "A run need not return its history.", alter(Final, history=None), _ONE_CALL
    ),
)
