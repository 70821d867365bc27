"""What becomes of calls that wait: the scenario's resolutions as ``DeferredToolResults``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.exceptions import ToolFailed

from harness.errors import BadInput
from harness.scenario import Resolve, Round
from harness.targets.base import CaseRun

_REQUESTS: Final = TypeAdapter(DeferredToolRequests)
_WAITING, _DECIDED = "waiting", "decided"


def keep_waiting(case_run: CaseRun, requests: DeferredToolRequests) -> None:
    """Leave the calls that wait for the next run, if the case has one."""
    if case_run.has_timeline:
        case_run.state[_WAITING] = _REQUESTS.dump_python(requests, mode="json")


def take_waiting(case_run: CaseRun) -> DeferredToolRequests | None:
    """The calls that the previous run has left, if any. They stop waiting, unless ``decided`` returns None."""
    kept = case_run.state.pop(_WAITING, None)
    return None if kept is None else _REQUESTS.validate_python(kept)


def decided(case_run: CaseRun, requests: DeferredToolRequests) -> DeferredToolResults | None:
    """The decisions of this run and of earlier runs. If a call has no decision, all wait on and this is None."""
    kept: Any = case_run.state.pop(_DECIDED, [])
    kept += [[tool, _as_json(words)] for round in case_run.resolve for tool, words in round.items()]
    results = results_for(requests, iter([{tool: _from_json(words)} for tool, words in kept]))
    if results is None:
        case_run.state[_DECIDED] = kept
        keep_waiting(case_run, requests)
    return results


def _as_json(words: Resolve | tuple[Resolve, ...]) -> Any:
    return [[each.how, each.value] for each in words] if isinstance(words, tuple) else {words.how: words.value}


def _from_json(words: Any) -> Resolve | tuple[Resolve, ...]:
    return tuple(Resolve(*each) for each in words) if isinstance(words, list) else Resolve(*next(iter(words.items())))


def results_for(requests: DeferredToolRequests, rounds: Iterator[Round]) -> DeferredToolResults | None:
    """The results from as many rounds as are needed to resolve all calls that wait; None if some stay unresolved.

    The library takes up a run only with the results of all of them.
    """
    results = DeferredToolResults()
    for round in rounds:
        for name, words in round.items():
            _resolve(name, words, requests, results)
        if requests.remaining(results) is None:
            return results
    return None


def _resolve(
    name: str, words: Resolve | tuple[Resolve, ...], requests: DeferredToolRequests, results: DeferredToolResults
) -> None:
    """Put the resolutions of the calls of the tool ``name`` into ``results``."""
    calls = [call.tool_call_id for call in (*requests.calls, *requests.approvals) if call.tool_name == name]
    each = words if isinstance(words, tuple) else (words,) * len(calls)
    if not calls or len(each) != len(calls):
        made = f"{len(each)} calls of {name}" if isinstance(words, tuple) else f"calls of {name}"
        raise BadInput(f"the scenario resolves {made}; {len(calls)} wait")
    for id, word in zip(calls, each, strict=True):
        match word.how:
            case "approve":
                results.approvals[id] = True
            case "deny" if any(call.tool_call_id == id for call in requests.approvals):
                results.approvals[id] = ToolDenied(str(word.value))
            case "deny" | "fail":  # there is no denial of a call that runs elsewhere
                results.calls[id] = ToolFailed(str(word.value))
            case "supply":
                results.calls[id] = word.value
