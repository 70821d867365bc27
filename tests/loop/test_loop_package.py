"""``harness.loop`` as others import it: complete, and light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import harness.loop

_STEPS = """
import sys, harness.loop
harness.loop.PartialArguments
print(*sys.modules)
from harness.loop import Agent, ToolRuntime
print(*sys.modules)
import harness.loop.tools
harness.loop.tools.ToolRuntime()
print(*sys.modules)
import anyio
anyio.run(harness.loop.tools.PlaceholderImages().generate, "x")
print(*sys.modules)
"""


def test_every_listed_name_is_there() -> None:
    assert sorted(harness.loop.__all__, key=str.casefold) == sorted(set(harness.loop.__all__), key=str.casefold)
    assert all(getattr(harness.loop, name) is not None for name in harness.loop.__all__)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = harness.loop.Nothing


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    """One process that uses more and more of the loop."""
    done = subprocess.run([sys.executable, "-c", _STEPS], capture_output=True, text=True, check=True)
    loop, agent, tools, drawn = (set(line.split()) for line in done.stdout.splitlines())
    heavy = {"openai", "anthropic", "google.genai", "httpx2", "jsonschema", "yaml", "PIL"}
    assert loop.isdisjoint({*heavy, "asyncio"})
    assert agent.isdisjoint({*heavy, "pydantic"})
    assert "PIL" not in tools
    assert "PIL" in drawn
