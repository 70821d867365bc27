"""Cases on drivers that run on Node, where there is one with their packages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.errors import BadInput
from harness.runner.execute import Finished, execute
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets import Target
from harness.targets.command.target import CommandTarget
from harness.targets.shipped import SHIPPED

DRIVERS = Path(__file__).resolve().parents[3] / "harness" / "targets" / "node"


def opened(name: str) -> CommandTarget:
    """The shipped target, or a skipped test."""
    try:
        target = SHIPPED[name].open()
    except BadInput as missing:
        pytest.skip(str(missing))
    assert isinstance(target, CommandTarget)
    return target


def broken(name: str, folder: Path, old: str, new: str) -> CommandTarget:
    """The shipped target with a copy of its driver in ``folder``, in which one text is another."""
    target = opened(name)
    node, script, *arguments = target.command
    client = DRIVERS.parents[1] / "starter" / "clients" / "harness-client.mjs"
    for file in DRIVERS.glob("*.mjs"):
        text = file.read_text(encoding="utf-8").replace("../../starter/clients/harness-client.mjs", str(client))
        (folder / file.name).write_text(text, encoding="utf-8")
    (folder / "node_modules").symlink_to(DRIVERS / "node_modules")
    copy = folder / Path(script).name
    sound = copy.read_text()
    assert sound.count(old) == 1, f"{old!r} is to be replaced; the driver has it {sound.count(old)} times"
    copy.write_text(sound.replace(old, new))
    return CommandTarget(name, (node, str(copy), *arguments), target.declaration)


Case = tuple[str, str]
"""A scenario and a wire."""


async def driven(scenario: str | Path, target: Target, wire: str = "anthropic-messages") -> Finished:
    """One case of a shipped scenario, or of a file of the same name, its bytes cut at the ends of events."""
    (finished,) = (await _driven([(scenario, wire)], target)).values()
    return finished


def driven_by_one_process(cases: Iterable[Case], target: CommandTarget) -> dict[Case, Finished]:
    """Such cases one after another, for which node and the packages are loaded once.

    CI runs the shipped targets, with a process for every case, and the tests run drivers so that are broken.
    """
    return asyncio.run(_driven(sorted(set(cases)), replace(target, persistent=True)))


async def _driven(cases: Iterable[tuple[str | Path, str]], target: Target) -> dict[Case, Finished]:
    endpoints = Endpoints()
    planned = []
    for scenario, wire in cases:
        (path,) = [scenario] if isinstance(scenario, Path) else shipped().glob(f"*/{scenario}.yaml")
        planned += plan(load([path]), target=target, expression=f"{wire} and event")
    try:
        async with serving(endpoints) as base_url:
            finished = await execute(planned, target, endpoints, base_url)
    finally:
        await target.close()
    return {(each.result.scenario, each.result.wire): each for each in finished}


def found(finished: Finished) -> set[str]:
    """What is wrong: rules, and expectations that were not met; of a wire's rules their own ids."""
    assert finished.result.error is None, finished.result.error
    return {evidence.id for evidence in finished.result.findings}
