"""The messages of a product's front end, beside those that its own program has sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from harness.cli.watch import MESSAGE_FORMS
from harness.trace import Event, Failure, Final, TurnStart
from harness.watch.forms import FORMS
from harness_lab.recorded.golden import traces_of
from harness_lab.recorded.reading.golden import read_runs

FORM = FORMS["screenshot-to-code"]


def sent(events: Iterable[Event]) -> list[dict[str, Any]]:
    return [message for event in events for message in FORM.event(event)]


def test_the_messages_of_recorded_runs_come_out_as_they_were_sent(shared: Path) -> None:
    """Each recording is read into our events, and these are written as messages again."""
    runs = read_runs(shared / "golden" / "screenshot-to-code")
    kinds = set()
    for run, trace in zip(runs, traces_of(runs), strict=True):
        recorded = json.loads(run.path.read_text(encoding="utf-8"))["events"]
        messages = sent(record.event for _, record in trace.events if not isinstance(record.event, Final | Failure))
        ours = [{name: value for name, value in each.items() if name != "variantIndex"} for each in messages]
        # A page that was taken from the last text is in our form a part of the end, which says it again.
        theirs = [_named(each) for each in recorded[: len(ours)]]
        assert [each["type"] for each in recorded[len(ours) :]] in ([], ["setCode"]), run.name
        assert ours == theirs, run.name
        kinds |= {each["type"] for each in ours}
    assert kinds == {"assistant", "thinking", "toolStart", "toolResult", "setCode"}


def _named(message: dict[str, Any]) -> dict[str, Any]:
    """A tool without a name has an empty one in our events, where the program sends null."""
    data = message.get("data")
    return message if data is None or data["name"] is not None else {**message, "data": {**data, "name": ""}}


@pytest.mark.parametrize(
    ("event", "messages"),
    [
        (TurnStart(1), []),
        (Final("<p>", "completed", "Done."), [("setCode", "<p>"), ("variantComplete", "Variant generation complete")]),
        (Final("", "refused", "No."), [("variantComplete", "Variant generation complete")]),
        (Failure("http", "gone"), [("variantError", "gone")]),
    ],
)
def test_the_end_of_a_run_is_the_end_of_its_variant(event: Event, messages: list[tuple[str, str]]) -> None:
    assert [(each["type"], each["value"]) for each in sent([event])] == messages


def test_the_command_offers_every_form() -> None:
    assert tuple(FORMS) == MESSAGE_FORMS
