"""``--format json``: what programs read is what the schemas in docs/ say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness.cli.explain_subject import STATEMENTS
from harness.rules import FAMILIES
from harness.scenario import shipped
from harness_lab.documents.schemas import PUBLISHED
from tests.commands import Printed

Read = Callable[..., dict[str, Any]]


@pytest.fixture
def read(harness: Callable[..., Printed]) -> Read:
    def call(schema: str, code: int, *words: str) -> dict[str, Any]:
        ended = harness(*words, "--format", "json")
        printed: dict[str, Any] = json.loads(ended.out)
        assert ended.code == code
        jsonschema.validate(printed, PUBLISHED[f"{schema}.schema.json"]())
        return printed

    return call


def test_scenarios(read: Read) -> None:
    listed = read("list", 0, "list")["scenarios"]
    assert {"name": "content-filter", "suite": "core"}.items() <= next(
        each for each in listed if each["name"] == "content-filter"
    ).items()
    assert len(listed) > 50


def test_explanations(read: Read) -> None:
    rule = read("explain", 0, "explain", "order/tool-start-once")["rule"]
    assert (rule["id"], rule["severity"]) == ("order/tool-start-once", "MUST")
    own = read("explain", 0, "explain", "ANT-01")["rule"]
    assert own["example"]["status"] == 400
    assert "tool_use" in own["example"]["answer"]
    family = read("explain", 0, "explain", "continuation")["family"]
    assert {"continuation/anthropic-messages", "ANT-01"} <= {each["id"] for each in family["rules"]}
    scenario = read("explain", 0, "explain", "content-filter")["scenario"]
    assert scenario["suites"]["openai-chat"] == "core"
    error = read("explain", 0, "explain", "messages.2: `tool_use` ids must be unique")["error"]
    assert [each["rule"]["id"] for each in error["rules"]] == ["ANT-05"]


def test_targets(read: Read) -> None:
    targets = {each["name"]: each for each in read("targets", 0, "targets")["targets"]}
    assert targets["reference"]["installed"] is True
    assert targets["pydantic-ai"]["installed"] in (True, False)
    assert "anthropic-messages" in targets["reference"]["wires"]


def test_a_request(read: Read, tmp_path: Path) -> None:
    body = {
        "model": "gpt-4.1",
        "messages": [
            {"role": "user", "content": "Cold?"},
            {
                "role": "assistant",
                "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
        ],
    }
    (tmp_path / "body.json").write_text(json.dumps(body, indent=1), encoding="utf-8")
    (file,) = read("lint", 1, "lint-request", str(tmp_path / "body.json"))["files"]
    assert file["wires"] == ["openai-chat"]
    finding = file["findings"][0]
    assert (finding["severity"], finding["status"], finding["interaction"]) == ("MUST", 400, None)
    assert finding["rule"].startswith("OAC-")


def test_cassettes(read: Read) -> None:
    cassette = next((shipped().parents[0] / "cassettes").rglob("*.yaml"))
    (file,) = read("lint", 0, "lint-cassette", str(cassette))["files"]
    assert (file["findings"], file["requests"] > 0) == ([], True)


def test_problems_of_scenarios(read: Read, tmp_path: Path) -> None:
    assert read("lint-scenario", 0, "lint-scenario", str(shipped() / "universal" / "content-filter.yaml")) == {
        "scenarios": 1,
        "problems": [],
        "format": 1,
    }
    (tmp_path / "one.yaml").write_text("scenario: one\nprofile: universal\nsumary: x\n", encoding="utf-8")
    problems = read("lint-scenario", 2, "lint-scenario", str(tmp_path / "one.yaml"))["problems"]
    assert (str(tmp_path / "one.yaml"), 3) in {(each["file"], each["line"]) for each in problems}


def test_a_driver(read: Read) -> None:
    report = read("doctor", 0, "doctor", "tests.targets.loops:answers", "--wire", "openai-chat")
    assert (report["verdict"], report["problems"]) == ("pass", 0)
    assert {each["check"] for each in report["passed"]} >= {"driver/prompt"}


def test_every_family_has_a_statement() -> None:
    assert list(STATEMENTS) == sorted(FAMILIES, key=list(STATEMENTS).index)
    assert set(STATEMENTS) == set(FAMILIES)
