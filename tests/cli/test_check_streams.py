"""``harness check --events ag-ui`` as a person meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from tests.case_tables import from_table
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


EVENTS = {"start": START, "end": END, "text": TEXT[0], "text-end": TEXT[1]}


@from_table(__file__, "test_what_is_found_in_a_stream")
def test_what_is_found_in_a_stream(events: list[Any], words: str, code: int, parts: list[str], check: Command) -> None:
    """An event by its name, or as it is; "SECRET" in one is a key, which is never shown."""
    made = [EVENTS.get(each, each) if isinstance(each, str) else each for each in events]
    name = written(*(json.loads(json.dumps(each).replace("SECRET", SECRET)) for each in made))
    ended, out, _ = check(name, *words.split())
    assert ended == code
    assert [part for part in parts if part not in out] == []
    assert "q7q7q7" not in out


@from_table(__file__, "test_what_is_no_stream_is_exit_code_2")
def test_what_is_no_stream_is_exit_code_2(text: str, error: str, check: Command) -> None:
    Path("answer.sse").write_text(text, encoding="utf-8")
    code, _, said = check("answer.sse", "missing.sse")
    assert code == 2
    assert error in said
    assert "missing.sse: cannot read the stream: No such file or directory" in said
