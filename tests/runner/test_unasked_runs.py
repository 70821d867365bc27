"""A run after the first that has asked the model for nothing: the command or the driver of it may be what is wrong."""

from __future__ import annotations

import pytest

from harness.runner.findings import unasked_runs
from harness.trace import CallerRecord, Case, EventRecord, Failure, Final, Record, RequestRecord, Trace

ASKED = RequestRecord(0, "POST", "/v1/messages", {}, b"{}")
ENDED = EventRecord(Final(""), 0)
AGAIN = CallerRecord("run", "And now?")
RAISED = EventRecord(Failure("raised", "exit code 1\ninteractive mode requires a TTY"), 0)


def trace(*records: Record, profile: str = "coding-agent") -> Trace:
    return Trace(Case("c", "s", "anthropic-messages", profile=profile), records)


def test_a_run_that_raised_before_it_had_asked_is_named_with_what_it_said() -> None:
    (finding,) = unasked_runs(trace(ASKED, ENDED, AGAIN, RAISED))
    assert (finding.rule, finding.impact, finding.at) == ("target/request", "target", 4)
    assert (finding.expected, finding.got) == ("a request of run 2, which goes on with the conversation", "no request")
    assert finding.detail.endswith("It said: exit code 1\ninteractive mode requires a TTY")


@pytest.mark.parametrize(
    "records",
    [
        (ASKED, ENDED),
        (ASKED, RAISED),  # the first run is another finding
        (ASKED, ENDED, AGAIN, ENDED),  # nothing was asked, and nothing went wrong: the rules judge that
        (ASKED, ENDED, AGAIN, EventRecord(Failure("http", "no"), 0)),
        (ASKED, ENDED, AGAIN, RequestRecord(1, "POST", "/v1/messages", {}, b"{}"), RAISED),
    ],
)
def test_other_runs_are_not(records: tuple[Record, ...]) -> None:
    assert list(unasked_runs(trace(*records))) == []


def test_what_a_library_raises_is_its_own() -> None:
    assert list(unasked_runs(trace(ASKED, ENDED, AGAIN, RAISED, profile="universal"))) == []
