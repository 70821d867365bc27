"""What shows that a call has run: an event of the trace, or the result that the next request contains.

If a loop runs its own tools and reports nothing about them, only its requests show what it has done. A result is
certain evidence if it is a known result of the tool: the return value in the scenario, or a result of the same tool in
a turn whose calls may be run. Any other result is evidence only if it cannot be read as a refusal to run the call, and
it is certain only on a wire that can mark a failure. If the trace has events of tools, a call without any counts as not
run, and a text alone is no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.finding import Level
from harness.ground.cached import kept
from harness.rules.arguments import is_object
from harness.rules.evidence import json_words, quote, run_sign
from harness.rules.steps import Step, canonical_arguments
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask, ReportedCall
from harness.wire import Call, Result
from harness.wire.results import is_distinct, reports_success, says


@dataclass(frozen=True, slots=True)
class Execution:
    """What shows that a call has run: the record ``at``, in words (``sign``), and how sure it is (``level``)."""

    at: int
    sign: str
    level: Level = "MUST"


@dataclass(frozen=True, slots=True)
class ReturnedResult:
    """The result of a call in the request that goes on, and the call as it went back (None: unknown)."""

    step: Step
    result: Result
    went: Call | None


def execution(view: TraceView, call: ReportedCall) -> Execution | None:
    """The first evidence that ``call`` has run; None if there is none."""
    if call.tool is not None and call.tool.ran_at is not None:
        at = call.tool.ran_at
        return Execution(at, f"{run_sign(view.trace.records[at])}{_input(call)}")
    if call.tool is not None and any(result.ok is False for _, result in call.tool.results):
        return None  # the loop has reported that the call failed
    if view.edited(call.ask):
        return None
    answer = answers(view, call.ask).get(call.index)
    if answer is None or (level := _level(view, call, answer.result)) is None:
        return None
    return Execution(answer.step.ask.at, _sign(call.call, answer), level)


def answers(view: TraceView, ask: Ask) -> Mapping[int, ReturnedResult]:
    """The results of the calls that ``ask`` got, by the place of the call, from the first request with any."""
    return _answers(view).get(ask.number, {})


@kept
def _answers(view: TraceView) -> dict[int, Mapping[int, ReturnedResult]]:
    """The same for each request, by its number."""
    found: dict[int, Mapping[int, ReturnedResult]] = {}
    for step in view.steps:
        if step.answered.number not in found and (results := results_by_call(step)):
            found[step.answered.number] = results
    return found


@kept
def results_by_call(step: Step) -> dict[int, ReturnedResult]:
    """The results in the request, by the place of their call in the turn.

    A result is matched by the id that the call came with, or else by the id under which it went back. Remaining results
    belong to the remaining calls in order, if they are equally many and no name contradicts: a loop may strip ids.
    """
    calls = step.answered.calls
    results = _new_results(step)
    went = _went(step)
    found: dict[int, int] = {}
    for known in ([call.id for call in calls], [call.id if call is not None else None for call in went]):
        for place, id in enumerate(known):
            at = next(
                (at for at, each in enumerate(results) if id and each.id == id and at not in found.values()), None
            )
            if place not in found and at is not None:
                found[place] = at
    open_calls = [place for place in range(len(calls)) if place not in found]
    open_results = [at for at in range(len(results)) if at not in found.values()]
    if step.parting is None and len(open_calls) == len(open_results):
        pairs = list(zip(open_calls, open_results, strict=True))
        if all(results[at].name in ("", calls[place].name) for place, at in pairs):
            found |= dict(pairs)
    return {place: ReturnedResult(step, results[at], went[place]) for place, at in sorted(found.items())}


def of_another(view: TraceView, ask: Ask, place: int, result: Result) -> str | None:
    """The other tool of the turn whose declared return value is this call's result; None if there is none."""
    own = ask.calls[place].name
    returns = view.case.returns
    others = {call.name for call in ask.calls if call.name != own and is_distinct(returns.get(call.name))}
    if not others or (own in returns and says(result, returns[own])):
        return None
    return next((name for name in sorted(others) if says(result, returns[name])), None)


def call_words(call: ReportedCall) -> str:
    """The call in a few words: the tool, the call's id, and in which answer it came."""
    return f"{call.call.name} {call.call.id or '(no id)'} in the answer to request {call.ask.number + 1}"


def must_not_run(call: ReportedCall) -> str:
    """What is expected of a call that may not run."""
    made = f"{call.call.id or 'no id'}, in the answer to request {call.ask.number + 1}"
    return f"`{call.call.name}` ({made}) must not run"


def _new_results(step: Step) -> list[Result]:
    """The results that the previous request did not have."""
    start = len(step.before) if step.parting is None else step.parting
    old = [part for _, part in step.before[start:]]
    return [part for _, part in step.after[start:] if isinstance(part, Result) and part not in old]


def _went(step: Step) -> Sequence[Call | None]:
    """The calls of the turn as they went back; None for each if another number went back."""
    calls = step.answered.calls
    went = [part for part in step.went if isinstance(part, Call)] if step.parting is None else []
    return went if len(went) == len(calls) else [None] * len(calls)


def _level(view: TraceView, call: ReportedCall, result: Result) -> Level | None:
    """How sure it is that the result comes from a tool that was run; None: unknown."""
    if any(says(result, value) for value in _known_outputs(view, call.call.name)):
        return "MUST"
    if _reports_tools(view) or not reports_success(result):
        return None
    if of_another(view, call.ask, call.index, result) is not None:
        return None  # which call was run is not known
    return "MUST" if view.wire.marks_failures else "SHOULD"


def _known_outputs(view: TraceView, tool: str) -> Iterator[object]:
    """The known results of the tool."""
    declared = view.case.returns.get(tool)
    if is_distinct(declared):
        yield declared
    for step in view.steps:
        if not step.answered.runnable:
            continue
        for place, answer in results_by_call(step).items():
            call = step.answered.calls[place]
            if call.name == tool and is_object(call.arguments) and reports_success(answer.result):
                yield answer.result.output


def _reports_tools(view: TraceView) -> bool:
    return any(turn.tools for turn in view.turns)


def _input(call: ReportedCall) -> str:
    """The arguments with which the tool was run, if an event reports them; else empty."""
    starts = call.tool.starts if call.tool is not None else []
    reported = next((start.input for _, start in starts if start.input is not None), None)
    return "" if reported is None else f" with {json_words(reported)}, as its toolStart reports"


def _sign(made: Call, answer: ReturnedResult) -> str:
    result = f"the next request has its result: {quote(answer.result.output)}"
    went = answer.went
    if went is None or canonical_arguments(went.arguments) == canonical_arguments(made.arguments):
        return result
    return f"{result}, and the call with the arguments {quote(went.arguments)}"
