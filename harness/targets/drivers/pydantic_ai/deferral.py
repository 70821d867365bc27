"""What becomes of calls that wait: the scenario's words as ``DeferredToolResults``."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolDenied
from pydantic_ai.exceptions import ToolFailed

from harness.errors import BadInput
from harness.scenario import Resolve, Round

__all__ = ["results_for"]


def results_for(requests: DeferredToolRequests, rounds: Iterator[Round]) -> DeferredToolResults | None:
    """The words of as many rounds as it takes to resolve all calls that wait; None where some have none.

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
    """Put what is said of the calls of the tool ``name`` into ``results``."""
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
