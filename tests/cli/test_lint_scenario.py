"""``harness lint-scenario``."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli import main

GOOD = """\
scenario: {name}
profile: universal
summary: Says hello.
prompt: Hello.
model:
  - text: Hello.
expect:
  outcome: completed
"""


def lint(*paths: Path) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        main(["lint-scenario", *map(str, paths)])
    return ended.value.code


def test_scenarios_without_a_problem_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(GOOD.format(name=name), encoding="utf-8")
    assert lint(tmp_path) == 0
    assert capsys.readouterr().out == "2 scenarios, nothing wrong\n"


def test_the_problems_of_all_files_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = (tmp_path / f"{name}.yaml" for name in ("one", "two", "three"))
    one.write_text(GOOD.format(name="one").replace("outcome: completed", "outcome: complete"), encoding="utf-8")
    two.write_text(GOOD.format(name="two") + "surprise: 1\n", encoding="utf-8")
    three.write_text(GOOD.format(name="three"), encoding="utf-8")
    assert lint(tmp_path) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": expected")[0] for line in lines] == [f"error: {one}:8:12", f"error: {two}:9:1"]
