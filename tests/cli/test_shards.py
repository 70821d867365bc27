"""``harness run --shard K/N``: every case once, whatever the parts, and nothing said of what another part runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from harness.cli import main
from harness.runner.shards import Shard

SCENARIO = """\
scenario: hello
profile: universal
summary: A short answer.
wires: native
prompt: Say hello.
model:
  - text: Hello.
expect: {outcome: completed}
"""

BASELINE = """\
baseline: wire-only
findings:
  - cases: ["hello.*"]
    rules: [order/one-end]
    reason: It ended twice, once.
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hello.yaml").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def run(*options: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["run", "hello.yaml", "--target", "wire-only", "--out", "out", *options])
    return int(left.value.code or 0)


def cases() -> list[str]:
    return [case["id"] for case in json.loads(Path("out/results.json").read_text(encoding="utf-8"))["cases"]]


def test_each_case_is_run_in_one_shard(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    whole = cases()
    ran = []
    for number in range(1, 4):
        assert run("--shard", f"{number}/3") == 0
        assert all(Shard(number, 3).holds(case) for case in cases())
        assert f"shard {number}/3: {len(cases()) or 'none'} of {len(whole)} cases\n" in capsys.readouterr().out
        ran += cases()
    assert sorted(ran) == sorted(whole)
    assert ran != whole


def test_a_shard_without_a_case_is_told_and_is_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    (taken,) = [number for number in range(1, 1001) if Shard(number, 1000).holds("hello.openai-chat.event")]
    assert run("--wire", "openai-chat", "--shard", f"{taken % 1000 + 1}/1000") == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"shard {taken % 1000 + 1}/1000: none of 1 case"
    assert told[-1] == "0 passed, 0 failed"
    assert cases() == []
    assert JUnitXml.fromfile("out/junit.xml").tests == 0


def test_a_selection_of_nothing_is_bad_input_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-k", "nothing", "--shard", "1/2") == 2
    assert "no case is left" in capsys.readouterr().err


def test_what_another_shard_may_find_is_not_stale(capsys: pytest.CaptureFixture[str]) -> None:
    Path("baseline.yaml").write_text(BASELINE, encoding="utf-8")
    assert run("--baseline", "baseline.yaml") == 1
    assert "STALE" in capsys.readouterr().out
    for number in range(1, 4):
        assert run("--baseline", "baseline.yaml", "--shard", f"{number}/3") == 0
        assert "STALE" not in capsys.readouterr().out


@pytest.mark.parametrize("shard", ["3", "0/3", "4/3", "a/b"])
def test_what_is_no_shard_is_bad_input_before_anything_runs(shard: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--shard", shard) == 2
    assert capsys.readouterr().err == (
        f"error: --shard {shard!r}: expected K/N, the K-th of N parts with K from 1 to N, like 3/8\n"
    )
    assert not Path("out").exists()
