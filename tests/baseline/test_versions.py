"""Entries count for the versions that they name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.baseline.model import Baseline, Host
from harness.baseline.versions import in_force, installed, range_of
from tests.baseline.case_results import entry


def counts(found: dict[str, str], **versions: str) -> bool:
    entries, out = in_force(Baseline(Path("a.yaml"), "a-loop", (entry("a.*", "order/end", **versions),)), found)
    assert len(entries) + len(out) == 1
    return bool(entries)


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        ("2.66.0", ">=2.66,<3", True),
        ("2.67.1", ">=2.66,<3", True),
        ("2.65.9", ">=2.66,<3", False),
        ("3.0.0", ">=2.66,<3", False),
        ("7.1.0-beta.2", ">=7.0", True),
        ("7.0.173", "==7.0.*", True),
        ("what", ">=1", False),
    ],
)
def test_a_range_covers_what_is_in_it_and_nothing_else(found: str, wanted: str, expected: bool) -> None:
    assert counts({"some-loop": found}, some_loop=wanted) is expected


def test_an_entry_without_versions_always_counts() -> None:
    assert counts({})


def test_every_range_must_hold() -> None:
    assert counts({"one": "1.0", "two": "2.0"}, one=">=1", two=">=2")
    assert not counts({"one": "1.0", "two": "2.0"}, one=">=1", two=">=3")


def test_a_package_that_is_not_there_has_no_version_and_any_python_package_may_be_named() -> None:
    assert not counts({}, no_such_package_anywhere=">=0")
    assert counts({}, packaging=">=0")
    assert not counts({}, packaging="<1")


def test_what_does_not_count_is_told_with_what_was_found() -> None:
    baseline = Baseline(Path("a.yaml"), "a-loop", (entry("a.*", "order/end", some_loop="<2"),))
    _, (out,) = in_force(baseline, {"some-loop": "2.0"})
    assert (out.package, out.found, out.entry) == ("some-loop", "2.0", baseline.entries[0])


def test_a_shipped_target_has_the_versions_of_its_packages_its_own_first() -> None:
    assert list(installed("google-genai")) == ["google-genai"]
    assert installed("my_package.agent:run") == {}


@pytest.mark.parametrize(
    ("found", "expected"),
    [("2.66.0", ">=2.66,<3"), ("0.24.1", ">=0.24,<0.25"), ("7.0.173", ">=7.0,<8"), ("1.2rc1", ">=1.2,<2")],
)
def test_a_range_reaches_to_where_a_package_may_change(found: str, expected: str) -> None:
    assert range_of(found) == expected


@pytest.mark.parametrize(
    ("host", "provider", "expected"),
    [
        ("any", True, True),
        ("any", False, True),
        ("provider", True, True),
        ("provider", False, False),
        ("other", True, False),
        ("other", False, True),
    ],
)
def test_an_entry_counts_at_the_hosts_that_it_is_about(host: Host, provider: bool, expected: bool) -> None:
    one = replace(entry("a.*", "order/end"), host=host)
    entries, out = in_force(Baseline(Path("a.yaml"), "a-loop", (one,)), {}, provider=provider)
    assert (bool(entries), out) == (expected, ())
