"""``harness fuzz`` as its users meet it: parsers of their own, what is written, what is repeated, what is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.case_tables import from_table
from tests.commands import run_harness, start_harness

MINE = '''
"""Parsers of a user."""
import json, re, sys


def whole(deltas):
    """Shows an argument when all of them are there: late, and never wrong."""
    text = ""
    for delta in deltas:
        text += delta
        try:
            shown = json.loads(text)
        except ValueError:
            shown = None
        yield SHOWN(shown) if isinstance(shown, dict) else {}


def SHOWN(value):
    return {key: sendable(each) if isinstance(each, str) else each for key, each in value.items()}


def sendable(text):
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def last_quote(deltas):
    """Ends the string at the last quote of the text."""
    text = ""
    for delta in deltas:
        text += delta
        found = re.search(r'"content": *"(.*?)"?}?$', text, re.DOTALL)
        yield {"content": sendable(found[1])} if found else {}


def never_ends(deltas):
    while True:
        pass


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({"shown": list(last_quote(json.loads(line)["deltas"]))}), flush=True)
'''


ENOUGH = ("--max-examples", "100", "--shard", "2/8", "-j", "2")
"""An eighth of the examples, in which the mistakes of ``last_quote`` are found twice; each takes seconds to shrink."""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def fuzz(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_harness("fuzz", *words, cwd=folder)


def test_a_parser_with_a_mistake_is_found_out_repeated_and_kept(mine: Path) -> None:
    done = fuzz(mine, "arguments", "--target", "mine:last_quote", "--out", "out", *ENOUGH)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FALSIFIED" in done.stdout
    files = sorted((mine / "out" / "reproducers").iterdir())
    assert files
    told = json.loads((mine / "out" / "fuzz.json").read_text())
    assert [found for outcome in told for found in outcome["found"]] == [
        json.loads(file.read_text())["oracle"] for file in files
    ]
    for file in files:
        assert len(json.loads(file.read_text())["example"]["text"]) <= 40
        again = fuzz(mine, "--replay", str(file))
        assert again.returncode == 1
        assert "still falsified" in again.stdout
    ours = fuzz(mine, "--replay", str(files[0]), "--target", "mine:whole")
    assert ours.returncode == 0
    assert "no oracle objects any longer" in ours.stdout


def test_a_program_in_any_language_is_fuzzed_too(mine: Path) -> None:
    command = f"cmd:{sys.executable} mine.py"
    done = fuzz(mine, "arguments", "--target", command, "--out", "out", "--database", "none", *ENOUGH)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "FALSIFIED" in done.stdout
    assert not (mine / ".hypothesis").exists()


def test_what_is_only_late_is_not_blamed(mine: Path) -> None:
    done = fuzz(mine, "arguments", "--target", "mine:whole", "--max-examples", "50", "--shard", "3/40", "-j", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing found" in done.stdout


def test_time_that_is_up_ends_it(mine: Path) -> None:
    done = fuzz(mine, "requests", "--max-examples", "1000000", "--time", "0.1", "-j", "1", "--out", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "until it was ended" in done.stdout
    (outcome,) = json.loads((mine / "out" / "fuzz.json").read_text())
    assert not outcome["complete"]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Ctrl-C reaches a group of processes on POSIX only")
def test_ctrl_c_leaves_what_is_there(mine: Path) -> None:
    words = ("fuzz", "arguments", "--target", "mine:never_ends", "--out", "out")
    with start_harness(*words, cwd=mine, stderr=None, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("arguments: ")
        os.killpg(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted: the findings so far are written" in said
    assert (mine / "out" / "fuzz.json").is_file()


@from_table(__file__, "test_bad_input_is_told")
def test_bad_input_is_told(mine: Path, words: list[str], message: str) -> None:
    done = fuzz(mine, *words)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr
