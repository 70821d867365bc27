"""docs/scenarios.md says what is so: its example is the shipped file, its tables name every key."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from harness.scenario import CANONICAL, CHUNKINGS, grammar, shipped
from harness.scenario.authored import ExpectEntry, ScenarioFile, TurnEntry
from harness.scenario.documents import _Loader
from harness.scenario.patterns import EVENTS
from tests.scenario.files import HEAD, loaded

TEXT = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def parsed(text: str) -> str:
    return yaml.serialize(_Loader(text).get_single_node())


def test_the_example_is_the_shipped_scenario() -> None:
    example = TEXT.split("```yaml\n", 1)[1].split("```", 1)[0]
    shipped_file = shipped() / "screenshot_to_code" / "create-then-edit.yaml"
    assert parsed(example) == parsed(shipped_file.read_text(encoding="utf-8"))


def test_the_example_of_results_is_a_scenario(tmp_path: Path) -> None:
    example = section("Results made at run time").split("```yaml\n", 1)[1].split("```", 1)[0]
    scenario = loaded(tmp_path, f"{HEAD}prompt: Bread and cake, please.\n{example}")
    assert scenario.expect.uses_results
    assert [each.call for each in scenario.expect.results] == [1]


def test_every_key_is_in_its_table() -> None:
    for title, model in [("The file", ScenarioFile), ("The model", TurnEntry), ("Expectations", ExpectEntry)]:
        named = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| ([^|]*) \|", section(title), re.MULTILINE))))
        assert named == set(model.model_fields), title


def test_every_canonical_tool_is_in_its_table_with_its_arguments() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^:|]*):", section("The loop's tools"), re.MULTILINE)
    documented = {name: re.findall(r"`(\w+)`", arguments) for name, arguments in rows}
    assert documented == {name: list(tool.parameters["properties"]) for name, tool in CANONICAL.items()}


def test_every_event_and_chunking_is_named() -> None:
    named = re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| ([^|]*) \|", section("Event expressions"), re.MULTILINE)))
    assert named == list(EVENTS)
    assert all(f"`{name}`" in section("The file") for name in CHUNKINGS)


def test_the_grammar_is_that_of_the_parser() -> None:
    documented = section("Event expressions").split("```\n", 1)[1].split("```", 1)[0]
    assert grammar.__doc__ is not None
    assert documented.split() == grammar.__doc__.split("\n\n")[1].split()
