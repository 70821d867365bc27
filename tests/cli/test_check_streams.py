"""``harness check --events ag-ui`` as a person meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import pytest

from tests.commands import Printed

Command = Callable[..., tuple[int, str, str]]
RUN = {"threadId": "t", "runId": "r"}
START, END = {"type": "RUN_STARTED", **RUN}, {"type": "RUN_FINISHED", **RUN}
TEXT = [{"type": f"TEXT_MESSAGE_{part}", "messageId": "m"} for part in ("START", "END")]
SECRET = "sk-ant-api03-" + "q7" * 40


@pytest.fixture
def check(harness: Callable[..., Printed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run the command in a folder of its own; its exit code, and both outputs."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: astuple(harness("check", "--events", "ag-ui", *arguments))


def written(*events: object, name: str = "answer.sse") -> str:
    lines = [event if isinstance(event, str) else f"data: {json.dumps(event)}" for event in events]
    Path(name).write_text("".join(f"{line}\n\n" for line in lines), encoding="utf-8")
    return name


def test_a_right_stream_is_exit_code_0_and_never_called_fine(check: Command) -> None:
    code, out, _ = check(written(START, *TEXT, END))
    assert code == 0
    assert out.splitlines() == [
        "1 stream, 0 findings",
        "answer.sse: not judged: what the model has sent, and the runs of tools (they are in no stream)",
    ]


def test_a_broken_rule_is_shown_with_the_line_of_the_stream(check: Command) -> None:
    code, out, _ = check(written(START, TEXT[0], TEXT[0], TEXT[1], END))
    assert code == 1
    assert "agui/pairs" in out
    assert "answer.sse:5" in out
    assert "harness check --events ag-ui answer.sse" in out


def test_malformed_events_are_findings_and_unknown_ones_a_note(check: Command) -> None:
    code, out, _ = check(written(START, "data: {", {"type": "TEXT_SUNG"}, {"type": "TEXT_SUNG"}, END))
    assert code == 1
    assert "agui/form" in out
    assert "no JSON: Expecting property name" in out
    assert "answer.sse: passed over: 2 events of the unknown type TEXT_SUNG" in out


def test_each_run_of_a_stream_is_judged(check: Command) -> None:
    assert check(written(START, *TEXT, END, START, END))[0] == 0
    code, out, _ = check(written(START, *TEXT, END, START))
    assert code == 1
    assert "agui/run-ended" in out


def test_rules_can_be_chosen(check: Command) -> None:
    name = written(START, TEXT[1], END)
    assert check(name, "--skip", "agui/pairs")[0] == 0
    assert check(name, "--rule", "agui/closed")[0] == 0


def test_no_secret_is_shown(check: Command) -> None:
    _, out, _ = check(written(START, {"type": "TEXT_MESSAGE_END", "messageId": SECRET}, {"type": SECRET}, END))
    assert "agui/pairs" in out
    assert "q7q7q7" not in out


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "answer.sse: no event of AG-UI in it; record the answer of the endpoint as it comes"),
        (": hello\n\nNot found\n", "answer.sse:3: no stream of AG-UI: expected 'data: {...}' of server-sent events"),
    ],
)
def test_what_is_no_stream_is_exit_code_2(text: str, error: str, check: Command) -> None:
    Path("answer.sse").write_text(text, encoding="utf-8")
    code, _, said = check("answer.sse", "missing.sse")
    assert code == 2
    assert error in said
    assert "missing.sse: cannot read the stream: No such file or directory" in said
