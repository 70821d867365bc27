"""A finding without a level or an impact that exists is no evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from harness.finding import Finding
from harness_lab.selftest.evidence import unclear

FINDING = Finding("order/one-end", "MUST", "unsafe", 2, "one end", "two")


def test_a_finding_that_says_all_is_evidence() -> None:
    assert unclear([FINDING], 3) == ()


@pytest.mark.parametrize(
    ("change", "lack"),
    [
        ({"level": ""}, "its level is ''"),
        ({"impact": ""}, "its impact is ''"),
        ({"impact": "MUST"}, "its impact is 'MUST'"),
        ({"got": ""}, "got is empty"),
        ({"at": 9}, "line 9 is none of the trace, which has 3 records"),
    ],
)
def test_what_a_finding_lacks_is_named(change: dict[str, Any], lack: str) -> None:
    assert unclear([cast(Finding, replace(FINDING, **change))], 3) == (f"order/one-end: {lack}",)
