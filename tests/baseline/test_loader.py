"""Baseline files: every way to get one wrong, with the place and what to do; which file is a target's."""

# ruff: noqa: E501 - the cases are a table, one a line
from __future__ import annotations

from pathlib import Path

import pytest

from harness.baseline.loader import chosen, load
from harness.baseline.model import BaselineSource
from harness.baseline.places import find, place_of
from harness.errors import BadInput
from harness.report.explanations import FINDINGS
from harness.scenario.missed import EXPECTATIONS

FILE = """\
baseline: some-loop
findings:
  - cases: [answer.*]
    rules: [order/one-end, ANT-01, expect/outcome]
    reason: It never ends.
    versions: {some-loop: ">=2.66,<3"}
    link: https://example.com/thread
    source:
      - package: some-loop
        file: some_loop/run.py
        says: while not self._ended
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(tmp_path: Path, text: str, **how: bool) -> str:
    with pytest.raises(BadInput) as refused:
        load(written(tmp_path, text), **how)  # type: ignore[arg-type]
    return "\n".join(problem.replace(f"{tmp_path}/", "") for problem in refused.value.problems)


def test_a_file_is_read_with_the_place_of_every_word(tmp_path: Path) -> None:
    (entry,) = load(written(tmp_path, FILE)).entries
    assert [(rule.text, rule.place.line, rule.place.column) for rule in entry.rules] == [
        ("order/one-end", 4, 13),
        ("ANT-01", 4, 28),
        ("expect/outcome", 4, 36),
    ]
    assert (entry.place.line, entry.reason, entry.link) == (3, "It never ends.", "https://example.com/thread")
    assert entry.versions == {"some-loop": ">=2.66,<3"}
    assert entry.source == (BaselineSource("some-loop", "some_loop/run.py", "while not self._ended"),)


def test_every_expectation_that_can_be_explained_can_be_in_a_baseline(tmp_path: Path) -> None:
    names = [name for name in FINDINGS if name.startswith("expect/")]
    (entry,) = load(written(tmp_path, FILE.replace("order/one-end, ANT-01, expect/outcome", ", ".join(names)))).entries
    assert [rule.text for rule in entry.rules] == names
    assert set(names) == set(EXPECTATIONS)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("baseline: some-loop\n", "", "a.yaml:1:1: expected the key 'baseline', got only 'findings'; add it"),
        ("findings:", "finding:", "a.yaml:2:1: expected the keys baseline or findings, got 'finding'; remove or rename it; did you mean 'findings'?"),
        ("rules:", "rule:", "a.yaml:4:5: expected the keys cases, rules, reason, versions, link, source or host, got 'rule'; remove or rename it; did you mean 'rules'?"),
        ("    reason: It never ends.\n", "", "a.yaml:3:5: expected the key 'reason', got only 'cases', 'rules', 'versions', 'link', 'source'; add it"),
        ("It never ends.", "", "a.yaml:5:12: expected text, got nothing; write text"),
        ("It never ends.", "'  '", "a.yaml:5:13: expected some text, got '  '; write it"),
        ("It never ends.", "'TODO: say why'", "a.yaml:5:13: expected a reason, got 'TODO: say why'; say what the loop does, and why that is accepted"),
        ("It never ends.", "todo", "a.yaml:5:13: expected a reason, got 'todo'"),
        ("[answer.*]", "[]", "a.yaml:3:12: expected at least one entry, got none"),
        ("[answer.*]", "answer.*", "a.yaml:3:12: expected a list, got 'answer.*'; write '- ' before each entry"),
        ("[answer.*]", "[answer]", "a.yaml:3:13: expected a pattern like 'SCENARIO.*' or 'SCENARIO.WIRE.CHUNKING', got 'answer'; write all three, or '*'"),
        ("[answer.*]", "[answer.openai-cat.*]", "got 'openai-cat' in 'answer.openai-cat.*'; correct it; did you mean 'openai-chat'?"),
        ("[answer.*]", "['answer.*.bytes']", "a.yaml:3:13: expected whole, event, token, byte, adversarial, random or recorded, got 'bytes' in 'answer.*.bytes'; correct it; did you mean 'byte'?"),
        ("order/one-end", "order/one-ends", "a.yaml:4:13: expected a rule (order/tool-start-once), a provider's own (ANT-01) or an expectation (expect/outcome), got 'order/one-ends'; 'harness explain RULE' lists them; did you mean 'order/one-end'?"),
        ("order/one-end", "order", "a.yaml:4:13: expected a rule (order/tool-start-once), a provider's own (ANT-01) or an expectation (expect/outcome), got the family 'order'; name its rules one by one"),
        ("ANT-01", "ANT-00", "a.yaml:4:28: expected a rule"),
        ("ANT-01", "continuation/openai-chat", "expected a provider's own rule, like ANT-01, got 'continuation/openai-chat'; name those of the findings"),
        ("expect/outcome", "expect/outcomes", "did you mean 'expect/outcome'?"),
        (">=2.66,<3", "~2", "a.yaml:6:27: expected a range of versions, like '>=2.66,<3', got '~2'; correct it"),
        ('{some-loop: ">=2.66,<3"}', "{}", "a.yaml:6:15: expected at least one entry, got none; add one or remove the key"),
        ('">=2.66,<3"', "2", "a.yaml:6:27: expected text, got 2; write text, in quotes"),
        ('{some-loop: ">=2.66,<3"}', "'2'", "a.yaml:6:15: expected a mapping, got '2'; write 'key: value'"),
        ("https://example.com/thread", "example.com", "a.yaml:7:11: expected an address that begins with https://, got 'example.com'; correct it, or remove the key"),
        ("package: some-loop", "packet: some-loop", "a.yaml:9:9: expected the keys package, file or says, got 'packet'; remove or rename it; did you mean 'package'?"),
        ("        says: while not self._ended\n", "", "a.yaml:9:9: expected the key 'says', got only 'package', 'file'; add it"),
        ("some_loop/run.py", "/etc/passwd", "a.yaml:10:15: expected a path inside the package, like 'agents/tool.py', got '/etc/passwd'; write it with '/', without '..'"),
        ("some_loop/run.py", "some_loop/../../x.py", "a.yaml:10:15: expected a path inside the package"),
        ("some_loop/run.py", "some_loop\\run.py", "a.yaml:10:15: expected a path inside the package"),
        ("while not self._ended", "ended", "a.yaml:11:15: expected at least 12 characters of the file's text, got 'ended'; quote a whole line"),
        ("while not self._ended", "12", "a.yaml:11:15: expected text, got 12; write text, in quotes"),
        ("  - cases", "  - 3\n  - cases", "a.yaml:3:5: expected a mapping, got 3"),
        ("baseline: some-loop", "baseline: some-loop\nbaseline: other", "a.yaml:2:1: expected every key once, got 'baseline' again"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(old: str, new: str, expected: str, tmp_path: Path) -> None:
    assert old in FILE
    assert expected in problems(tmp_path, FILE.replace(old, new, 1))


def test_all_mistakes_are_told_in_the_order_of_the_file(tmp_path: Path) -> None:
    broken = FILE.replace("answer.*", "answer").replace("ANT-01", "ANT-00").replace(">=2.66,<3", "x")
    assert [line.split(":")[1] for line in problems(tmp_path, broken).splitlines()] == ["3", "4", "6"]


def test_an_empty_file_and_one_that_is_no_yaml_are_told(tmp_path: Path) -> None:
    assert problems(tmp_path, "") == "a.yaml:1:1: expected a baseline, got an empty file; begin with 'baseline: NAME'"
    assert "a.yaml:3:13: expected YAML" in problems(tmp_path, FILE.replace("[answer.*]", "*.openai-chat.*"))


def test_a_reason_that_is_to_be_written_passes_where_the_file_is_only_changed(tmp_path: Path) -> None:
    path = written(tmp_path, FILE.replace("It never ends.", '"TODO: say why"'))
    assert load(path, drafts=True).entries[0].reason == "TODO: say why"


@pytest.mark.parametrize(
    ("target", "file"),
    [
        ("pydantic-ai", "pydantic-ai"),
        ("anthropic-runner:unthreaded", "anthropic-runner-unthreaded"),
        ("my_package.agent:run", "my_package.agent-run"),
        ("cmd:node ./my agent.mjs --fast", "cmd-node-.-my-agent.mjs-fast"),
        ("cmd:../../etc/x", "cmd-..-..-etc-x"),
        ("cmd:" + "x" * 400, "cmd-" + "x" * 96),
    ],
)
def test_the_file_of_a_target_lies_in_the_folder_whatever_its_name(target: str, file: str) -> None:
    assert place_of(target) == Path("baselines") / f"{file}.yaml"


def test_the_users_own_file_comes_before_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shipped").mkdir()
    monkeypatch.setattr("harness.baseline.places.shipped", lambda: tmp_path / "shipped")
    monkeypatch.chdir(tmp_path)
    assert find("some-loop") is None
    (tmp_path / "shipped" / "some-loop.yaml").write_text(FILE, encoding="utf-8")
    assert find("some-loop") == tmp_path / "shipped" / "some-loop.yaml"
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "some-loop.yaml").write_text(FILE, encoding="utf-8")
    assert find("some-loop") == Path("baselines/some-loop.yaml")


def test_a_file_with_a_targets_name_must_be_for_it_and_one_that_is_named_need_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "some-loop-x.yaml").write_text(FILE, encoding="utf-8")
    with pytest.raises(BadInput, match=r"expected the target 'some-loop:x'.*got 'some-loop'; correct it, or choose"):
        chosen(None, "some-loop:x")
    named = chosen("baselines/some-loop-x.yaml", "some-loop:x")
    assert named is not None
    assert named.target == "some-loop"
    assert chosen("none", "some-loop:x") is None
    with pytest.raises(BadInput, match="expected a readable file"):
        chosen("nowhere.yaml", "some-loop")
