"""Loops on google-genai, driven over loopback like those of any user: a right one, and four with one mistake each."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.commands import run_harness

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
LOOP = "tests.wire.gemini_interactions.interactions_loop"
WIRE = "gemini-interactions"
SCENARIOS = [
    ROOT / "scenarios" / "universal" / f"{name}.yaml"
    for name in ("answer", "parallel-calls", "parallel-calls-one-raises")
]


def harness(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """The exit code of a command that is run in a folder, and what it has printed."""
    ended = run_harness(*arguments, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return ended.returncode, ended.stdout + ended.stderr


def verdicts(folder: Path) -> dict[str, str]:
    read = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {case["id"]: case["verdict"] for case in read["cases"]}


def test_a_right_loop_keeps_every_rule(tmp_path: Path) -> None:
    options = ["--target", f"{LOOP}:run", "--wire", WIRE, "-k", "event", "-j", "1", "--out", tmp_path]
    code, printed = harness(tmp_path, "run", *SCENARIOS, *options)
    assert (code, set(verdicts(tmp_path).values())) == (0, {"pass"}), printed


@pytest.mark.parametrize(
    ("loop", "rule"),
    [("declining", "INT-05"), ("nameless", "INT-07"), ("forgetful", "INT-21"), ("thoughtless", "INT-10")],
)
def test_one_mistake_is_found(tmp_path: Path, loop: str, rule: str) -> None:
    case = "parallel-calls.gemini-interactions.event"
    options = ["--target", f"{LOOP}:{loop}", "--wire", WIRE, "-k", case, "--suite", "all", "--out", tmp_path]
    code, printed = harness(tmp_path, "run", *options)
    read = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    found = {finding["reference"] for each in read["cases"] for finding in each["findings"]}
    assert rule in found, printed
    if rule == "INT-10":
        assert code == 1
        assert re.search(r"Request contains an invalid argument\.", printed)


def test_a_recording_is_replayed_and_has_no_key(tmp_path: Path) -> None:
    cassettes = tmp_path / "cassettes"
    options = [SCENARIOS[1], "--target", f"{LOOP}:run", "--wire", WIRE, "--cassettes", cassettes]
    code, printed = harness(tmp_path, "record", *options, "--scripted")
    assert code == 0, printed
    written = [path.read_text(encoding="utf-8") for path in cassettes.rglob("*.yaml")]
    assert written
    assert not any("x-goog-api-key: harness" in text for text in written)
    code, printed = harness(
        tmp_path, "run", *options, "--out", tmp_path / "out", "--source", "cassette", "--suite", "all"
    )
    assert code == 0, printed
    assert verdicts(tmp_path / "out") == {"parallel-calls.gemini-interactions.recorded": "pass"}


@pytest.mark.parametrize("name", ["in-the-background", "long-and-not-stored"])
@pytest.mark.parametrize("target", ["reference", "wire-only"])
def test_the_harness_s_own_loops_wait_for_the_rest_of_an_answer(tmp_path: Path, target: str, name: str) -> None:
    scenario = Path(__file__).with_name(f"{name}.yaml")
    code, printed = harness(tmp_path, "run", scenario, "--target", target, "--out", tmp_path)
    assert (code, set(verdicts(tmp_path).values())) == (0, {"pass"}), printed


ASKING = """
from google import genai
client = genai.Client()
made = client.interactions.create(model="gemini-3.8-flash", input="Hi.")
print("answered:", made.status)
print("fetched:", client.interactions.get(made.id).status)
"""


def test_a_program_finds_the_endpoint_by_its_variables(tmp_path: Path) -> None:
    code, printed = harness(tmp_path, "serve", "--out", tmp_path, "--", sys.executable, "-c", ASKING)
    assert code == 0, printed
    assert "answered: completed" in printed
    assert "fetched: completed" in printed


def test_a_pasted_request_is_judged(tmp_path: Path) -> None:
    body = {
        "model": "gemini-3.8-flash",
        "input": [
            {"type": "user_input", "content": [{"type": "text", "text": "Hi."}]},
            {"type": "function_call", "id": "61nzpsv4", "name": "f", "arguments": {}},
            {"type": "function_result", "call_id": "61nzpsv4", "name": "f", "result": "1"},
        ],
    }
    (tmp_path / "body.json").write_text(json.dumps(body), encoding="utf-8")
    code, printed = harness(tmp_path, "lint-request", "body.json")
    assert code == 1
    assert "INT-10" in printed
