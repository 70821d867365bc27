"""Runs of tools, read from the spans that frameworks write for them, and the rules that need such runs.

T-1 results that were exchanged, T-2 calls that ran twice, T-3 runs before the model had finished, T-4 runs of calls
that the token limit cut off. A span of a run is no proof that the tool ran: a framework may write one for a call that
it refused to run.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from harness.finding import Finding, Impact, Level
from harness.rules.evidence import quote
from harness.spans import TraceSpan
from harness.spans.turns import RecordedRun
from harness.spans.whole import recorded_json
from harness.wire import Call, FinishReason, Result


@dataclass(frozen=True, slots=True)
class RunRule:
    """A rule about runs of tools."""

    id: str
    level: Level
    impact: Impact
    statement: str
    why: str

    def broken(self, expected: str, got: str, level: Level | None = None) -> Finding:
        """The rule, broken."""
        return Finding(f"tool-runs/{self.id}", level or self.level, self.impact, None, expected, got, reference=self.id)


_SWAPPED: Final = RunRule(
    "T-1",
    "MUST",
    "unsafe",
    "The result of a call is what the run of that call has returned.",
    "The model takes the result of another call for this one's, and nobody can see it in the requests.",
)
_TWICE: Final = RunRule(
    "T-2",
    "SHOULD",
    "unsafe",
    "A call runs once; after a run that failed it may run again.",
    "What a tool changes is changed twice.",
)
_EARLY: Final = RunRule(
    "T-3",
    "INFO",
    "unsafe",
    "No tool runs before the response that calls it has ended.",
    "An answer may still be refused, cut off or broken when a call in it is whole.",
)
_CUT: Final = RunRule(
    "T-4",
    "MUST",
    "unsafe",
    "A call of a turn that the token limit cut off does not run.",
    "Arguments that were cut and then mended are not those that the model was writing.",
)

RUN_RULES: Final = (_SWAPPED, _TWICE, _EARLY, _CUT)


# --- reading ------------------------------------------------------------------------------------------------


def run_of(span: TraceSpan) -> RecordedRun:
    """The run of a tool that a span is about."""
    attributes = span.attributes
    output, _ = recorded_json(_first(attributes, _RESULTS))
    arguments, _ = recorded_json(_first(attributes, _ARGUMENTS))
    beside = output if isinstance(output, dict) else {}
    message = beside.get("data") if isinstance(beside.get("data"), dict) else beside
    id = _first(attributes, _IDS) or (message or {}).get("tool_call_id") or _id_in(arguments)
    result = (message or {}).get("content", output) if "tool_call_id" in (message or {}) else output
    status = str((message or {}).get("status") or "")
    stage = str(attributes.get("pydantic_ai.tool.failure_stage") or "")
    ok = False if span.failed or status == "error" or stage else None if result is None else True
    how: Literal["ran", "refused", "unknown"] = "refused" if stage == "validation" else "ran" if ok else "unknown"
    name = str(_first(attributes, _NAMES) or span.name)
    return RecordedRun(
        span.trace, span.id, str(id or ""), name, arguments, result, ok, span.began, span.ended, how, span.place.line
    )


_IDS: Final = ("gen_ai.tool.call.id", "tool_call.id", "tool.call.id", "tool.id")
_NAMES: Final = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "tool_arguments", "input.value", "langfuse.observation.input")
_RESULTS: Final = ("gen_ai.tool.call.result", "tool_response", "output.value", "langfuse.observation.output")


def _first(attributes: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((attributes[name] for name in names if attributes.get(name) not in (None, "")), None)


def _id_in(arguments: Any) -> str:
    return (
        str(arguments.get("id") or "") if isinstance(arguments, dict) and arguments.get("type") == "tool_call" else ""
    )


# --- the rules ----------------------------------------------------------------------------------------------


def broken_by_runs(
    calls: Sequence[Call],
    stop: FinishReason | None,
    ended: int,
    results: Sequence[Result],
    runs: Callable[[str], Sequence[RecordedRun]],
) -> Iterator[Finding]:
    """The findings from the runs of a turn's calls.

    ``stop`` is why the model stopped (None: unknown), and ``ended`` when its response ended (0: unknown).
    ``results`` are the results in the next request, and ``runs`` returns the runs of a call by its id.
    """
    by_call = {call.id: list(runs(call.id)) for call in calls if call.id}
    for call in calls:
        found = by_call.get(call.id or "", [])
        yield from _swapped_results(call, found, results, by_call)
        yield from _repeated_runs(call, found)
        if any(ended and 0 < run.began < ended for run in found):
            yield _EARLY.broken(f"{call.name} {call.id} to run after the response", "a run that began before its end")
        if stop is FinishReason.MAX_TOKENS and any(run.how == "ran" for run in found):
            yield _CUT.broken(f"no run of {call.name} {call.id}, which the token limit cut off", "it has run")


def _swapped_results(
    call: Call, runs: Sequence[RecordedRun], results: Sequence[Result], by_call: Mapping[str, Sequence[RecordedRun]]
) -> Iterator[Finding]:
    sent = [result.output for result in results if result.id == call.id]
    ran = [run for run in runs if run.how == "ran"]
    if len(sent) != 1 or not ran or any(_same(run.result, sent[0]) for run in ran):
        return
    own = quoted(ran[-1].result)
    for other, its_runs in by_call.items():
        if other != call.id and any(run.how == "ran" and _same(run.result, sent[0]) for run in its_runs):
            got = f"the result of {other}: {quoted(sent[0])}"
            yield _SWAPPED.broken(f"the result of {call.name} {call.id}: {own}", got)
            return
    yield _SWAPPED.broken(f"the result of {call.name} {call.id}: {own}", quoted(sent[0]), "INFO")


def _repeated_runs(call: Call, runs: Sequence[RecordedRun]) -> Iterator[Finding]:
    """Findings about runs after a successful run."""
    succeeded = next((at for at, run in enumerate(runs) if run.how == "ran"), None)
    if succeeded is not None and any(run.how == "ran" for run in runs[succeeded + 1 :]):
        yield _TWICE.broken(f"one run of {call.name} {call.id}", f"{len(runs)} runs")


def _same(result: Any, sent: str) -> bool:
    """Whether a run's result is what was sent: the same JSON value, or the same text."""
    if _value(result) == _value(sent):
        return True
    return str(result).strip() == sent.strip()


def _value(value: Any) -> Any:
    for _ in range(2):  # a text with JSON, which a tracer may have written as JSON once more
        if not isinstance(value, str):
            break
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            break
    return value


def quoted(value: Any) -> str:
    """The beginning of a value, for a finding."""
    return quote(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
