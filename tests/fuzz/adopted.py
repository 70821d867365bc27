"""Examples as scenarios in files, and what comes of them on a target."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.endpoint import Endpoints
from harness.fuzz.campaign import Campaign, Example, Subject
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.scenario import Scenario, load
from harness.wire import WireName

SUMMARY = 'Found by fuzzing: "half" an \\escape is shown # as it is.'


def written(
    campaign: Campaign[Example, Subject], folder: Path, examples: Iterable[Example], name: str = "found-{}"
) -> list[Scenario]:
    """The scenarios of those examples that can be said in one, loaded from their files."""
    for number, example in enumerate(examples):
        files = campaign.scenario(example, name.format(number), SUMMARY)
        for file, text in (files or {}).items():
            (folder / file).write_text(text, encoding="utf-8")
    return load([folder]) if any(folder.iterdir()) else []


async def results(
    scenarios: Sequence[Scenario], target: str = "reference", wires: Sequence[WireName] = ()
) -> list[CaseResult]:
    """The results of all cases of the scenarios on a target."""
    endpoints = Endpoints()
    opened = open_target(target, endpoints)
    try:
        cases = plan(scenarios, target=opened, wires=wires, expression="", seed=0)
        finished = await execute(cases, opened, endpoints, "http://harness", jobs=1)
    finally:
        await opened.close()
    return [each.result for each in finished]


def unlike_pass(found: Iterable[CaseResult]) -> dict[str, tuple[str, list[str]]]:
    """The verdict of each case that did not pass, and what is wrong in it."""
    return {each.id: (each.verdict, list(map(str, each.unexpected))) for each in found if each.verdict != "pass"}
