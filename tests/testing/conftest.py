"""Runs of pytest within tests of the plugin, with nothing else around them."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from tests.testing.running import PLUGIN

pytest_plugins = ["pytester"]

PRELOADED = (
    *("httpcore2", "openai", "anthropic", "syrupy", "harness.endpoint.server"),
    *(f"harness.testing.{each}" for each in ("snapshot", "endpoint", "cases", "collection", "model")),
)
"""pytester forgets what a run of its own was the first to import; these would be imported in each run again.

A second ``httpcore2`` has other exceptions than those that ``httpx2`` knows, in each test that follows.
"""


@pytest.fixture(scope="session", autouse=True)
def preloaded() -> None:
    for module in PRELOADED:
        import_module(module)


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither CI nor other plugins, nor this one, which pytest may have found by itself in the run around."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delitem(sys.modules, PLUGIN[1], raising=False)
