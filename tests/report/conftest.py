"""Runs with planted mistakes, and the browser of the live view's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report import planted
from tests.watch.conftest import browser, trap

__all__ = ["browser", "planted_runs", "trap"]


@pytest.fixture(scope="session")
def planted_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return planted.planted_runs(tmp_path_factory.mktemp("planted"))
