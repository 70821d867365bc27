from __future__ import annotations

from functools import cache

import pytest

from harness.fuzz import search
from harness.fuzz.campaigns import CAMPAIGNS, Listed


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the toy campaign, which is among the others while the test runs."""
    monkeypatch.setitem(CAMPAIGNS, "toy", Listed("tests.fuzz.toy"))  # type: ignore[arg-type]
    monkeypatch.setattr(search, "_subject", cache(search._subject.__wrapped__))  # the others stay open
    return "toy"


@pytest.fixture(autouse=True)
def freed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """An entry for each time that a campaign would have freed what other tests have left in cycles, too."""
    times: list[str] = []
    monkeypatch.setattr("harness.fuzz.work.free_cycles", lambda: times.append("freed"))
    return times
