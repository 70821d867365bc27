"""``harness.loop`` as others import it: complete, and light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import harness.loop

_IMPORT = "import sys, harness.loop; harness.loop.PartialArguments; print(*sorted(sys.modules))"
_AGENT = "import sys; from harness.loop import Agent, ToolRuntime; print(*sorted(sys.modules))"


def modules(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_every_listed_name_is_there() -> None:
    assert sorted(harness.loop.__all__, key=str.casefold) == sorted(set(harness.loop.__all__), key=str.casefold)
    assert all(getattr(harness.loop, name) is not None for name in harness.loop.__all__)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = harness.loop.Nothing


def test_importing_the_loop_imports_nothing_heavy() -> None:
    assert modules(_IMPORT).isdisjoint(
        {"openai", "anthropic", "google.genai", "httpx2", "jsonschema", "asyncio", "yaml", "PIL"}
    )


def test_pillow_is_imported_when_the_first_image_is_drawn() -> None:
    make = "import anyio; from harness.loop.tools import PlaceholderImages as P; anyio.run(P().generate, 'x'); "
    assert "PIL" not in modules("import sys, harness.loop.tools as t; t.ToolRuntime(); print(*sys.modules)")
    assert "PIL" in modules(f"{make}import sys; print(*sys.modules)")


def test_importing_the_agent_imports_no_provider_sdk() -> None:
    assert modules(_AGENT).isdisjoint(
        {"openai", "anthropic", "google.genai", "httpx2", "jsonschema", "yaml", "pydantic", "PIL"}
    )
