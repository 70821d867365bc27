"""Words that ``edges.yaml`` needs besides."""

from __future__ import annotations

from typing import Any

from harness.trace import (
    RequestRecord,
    TurnStart,
)
from harness.wire import Result
from harness_lab.mutants.traces.draft import TraceDraft, numbered, requests, rewrite
from harness_lab.mutants.traces.edits import drop
from harness_lab.mutants.traces.mutant import Edit, draft_edit
from harness_lab.mutants.traces.plain import SYSTEM, USER, PlainRun
from harness_lab.mutants.traces.small_runs.acting import in_request
from harness_lab.mutants.traces.small_runs.changes import (
    cut,
    part,
    request,
    runs,
)

_PROMPT = {"prompt": (("system", SYSTEM), ("user", USER))}


def asked_as(*texts: str, system: str = SYSTEM, **members: Any) -> PlainRun:
    """A run whose first request has these texts of the user's; the case has the prompt of every run."""
    prompt = (("system", system), *(("user", text) for text in texts))
    return PlainRun(runs("depth"), prompt=prompt, case={**_PROMPT, **members})


def with_image(number: int, url: str) -> Edit:
    """The question has an image."""

    def change(body: Any) -> None:
        image = {"type": "image_url", "image_url": {"url": url}}
        next(each for each in body["messages"] if each["role"] == "user")["content"] = [
            {"type": "text", "text": USER},
            image,
        ]

    return lambda draft: rewrite(draft.records, number, change)


@draft_edit
def results_are(draft: TraceDraft, *outputs: str) -> None:
    """The results in all requests are these, in their order; the last one from then on."""
    for number in range(1, len(requests(draft.records))):
        for which in range(number):
            output = outputs[min(which, len(outputs) - 1)]
            in_request(number, part(Result, {"output": output}, which))(draft)


def one_turn_broken_twice(draft: TraceDraft) -> None:
    """Both answers break, and the second request is the first one once more."""
    _, first = numbered(draft.records, RequestRecord, 0)
    for edit in (request(1, body=first.body), cut(0, end="cut"), cut(1, end="cut"), drop(TurnStart, 1)):
        edit(draft)
