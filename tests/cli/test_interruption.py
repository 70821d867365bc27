"""Ctrl-C, SIGTERM and a reader that leaves: a run ends at once, and what it has is written."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.ground.signals import ENDING
from harness.targets import CaseRun
from tests.cli.test_main import Scripted, answers
from tests.commands import called, start_harness, write_hello

CASES = 12
TIMEOUT = 120
"""Seconds after which a run hangs. Far beyond what these take on a busy machine."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_hello(tmp_path / "scenarios", *(f"case-{number:02}" for number in range(CASES)))


Run = Callable[[signal.Signals], tuple[int, str, int]]


@pytest.fixture
def run(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """``harness run`` in this process, whose loop never waits; in its third case it gets a signal, as from outside."""

    def call(number: signal.Signals) -> tuple[int, str, int]:
        """The exit code, what is printed, and how many cases were run."""

        def signalled(case_run: CaseRun) -> None:
            signal.raise_signal(number)
            answers(case_run)

        target = Scripted([answers, answers, signalled, *[answers] * (CASES - 3)])
        monkeypatch.setattr("harness.cli.drive.open_target", lambda *_: target)
        printed = called(capsys, "run", folder, "-j", "1", "--rule", "preview", "--out", tmp_path / "out")
        return printed.code, printed.out, CASES - len(target.does)

    return call


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["ctrl-c", "sigterm", "sighup"],
)
def test_a_run_in_this_process_ends_after_the_case_at_which_a_signal_comes(
    run: Run, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    before = [signal.getsignal(each) for each in ENDING]
    ended, out, runs = run(number)
    assert (ended, runs) == (code, 3)
    assert "interrupted: 9 of 12 cases did not run; the results so far are written\n" in out
    assert f"resume:  the same command with --resume {tmp_path / 'out'}\n" in out
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert (results["complete"], len(results["cases"])) == (False, 3)
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"index.html", "junit.xml", "summary.md"}
    assert [signal.getsignal(each) for each in ENDING] == before


def test_sighup_that_is_ignored_stays_ignored(run: Run) -> None:
    """As nohup has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ended, out, runs = run(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (ended, runs) == (0, CASES)
    assert out.endswith("12 passed, 0 failed\n")


def test_sigterm_ends_a_run_that_ignores_ctrl_c(run: Run) -> None:
    """As a shell has its background jobs do."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ended, out, runs = run(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (ended, runs) == (143, 3)
    assert "of 12 cases did not run" in out


def test_no_task_of_an_interrupted_run_complains_when_it_is_collected(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The traceback is formatted in whatever runs then; CPython 3.11 fails where that is ``ast.parse``."""
    complaints: list[tuple[Any, ...]] = []
    monkeypatch.setattr(logging.getLogger("asyncio"), "error", lambda *words, **_: complaints.append(words))
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)
    gc.collect()
    assert complaints == []


def test_another_signal_does_no_harm_to_what_is_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.report import files

    write = files.put

    def disturbed(path: Path, data: bytes, *, synced: bool = True) -> None:
        if path.name == "results.json":
            for number in ENDING:
                signal.raise_signal(number)
        write(path, data, synced=synced)

    monkeypatch.setattr(files, "put", disturbed)
    assert run(signal.SIGINT)[0] == 130
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["complete"] is False
    assert (tmp_path / "out" / "index.html").is_file()


WAITS = """\
import socket, sys, threading
held = socket.create_connection(("127.0.0.1", {port}))
threading.Event().wait()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=["sigterm", "sighup"])
def test_a_signal_ends_the_programs_that_are_tested(
    folder: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT)
        program = tmp_path / "waits.py"
        program.write_text(WAITS.format(port=server.getsockname()[1]), encoding="utf-8")
        target = tmp_path / "target.yaml"
        target.write_text(
            f"target: waits\ncommand: [{sys.executable}, {program}]\nwires: [anthropic-messages]\n", encoding="utf-8"
        )
        # behind a seal it could not connect; what ends there is in tests/sealing
        words = ["run", folder, "--out", tmp_path / "out", "-j", "1", "--target", target, "--no-isolate"]
        with start_harness(*words) as process:
            held, _ = server.accept()
            held.settimeout(TIMEOUT)
            process.send_signal(number)
            assert held.recv(1) == b""  # the program is gone
            _, err = process.communicate(timeout=TIMEOUT)
            held.close()
    assert (process.returncode, "Traceback" in err) == (code, False)


def test_a_reader_that_leaves_ends_the_output_and_not_the_run(folder: Path, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with start_harness("run", folder, "--out", tmp_path / "out", "-j", "1", stdout=writing) as process:
        os.close(writing)
        _, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, err) == (0, "")
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert (results["complete"], len(results["cases"])) == (True, CASES)


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_a_list_that_nobody_reads_to_its_end_is_no_failure(unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "harness", "list"],
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        timeout=TIMEOUT,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
