"""Tests of what only a kernel with namespaces can do."""

from __future__ import annotations

import pytest

from harness.sealing.allowed import refusal


@pytest.fixture(autouse=True)
def _seals_can_be_made() -> None:
    if why := refusal():
        pytest.skip(f"no seal can be made here: {why}")
