"""Runs of pytest within tests of the plugin, with nothing else around them."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from tests.testing.running import PLUGIN

pytest_plugins = ["pytester"]

# pytester forgets what a run of its own was the first to import; these would be imported in each run again
for module in ("openai", "anthropic", "syrupy", "harness.gateway.server", "harness.testing.snapshot"):
    import_module(module)
for module in ("endpoint", "cases", "collection", "model"):
    import_module(f"harness.testing.{module}")


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither CI nor other plugins, nor this one, which pytest may have found by itself in the run around."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delitem(sys.modules, PLUGIN[1], raising=False)
