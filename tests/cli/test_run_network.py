"""A program that asks others beside the endpoint: its cases pass, and the run fails once for every host."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from junitparser import JUnitXml

from tests.case_tables import from_table
from tests.commands import Printed
from tests.targets.command.running import scenarios

PROGRAM = """
import json, os, urllib.request
from contextlib import suppress

base = os.environ["ANTHROPIC_BASE_URL"]
head = {"content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01"}

def ask(url, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, head)) as response:
        return response.read()

for path in ("/v1/files", "/v1/files", "/v1/models"):
    with suppress(OSError):
        ask(base + path)
for host in ("telemetry.example.invalid", "updates.example.invalid"):
    with suppress(OSError):
        ask(f"https://{host}/x")
ask(f"{base}/v1/messages", {"model": os.environ["HARNESS_MODEL"], "max_tokens": 9,
                            "system": "A system prompt of the program's own.",
                            "messages": [{"role": "user", "content": "A prompt of the program's own."}]})
"""

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "scenarios").mkdir()
    scenarios(tmp_path / "scenarios", 2)
    (tmp_path / "agent.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, harness: Callable[..., Printed]) -> Call:
    def call(more: str, *options: str) -> tuple[int, str]:
        declare(folder, more)
        printed = harness("run", "scenarios", "--target", "mine.yaml", "--out", "out", *options)
        return printed.code, printed.out

    return call


def declare(folder: Path, more: str = "") -> None:
    """Write the target file of the program."""
    command = json.dumps([sys.executable, "-I", "agent.py"])
    (folder / "mine.yaml").write_text(
        f"target: mine\ncommand: {command}\nwires: [anthropic-messages]\nemits: []\n{more}", encoding="utf-8"
    )


BLOCKED = "BLOCKED telemetry.example.invalid  target/network  MUST, unsafe, 2 cases"


def test_the_cases_pass_and_the_run_fails_once_for_every_host_and_lists_what_is_not_served(
    run: Call, folder: Path
) -> None:
    code, out = run("")
    assert code == 1
    assert out.count(BLOCKED) == 1
    assert out.count("BLOCKED updates.example.invalid") == 1
    assert "    got       CONNECT telemetry.example.invalid:443, first in case-0.anthropic-messages.event" in out
    assert out.splitlines()[-1] == "2 passed, 0 failed, 2 blocked hosts"
    told = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    assert [(each["host"], each["cases"], each["allowed"]) for each in told["blocked"]] == [
        ("telemetry.example.invalid", 2, ""),
        ("updates.example.invalid", 2, ""),
    ]
    summary = (folder / "out" / "summary.md").read_text(encoding="utf-8")
    assert "### 2 hosts blocked (`target/network`)" in summary
    suites = {suite.name: suite for suite in JUnitXml.fromfile(str(folder / "out" / "junit.xml"))}
    assert suites["mine.yaml.network"].failures == 2
    assert suites["mine.yaml.anthropic-messages"].failures == 0
    lines = out.splitlines()
    at = lines.index("not served by the endpoint:")
    assert lines[at + 1] == "  GET /v1/files x4"
    assert "/v1/models" not in out
    assert [each["not_served"] for each in told["cases"]] == [{"GET /v1/files": 2}] * 2
    assert "GET /v1/files x4" in summary


def test_hosts_that_the_target_file_allows_are_no_finding_and_stay_blocked(run: Call, folder: Path) -> None:
    code, out = run("allow_refused: [Telemetry.example.invalid, updates.example.invalid]\n")
    assert code == 0
    assert "BLOCKED" not in out
    lines = out.splitlines()
    at = lines.index("blocked, as allowed:")
    assert lines[at + 1] == "    2 cases  telemetry.example.invalid (allow_refused)"
    assert lines[-1] == "2 passed, 0 failed"


def test_one_host_that_is_not_allowed_is_enough(run: Call) -> None:
    code, out = run("allow_refused: [updates.example.invalid]\n")
    assert (code, BLOCKED in out, "BLOCKED updates" in out) == (1, True, False)


def test_one_that_asks_its_provider_is_told_of_the_option(run: Call, folder: Path) -> None:
    agent = "import urllib.request\nurllib.request.urlopen('https://api.anthropic.com/v1/messages')\n"
    (folder / "agent.py").write_text(agent, encoding="utf-8")
    code, out = run("")
    assert code == 1
    assert (
        "It connects to api.anthropic.com itself: give it the base URL of the case, or run with --as-provider." in out
    )
    assert out.count("BLOCKED api.anthropic.com") == 1


def test_a_run_as_provider_is_repeated_as_one_and_leaves_no_certificate(
    run: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "temporary"))
    agent = PROGRAM.replace('os.environ["ANTHROPIC_BASE_URL"]', '"https://api.anthropic.com"')
    (folder / "agent.py").write_text(agent + "open(os.environ['SSL_CERT_FILE']).read()", encoding="utf-8")
    code, out = run("", "--as-provider", "--skip", "target/network")
    assert (code, out.splitlines()[-1]) == (0, "2 passed, 0 failed")
    assert list((folder / "temporary").iterdir()) == []
    told = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    assert all("--as-provider" in each["repeat"].split() for each in told["cases"])
    assert [each["not_served"] for each in told["cases"]] == [{"GET /v1/files": 2}] * 2


@from_table(__file__, "test_where_there_is_no_host_to_connect_to_is_bad_input")
def test_where_there_is_no_host_to_connect_to_is_bad_input(
    words: list[str], said: str, folder: Path, harness: Callable[..., Printed]
) -> None:
    declare(folder)
    printed = harness("run", "scenarios", "--as-provider", "--out", "other", *words)
    assert (printed.code, said in printed.err) == (2, True)
    assert not (folder / "other").exists()


def test_the_finding_can_be_skipped(run: Call) -> None:
    code, out = run("", "--skip", "target/network")
    assert code == 0
    assert "    2 cases  updates.example.invalid (--skip)" in out


def test_the_case_asks_for_the_model_of_the_file(run: Call, folder: Path) -> None:
    run("model: {anthropic-messages: my-model}\n", "--skip", "target/network")
    (trace, _) = sorted((folder / "out" / "traces").glob("*.jsonl"))
    assert '\\"model\\": \\"my-model\\"' in trace.read_text(encoding="utf-8")


DOWNLOADS = """
import urllib.request

import httpx2

def run(case):
    if case.wire == "openai-chat":
        try:
            urllib.request.urlopen("https://tokenizers.example.invalid/o200k_base")
        except OSError:
            raise RuntimeError("no tokenizer")
    if case.wire != "anthropic-messages":
        raise RuntimeError("no such wire")
    system = "\\n".join(text for role, text in case.prompt if role == "system")
    messages = [{"role": "user", "content": text} for role, text in case.prompt if role == "user"]
    body = {"model": case.model, "max_tokens": 9, "messages": messages, **({"system": system} if system else {})}
    head = {"x-api-key": case.api_key, "anthropic-version": "2023-06-01"}
    answer = httpx2.post(f"{case.base_url}/v1/messages", json=body, headers=head)
    return answer.json()["content"][0]["text"]
"""


def test_a_wire_on_which_a_download_is_blocked_is_left_out_by_the_name_of_its_host(
    folder: Path, monkeypatch: pytest.MonkeyPatch, harness: Callable[..., Printed]
) -> None:
    (folder / "downloading.py").write_text(DOWNLOADS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    words = ["run", "--target", "downloading:run", "--out", "out", "-k", "answer.", "--suite", "core"]
    out = harness(*words).out
    assert (
        "ended with RuntimeError: no tokenizer; it tried to reach tokenizers.example.invalid, which is blocked" in out
    )
    out = harness(*words, "--wire", "openai-chat", "--wire", "anthropic-messages").out
    assert "was blocked: look up tokenizers.example.invalid" in out
    assert "TIKTOKEN_CACHE_DIR" in out
