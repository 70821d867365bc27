"""What a loop reports and sends of results, what its run returns, and what it emits too late."""

from __future__ import annotations

import json
from dataclasses import replace

from harness.wire import Result
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak


@rewriting
def print_results(entries: list[Entry]) -> None:
    """Every result is what Python prints of it."""
    for at, (role, part, place) in enumerate(entries):
        if isinstance(part, Result):
            entries[at] = (role, replace(part, output=_printed(part.output)), place)


@rewriting
def wrap_results(entries: list[Entry]) -> None:
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
