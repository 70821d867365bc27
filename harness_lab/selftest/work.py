"""The whole selftest, family by family."""

from __future__ import annotations

from collections.abc import AsyncIterator

from harness_lab.selftest.loops import loops
from harness_lab.selftest.mutant_run import Family
from harness_lab.selftest.requests import requests_of
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.traces import traces


async def families(scope: Scope) -> AsyncIterator[Family]:
    """The families that ``scope`` wants, each when it is done; families in which nothing is wanted are left out."""
    for name in scope.wires:
        family = requests_of(name, scope)
        if not family.empty:
            yield family
    family = await traces(scope)
    if not family.empty:
        yield family
    if scope.loops:
        family = await loops(scope)
        if not family.empty:
            yield family
