"""Loops on boto3, driven over loopback like those of any user: a right one, and three with one mistake each."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.commands import run_harness
from tests.sdks import needs

pytestmark = [needs("boto3", "boto3 is not installed"), pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[3]
LOOP = "tests.wire.bedrock_converse.boto_loop"
WIRE = "bedrock-converse"
SECRETS = ("AKIAIOSFODNN7EXAMPLE", "AWS4-HMAC-SHA256", "EXAMPLETOKEN", "EXAMPLEKEY", "Signature=")


def harness(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """The exit code of a command that is given in a folder, and what it has printed."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "AWS_EC2_METADATA_DISABLED": "true"}
    ended = run_harness(*arguments, cwd=folder, env=variables)
    return ended.returncode, ended.stdout + ended.stderr


def verdicts(folder: Path) -> dict[str, str]:
    read = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {case["id"]: case["verdict"] for case in read["cases"]}


def secrets_in(folder: Path) -> list[str]:
    """What of the credentials, or of a signature made with them, is in the files of a folder."""
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert written
    return [secret for secret in SECRETS if any(secret.encode() in text for text in written)]


def test_a_right_loop_keeps_every_rule_in_both_forms_of_an_answer(tmp_path: Path) -> None:
    options = ["--target", f"{LOOP}:run", "--wire", WIRE, "--suite", "core", "-j", "1", "--out", tmp_path]
    code, printed = harness(tmp_path, "run", *options)
    ran = verdicts(tmp_path)
    assert (code, set(ran.values())) == (0, {"pass", "skip"}), printed
    assert sum(verdict == "pass" for verdict in ran.values()) >= 55
    assert secrets_in(tmp_path) == []


@pytest.mark.parametrize(
    ("loop", "rule", "text"),
    [
        ("declining", "BED-01", "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_"),
        ("empty_handed", "BED-06", "toolResult cannot be empty when status value is error."),
        ("without_tools_at_last", "BED-05", "The toolConfig field must be defined when using toolUse and toolResult"),
    ],
)
def test_one_mistake_is_refused_as_bedrock_does(tmp_path: Path, loop: str, rule: str, text: str) -> None:
    case = "parallel-calls.bedrock-converse.event"
    options = ["--target", f"{LOOP}:{loop}", "--wire", WIRE, "-k", case, "--suite", "all", "--out", tmp_path]
    code, printed = harness(tmp_path, "run", *options)
    assert code == 1
    assert re.search(rf"\n1\. {rule}(,|  )", printed)
    assert text in printed


def test_a_recording_has_no_credentials_and_is_replayed(tmp_path: Path) -> None:
    scenario = ROOT / "scenarios" / "universal" / "parallel-calls.yaml"
    cassettes = tmp_path / "cassettes"
    options = [scenario, "--target", f"{LOOP}:run", "--wire", WIRE, "--cassettes", cassettes]
    code, printed = harness(tmp_path, "record", *options, "--scripted")
    assert code == 0, printed
    assert secrets_in(tmp_path) == []
    code, printed = harness(
        tmp_path, "run", *options, "--out", tmp_path / "out", "--source", "cassette", "--suite", "all"
    )
    assert code == 0, printed
    assert verdicts(tmp_path / "out") == {"parallel-calls.bedrock-converse.recorded": "pass"}


ASKING = """
import boto3
client = boto3.client("bedrock-runtime")
asked = [{"role": "user", "content": [{"text": "Hi."}]}]
answer = client.converse(modelId="us.anthropic.claude-sonnet-4-5-20250929-v1:0", messages=asked)
print("answered:", answer["stopReason"])
"""


def test_a_program_finds_the_endpoint_by_its_variables(tmp_path: Path) -> None:
    code, printed = harness(tmp_path, "serve", "--out", tmp_path, "--", sys.executable, "-c", ASKING)
    assert code == 0, printed
    assert "answered: end_turn" in printed
