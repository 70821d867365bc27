"""Options of the plugin in the configuration of pytest."""

from __future__ import annotations

import pytest

from tests.testing.running import LOOP, answer, ids, run

INI = """
[tool.pytest.ini_options]
harness_target = "loop:run"
harness_wires = ["openai-chat"]
harness_suites = "core robustness"
harness_out = "traces-of-mine"
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    wires = "[openai-chat, anthropic-messages]"
    pytester.makepyprojecttoml(INI)
    pytester.makepyfile(loop=LOOP)
    (pytester.path / "one.yaml").write_text(answer("one", wires=wires).replace("summary:", "suite: core\nsummary:", 1))
    (pytester.path / "two.yaml").write_text(answer("two", wires=wires).replace("summary:", "suite: dialects\nsummary:"))
    return pytester


def test_they_are_defaults(project: pytest.Pytester) -> None:
    assert ids(run(project, "--collect-only", "-q")) == ["one.yaml::one.openai-chat.event"]
    result = run(project)
    result.assert_outcomes(passed=1)
    assert (project.path / "traces-of-mine" / "traces" / "one.openai-chat.event.jsonl").is_file()


def test_the_command_line_replaces_them(project: pytest.Pytester) -> None:
    options = ("--harness-wire", "anthropic-messages", "--harness-suite", "all", "--collect-only", "-q")
    assert ids(run(project, *options)) == [f"{name}.yaml::{name}.anthropic-messages.event" for name in ("one", "two")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('harness_wires = ["openai"]', "harness_wires: expected some of openai-responses, "),
        ('harness_suites = ["cor"]', "--harness-suite 'cor' is unknown; did you mean 'core'?"),
        ('harness_target = "loop:ruun"', "defines no 'ruun'; did you mean loop:run?"),
    ],
    ids=["wire", "suite", "function"],
)
def test_a_mistake_is_a_usage_error(pytester: pytest.Pytester, line: str, problem: str) -> None:
    target = "" if "harness_target" in line else 'harness_target = "loop:run"\n'
    pytester.makepyprojecttoml(f"[tool.pytest.ini_options]\n{target}{line}\n")
    pytester.makepyfile(loop=LOOP)
    result = run(pytester)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert problem in result.stderr.str()
