"""One case of a shipped scenario on a real loop, and what came of it, for the tests of drivers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner.execute import Finished, execute
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets import Target
from harness.targets.shipped import SHIPPED
from harness.trace import Event
from harness.wire import WireName

DATA = Path(__file__).parent / "data"
"""Scenarios of what loops were seen to do differently, beside those that are shipped."""


async def driven(scenario: str | Path, target: Target, wire: WireName) -> Finished:
    """The case of a shipped scenario, by its name, or of one in a file. Its bytes are cut at the ends of events."""
    endpoints = Endpoints()
    (path,) = [scenario] if isinstance(scenario, Path) else shipped().glob(f"*/{scenario}.yaml")
    cases = plan(load([path]), target=target, wires=[wire], expression="event")
    try:
        async with serving(endpoints) as base_url:
            (finished,) = await execute(cases, target, endpoints, base_url)
    finally:
        await target.close()
    return finished


async def ran(target: str, scenario: str | Path, wire: WireName) -> Finished:
    """The case on a target that comes with a driver."""
    return await driven(scenario, SHIPPED[target].open(), wire)


def skip_without(target: str) -> None:
    for package, version in SHIPPED[target].versions.items():
        if version is None:
            pytest.skip(f"{package} is not installed: {SHIPPED[target].install}")


async def driven_if_installed(target: str, scenario: str, wire: WireName) -> Finished:
    """The case, or a skipped test where a package of the library is missing."""
    skip_without(target)
    return await ran(target, scenario, wire)


def found(finished: Finished) -> set[str]:
    """What is wrong: rules, and expectations that were not met; of a wire's rules their own ids."""
    return {evidence.id for evidence in finished.result.findings}


def told(finished: Finished, *kinds: type[Event]) -> list[Any]:
    """What the user was told, of these kinds; everything where none is given."""
    events = [told.event for _, told in finished.trace.events]
    return [event for event in events if isinstance(event, kinds or (object,))]


def request(finished: Finished, number: int) -> Any:
    """The body of a request, from 0."""
    return json.loads(finished.trace.exchanges[number].request.body)
