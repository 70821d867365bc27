"""Whom the loops of a run wanted to ask: each host once, allowed by name or not."""

from __future__ import annotations

import pytest

from harness.runner.network import blocked_hosts, host_of
from harness.runner.results import BlockedHost
from tests.report.runs import case


@pytest.mark.parametrize(
    ("what", "host"),
    [
        ("CONNECT api.example.com:443", "api.example.com"),
        ("connect API.Example.com.:443", "api.example.com"),
        ("connect 192.0.2.1:80", "192.0.2.1"),
        ("connect ::ffff:192.0.2.1:80", "::ffff:192.0.2.1"),
        ("CONNECT [2001:db8::1]:443", "2001:db8::1"),
        ("look up api.example.com", "api.example.com"),
        ("lookup api.example.com", "api.example.com"),
        ("send 192.0.2.1 (UDP)", "192.0.2.1"),
        ("GET http://api.example.com:81/v1/models", "api.example.com"),
        ("GET http://[nonsense/", "http://[nonsense/"),
        ("CONNECT", "connect"),
    ],
)
def test_the_host_of_whatever_was_refused(what: str, host: str) -> None:
    assert host_of(what) == host


CASES = [
    case("pass", id="a", blocked=("look up one.example", "CONNECT one.example:443")),
    case("pass", id="b", blocked=("CONNECT one.example:443", "connect two.example:80")),
    case("pass", id="c"),
]


def test_every_host_is_told_once_with_its_cases() -> None:
    assert blocked_hosts(CASES, {"TWO.example"}, skipped=False) == (
        BlockedHost("one.example", ("look up one.example", "CONNECT one.example:443"), 2, "a"),
        BlockedHost("two.example", ("connect two.example:80",), 1, "b", "allow_refused"),
    )


def test_a_host_is_allowed_by_its_whole_name_only() -> None:
    assert [each.allowed for each in blocked_hosts(CASES, {"example", "ne.example"}, skipped=False)] == ["", ""]


def test_a_star_stands_for_any_characters() -> None:
    assert [each.allowed for each in blocked_hosts(CASES, {"*.EXAMPLE"}, skipped=False)] == ["allow_refused"] * 2
    assert [each.allowed for each in blocked_hosts(CASES, {"one.*"}, skipped=False)] == ["allow_refused", ""]


def test_who_skips_the_finding_still_sees_the_hosts() -> None:
    assert [each.allowed for each in blocked_hosts(CASES, (), skipped=True)] == ["--skip", "--skip"]
    assert blocked_hosts(CASES[2:], (), skipped=True) == ()
