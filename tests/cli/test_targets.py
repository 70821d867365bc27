"""``harness targets``: every loop that can be driven, and what there is to install."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.targets.installed import AGENTS
from harness.targets.shipped import SHIPPED, Shipped
from tests.commands import Printed


@pytest.fixture
def shown(harness: Callable[..., Printed]) -> Callable[[], list[str]]:
    def show() -> list[str]:
        code, lines, _ = harness("targets").lines
        assert code == 0
        return lines

    return show


def entry(lines: list[str], name: str) -> str:
    """What is said of one target, on one line."""
    at = next(number for number, line in enumerate(lines) if line.split(" ")[0] == name)
    end = next((number for number in range(at + 1, len(lines)) if lines[number][0] != " "), len(lines))
    return " ".join(" ".join(lines[at:end]).split())


def test_every_target_is_told_with_what_it_declares(shown) -> None:
    lines = shown()
    names = [line.split(" ")[0] for line in lines if line[0] != " "]
    assert names[:5] == ["reference", "reference:PRESET", "wire-only", "gallery:NAME", "mutant:NAME"]
    assert names[5:] == [*SHIPPED, *(f"cli:{agent}" for agent in AGENTS), "package.module:function", "cmd:COMMAND"]
    for name, shipped in SHIPPED.items():
        said = entry(lines, name)
        assert shipped.summary in said
        assert all(wire in said for wire in shipped.declaration.wires)
        assert all(profile in said for profile in shipped.declaration.profiles)
        assert all(kind in said for kind in shipped.declaration.emits or ())
    assert "can everything but server-tools" in entry(lines, "pydantic-ai")


def test_it_can_be_read_on_a_hundred_columns(shown) -> None:
    assert [line for line in shown() if len(line) > 100] == []


def test_versions_are_those_that_are_installed_and_what_is_missing_is_told(
    shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    import anthropic

    assert f"versions anthropic {anthropic.__version__}" in entry(shown(), "anthropic-runner")
    monkeypatch.setattr(Shipped, "versions", property(lambda self: dict.fromkeys(self.packages)))
    said = entry(shown(), "anthropic-runner")
    assert "missing anthropic; pip install anthropic" in said
    assert "versions" not in said
