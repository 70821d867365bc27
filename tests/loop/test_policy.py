"""The presets, their names, and where a turn limit comes from."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.loop import HUGIND, POLICIES, PYDANTIC_AI, RESILIENT, SCREENSHOT_TO_CODE, TOOL_RUNNER, LoopPolicy

DOCS = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("policy", "limit", "at_limit", "execution", "tool_retries"),
    [
        (SCREENSHOT_TO_CODE, 20, "raise", "in-order", None),
        (PYDANTIC_AI, 50, "raise", "parallel", 1),
        (TOOL_RUNNER, None, "stop", "in-order", None),
        (HUGIND, 10, "answer-now", "in-order", None),
        (RESILIENT, 20, "raise", "in-order", 3),
    ],
    ids=lambda value: value.name if isinstance(value, LoopPolicy) else None,
)
def test_the_presets(
    policy: LoopPolicy, limit: int | None, at_limit: str, execution: str, tool_retries: int | None
) -> None:
    assert (policy.turn_limit, policy.at_limit) == (limit, at_limit)
    assert (policy.execution, policy.tool_retries) == (execution, tool_retries)


def test_a_preset_is_found_by_its_name() -> None:
    assert [*POLICIES.values()] == [SCREENSHOT_TO_CODE, PYDANTIC_AI, TOOL_RUNNER, HUGIND, RESILIENT]
    assert all(POLICIES[policy.name] is policy for policy in POLICIES.values())


@pytest.mark.parametrize(
    ("wanted", "limit"),
    [((3, 7), 3), ((None, 7), 7), ((None, None), 10), ((), 10), ((0, 7), 0)],
    ids=["argument", "configuration", "preset", "nothing said", "zero is a limit"],
)
def test_the_strongest_limit_that_is_given_counts(wanted: tuple[int | None, ...], limit: int) -> None:
    assert HUGIND.with_limit(*wanted).turn_limit == limit


def test_a_limit_below_zero_is_refused() -> None:
    with pytest.raises(BadInput, match="-1"):
        HUGIND.with_limit(-1)


def _table(title: str) -> list[list[str]]:
    section = DOCS.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip(" `") for cell in row] for row in rows if set(row[0]) != {"-"}]


def test_the_documented_table_is_the_presets() -> None:
    head, *rows = _table("The presets")
    documented = {row[0]: row[1:] for row in rows}
    told = [field.name for field in fields(LoopPolicy) if field.name not in ("name", "answer_now")]
    assert list(documented) == told
    for name, values in documented.items():
        for preset, value in zip(head[1:], values, strict=True):
            assert value == str(getattr(POLICIES[preset], name)).replace("None", "none"), (preset, name)


def test_every_field_is_explained() -> None:
    explained = re.findall(r"^`(\w+)`: ", DOCS, re.MULTILINE)
    assert explained == [field.name for field in fields(LoopPolicy) if field.name != "name"]
