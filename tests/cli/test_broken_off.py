"""What a disk refuses, and a mistake of the harness itself, end a run with exit code 3 and one message; what was
finished is kept. (``tests/faults`` lets every call fail.)"""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.report.files import RunFolder
from harness.runner.execute import Finished
from harness.trace import load
from tests.case_tables import from_table
from tests.commands import HELLO, Printed, write_hello
from tests.sealing.test_options import PROGRAM
from tests.secrets.samples import sample

Harness = Callable[..., Printed]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_hello(tmp_path / "scenarios", "one", "three", "two", wires="[openai-chat]")
    monkeypatch.chdir(tmp_path)


KEY = sample("openai-project-key").secret
RUN = ("run", "scenarios", "-j", "1", "--out", "out")


def third(error: Exception) -> Callable[[RunFolder, Finished], None]:
    """In the place of ``RunFolder.write_trace``: the third trace cannot be written."""
    write, written = RunFolder.write_trace, []

    def writes(self: RunFolder, finished: Finished) -> None:
        written.append(finished)
        if len(written) == 3:
            raise error
        write(self, finished)

    return writes


def test_a_mistake_of_the_harness_leaves_a_traceback_in_a_file_and_what_was_finished(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write_trace", third(ZeroDivisionError(f"a mistake {KEY}")))
        printed = harness(*RUN)
    assert printed.code == 3
    assert "Traceback" not in printed.out + printed.err
    assert printed.err.splitlines()[0] == (
        "error: an error of the harness itself: ZeroDivisionError: a mistake REDACTED-openai-project-key; "
        "out/error.txt has the traceback, please report it"
    )
    assert "2 of 3 cases had ended: their results are in out; the same command with --resume out" in printed.err
    assert "ZeroDivisionError: a mistake REDACTED-openai" in Path("out/error.txt").read_text(encoding="utf-8")
    results = json.loads(Path("out/results.json").read_text(encoding="utf-8"))
    assert (results["complete"], len(results["cases"])) == (False, 2)
    assert harness(*RUN, "--resume", "out").code == 0


def test_a_mistake_of_any_command_leaves_a_traceback_in_a_file(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistake(*_: object, **__: object) -> int:
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr("harness.cli.list.list_scenarios", mistake)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    printed = harness("list")
    (file,) = tmp_path.glob("harness-error-*.txt")
    assert (printed.code, printed.out) == (3, "")
    assert printed.err == (
        f"error: an error of the harness itself: ZeroDivisionError: a mistake; {file} has the traceback, "
        "please report it\n"
    )
    assert "in mistake" in file.read_text(encoding="utf-8")


@contextmanager
def full_disk(most: int) -> Iterator[None]:
    """Files of this process may have so many bytes: the system refuses more, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_may_not_grow_is_an_error_of_the_machine(harness: Harness) -> None:
    """The real thing: ``ulimit -f``."""
    with full_disk(1_500):
        printed = harness(*RUN)
    assert (printed.code, "Traceback" in printed.out + printed.err) == (3, False)
    assert (
        "cannot be written: File too large; raise the limit of a file's size (ulimit -f), then run again" in printed.err
    )


@from_table(__file__, "test_whichever_command_writes_a_full_disk_is_an_error_of_the_machine")
def test_whichever_command_writes_a_full_disk_is_an_error_of_the_machine(harness: Harness, words: str) -> None:
    assert harness(*RUN).code == 0
    with full_disk(1):
        printed = harness(*words.split())
    assert printed.code == 3, printed
    assert "File too large; raise the limit of a file's size (ulimit -f), then run again" in printed.err
    assert "Traceback" not in printed.out + printed.err


def test_what_was_served_is_reported_although_it_cannot_be_kept(harness: Harness, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(PROGRAM, encoding="utf-8")
    with full_disk(1_500):
        program = ["--", sys.executable, "-I", "agent.py"]
        printed = harness("serve", "--wire", "anthropic-messages", "--no-isolate", "--out", "served", *program)
    assert printed.code == 3, printed
    assert "automatic.anthropic-messages.1: 1 request (200)" in printed.out
    assert "0 findings" in printed.out
    assert "File too large; raise the limit of a file's size" in printed.err


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_what_a_worker_cannot_write_is_an_error_of_the_machine(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    from harness.runner.worker import Broken

    try:
        raise OSError(code, os.strerror(code), "a.jsonl")
    except OSError as error:
        broken = Broken.by(ExceptionGroup("", [error]))
    raised = broken.raised()
    assert type(raised).__name__ == "Breakdown"
    assert str(raised).startswith(f"a.jsonl: {os.strerror(code)}")


# --- names of any length --------------------------------------------------------------------------------------


def test_a_name_of_any_length_runs(harness: Harness) -> None:
    names = [f"{'long-' * 60}{number}" for number in range(2)]
    for name in names:
        text = HELLO.format(name=name, wires="[openai-chat, gemini-generate]")
        Path("scenarios", f"{name[-1]}.yaml").write_text(text, encoding="utf-8")
    printed = harness("run", "scenarios", "-k", "long-", "-j", "1", "--out", "out")
    assert printed.code == 0, printed
    cases = json.loads(Path("out/results.json").read_text(encoding="utf-8"))["cases"]
    assert len({case["trace"] for case in cases}) == len(cases) == 4
    for case in cases:
        assert load(Path("out", case["trace"])).case.id == case["id"]
        assert case["id"].startswith("long-" * 60)
    assert harness("check", "out/traces").code == 0
    assert harness("report", "out").code == 0


def test_a_cassette_of_a_name_of_any_length_is_recorded_and_played(harness: Harness) -> None:
    name = "long-" * 60 + "name"
    Path("scenarios/0.yaml").write_text(HELLO.format(name=name, wires="[openai-chat]"), encoding="utf-8")
    words = ("scenarios/0.yaml", "--cassettes", "cassettes")
    assert harness("record", *words, "--wire", "openai-chat", "--scripted").code == 0
    assert harness("run", *words, "--source", "cassette", "-j", "1", "--out", "out").code == 0


# --- streams that are closed -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_a_run_needs_no_open_stream(tmp_path: Path, closed: str) -> None:
    """As of a service, or behind ``2>&-``: Python has no stream at all in the place of one that is closed."""
    write_hello(tmp_path, "one", wires="[openai-chat]")
    command = f'"{sys.executable}" -m harness run one.yaml --target wire-only --out out {closed}>&-'
    done = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))["totals"]["pass"] > 0
