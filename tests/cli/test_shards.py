"""``harness run --shard K/N``: every case once, whatever the parts, and nothing said of what another part runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from junitparser import JUnitXml

from harness.runner.shards import Shard
from tests.commands import Printed, write_hello

BASELINE = """\
baseline: wire-only
findings:
  - cases: ["hello.*"]
    rules: [order/one-end]
    reason: It ended twice, once.
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_hello(tmp_path, "hello", wires="native")
    monkeypatch.chdir(tmp_path)


Run = Callable[..., Printed]


@pytest.fixture
def run(harness: Run) -> Run:
    return partial(harness, "run", "hello.yaml", "--target", "wire-only", "--out", "out")


def cases() -> list[str]:
    return [case["id"] for case in json.loads(Path("out/results.json").read_text(encoding="utf-8"))["cases"]]


def test_each_case_is_run_in_one_shard(run: Run) -> None:
    assert run().code == 0
    whole = cases()
    ran = []
    for number in range(1, 4):
        printed = run("--shard", f"{number}/3")
        assert printed.code == 0
        assert all(Shard(number, 3).holds(case) for case in cases())
        assert f"shard {number}/3: {len(cases()) or 'none'} of {len(whole)} cases\n" in printed.out
        ran += cases()
    assert sorted(ran) == sorted(whole)
    assert ran != whole


def test_a_shard_without_a_case_is_told_and_is_no_failure(run: Run) -> None:
    (taken,) = [number for number in range(1, 1001) if Shard(number, 1000).holds("hello.openai-chat.event")]
    printed = run("--wire", "openai-chat", "--shard", f"{taken % 1000 + 1}/1000")
    assert (printed.code, printed.last) == (0, "0 passed, 0 failed")
    assert printed.out.startswith(f"shard {taken % 1000 + 1}/1000: none of 1 case\n")
    assert cases() == []
    assert JUnitXml.fromfile("out/junit.xml").tests == 0


def test_a_selection_of_nothing_is_bad_input_all_the_same(run: Run) -> None:
    printed = run("-k", "nothing", "--shard", "1/2")
    assert (printed.code, "no case is left" in printed.err) == (2, True)


def test_what_another_shard_may_find_is_not_stale(run: Run) -> None:
    Path("baseline.yaml").write_text(BASELINE, encoding="utf-8")
    printed = run("--baseline", "baseline.yaml")
    assert (printed.code, "STALE" in printed.out) == (1, True)
    for number in range(1, 4):
        printed = run("--baseline", "baseline.yaml", "--shard", f"{number}/3")
        assert (printed.code, "STALE" in printed.out) == (0, False)


@pytest.mark.parametrize("shard", ["3", "0/3", "4/3", "a/b"])
def test_what_is_no_shard_is_bad_input_before_anything_runs(shard: str, run: Run) -> None:
    problem = f"error: --shard {shard!r}: expected K/N, the K-th of N parts with K from 1 to N, like 3/8"
    assert run("--shard", shard).lines == (2, [], [problem])
    assert not Path("out").exists()
