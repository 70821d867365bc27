"""The plugin in the workers of pytest-xdist: cassettes, models and scenarios in one run, since starts take longest."""

from __future__ import annotations

import pytest

from harness.cassette import read_cassette
from tests.cassette.upstream import upstream
from tests.test_pytest_plugin import ASYNC
from tests.testing.running import LOOP, PLUGIN, answer, run, weather
from tests.testing.test_models import AGENT, OSLO

MODELS = f"""
import pytest
from agent import agent

@pytest.mark.parametrize("text", ["Cold/.", "Warm", "é" * 200])
def test_one(fake_model, text):
    assert agent(fake_model("openai-chat", [{OSLO!r}, {{"text": text}}])) == text
"""


@pytest.mark.exhaustive
def test_workers_record_play_models_and_collect_and_find_the_same(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(test_async=ASYNC, test_models=MODELS, agent=AGENT)
    (pytester.path / "scenarios").mkdir()
    cases = {"one": answer("one", "vary: {chunking: all}"), "two": weather("two"), "three": weather("three", calls=1)}
    for name, text in cases.items():
        (pytester.path / f"scenarios/{name}.yaml").write_text(text, encoding="utf-8")
    one_of_two = LOOP.replace("in message.tool_calls:", "in message.tool_calls[:1]:")
    (pytester.path / "loop.py").write_text(one_of_two, encoding="utf-8")
    plugins = ("-W", "error", *PLUGIN, "-p", "anyio", "-p", "xdist", "-n", "2", "-v")
    options = ("--harness-record=once", "--harness-target", "loop:run", "--harness-out", "out")
    monkeypatch.setenv("CI", "true")
    with upstream() as server:
        monkeypatch.setenv("URL", server.url)
        result = pytester.runpytest_subprocess(*plugins, *options, "test_async.py", "test_models.py", "scenarios")
    result.assert_outcomes(passed=4 + 3 + 7, failed=1)
    result.stdout.fnmatch_lines(["*[[]gw?[]]*FAILED scenarios/two.yaml::two.openai-chat.event*", "*OAC-03*"])
    assert len(list((pytester.path / "out/traces").glob("*.openai-chat.*.jsonl"))) == 8
    assert sorted(server.got) == [b"0", b"1", b"2", b"3"]
    assert all(read_cassette(path).interactions for path in (pytester.path / "cassettes/test_async").iterdir())
    run(pytester, "-p", "anyio", "test_async.py").assert_outcomes(passed=4)
