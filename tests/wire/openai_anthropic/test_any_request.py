"""Requests that are damaged anywhere, in any way, are judged and refused; nothing is raised."""

from __future__ import annotations

from functools import cache

from harness.wire import WireName
from harness_lab.mutants.requests import PlayedLoop, base_requests


@cache
def played(name: WireName) -> list[PlayedLoop]:
    return [base.play() for base in base_requests(name)]
