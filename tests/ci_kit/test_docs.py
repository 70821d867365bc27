"""The examples of docs/ci.md are of the form that their services want, and call what there is."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.ci_kit.kit import ROOT, is_harness_command, schema

TEXT = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
EXAMPLES = [
    pytest.param(name, yaml.safe_load(text), id=f"{name}-{number}")
    for number, (name, text) in enumerate(re.findall(r"<!-- schema: (\S+) -->\n```yaml\n(.*?)```", TEXT, re.DOTALL))
]
STARTERS = sorted((ROOT / "harness" / "starter").rglob("agent-loop.yml"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def test_every_yaml_example_says_what_it_is() -> None:
    assert len(EXAMPLES) == TEXT.count("```yaml") == 6


@pytest.mark.parametrize(("name", "example"), [each for each in EXAMPLES if each.values[0] != "pre-commit"])
def test_an_example_is_of_its_services_form(name: str, example: dict[str, Any]) -> None:
    validator = schema(name)
    # PyYAML reads the key `on` as YAML 1.1 does; GitHub does not.
    example = {"on" if key is True else key: value for key, value in example.items()}
    assert list(validator.iter_errors(example)) == []
    assert list(validator.iter_errors([])) != []


@pytest.mark.parametrize("path", STARTERS, ids=lambda path: path.parent.name)
def test_the_workflow_of_harness_init_is_of_githubs_form(path: Any) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    workflow = {"on" if key is True else key: value for key, value in workflow.items()}
    assert list(schema("github-workflows").iter_errors(workflow)) == []


def test_the_hooks_that_are_named_are_there() -> None:
    (example,) = [each.values[1] for each in EXAMPLES if each.values[0] == "pre-commit"]
    (repo,) = example["repos"]
    assert [hook["id"] for hook in repo["hooks"]] == [hook["id"] for hook in HOOKS]


def test_the_inputs_that_are_named_are_there() -> None:
    steps = [
        step
        for each in EXAMPLES
        if each.values[0] == "github-workflows"
        for job in each.values[1]["jobs"].values()
        for step in job["steps"]
        if step.get("uses", "").startswith("OWNER/")
    ]
    assert len(steps) == 3
    assert {name for step in steps for name in step["with"]} <= set(ACTION["inputs"])
    table = re.findall(r"^\| `([a-z-]+)` \|", TEXT.partition("| input | is | default |")[2], re.MULTILINE)
    assert table == list(ACTION["inputs"])


def test_every_command_that_is_shown_is_one() -> None:
    shown = re.sub(r"\$\{\{[^}]*\}\}", "1", TEXT)
    lines = [line.strip().removeprefix("- ").removeprefix("run: ") for line in shown.splitlines()]
    commands = [line for line in lines if line.startswith("harness ")]
    assert len(commands) == 3
    assert all(map(is_harness_command, commands))
