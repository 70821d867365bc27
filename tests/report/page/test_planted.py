"""What was planted in a run is found in its page by whoever presses twice, and two bugs without a press."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.cli.report import report
from harness.report.diff import compare
from tests.first_contact.judge import loops, run, scenarios, written
from tests.report.page.looking import Look, looking
from tests.report.planted import PLANTED

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.anyio

COUNTING = "globalThis.clicks = 0; addEventListener('click', (event) => { clicks += event.isTrusted }, true)"
BUGS = {"forgets-a-result": "OAC-03", "no-limit": "guardrail/no-limit"}


@pytest.fixture(scope="session")
def path(planted_runs: dict[str, Path]) -> Path:
    """The page of the run in which something was planted, against the clean one."""
    out = planted_runs["planted"] / "against.html"
    report([planted_runs["planted"]], format="html", out=out, against=planted_runs["clean"])
    return out


async def clicks(look: Look) -> int:
    """How often somebody has pressed since this was asked."""
    return int(await look.page.evaluate("[clicks, clicks = 0][0]"))


async def test_each_planted_mistake_is_two_clicks_away_and_nothing_else_is_called_changed(
    browser: Browser, path: Path, planted_runs: dict[str, Path]
) -> None:
    regressions = compare(planted_runs["clean"], planted_runs["planted"]).regressions
    assert {case.scenario for case in regressions} == set(PLANTED)
    async with looking(browser, path) as look:
        await look.page.evaluate(COUNTING)
        for case in regressions:
            await look.page.get_by_role("button", name="3 changed since").click()
            squares = await look.squares()
            assert sorted(square.partition(":")[0] for square in squares) == sorted(each.id for each in regressions)
            await look.page.locator(f'#matrix a[title^="{case.id}:"]').click()
            assert await look.text("#case-title") == f"✕ failed {case.id}"
            assert await clicks(look) == 2
            _, rule = PLANTED[case.scenario]
            assert case.found[0].id == rule
            assert rule in await look.text("#findings h2")
            changed = await look.text("#against")
            assert changed.startswith(f"Changed since {planted_runs['clean']} -pass +fail")
            assert rule in changed
            assert case.trace is not None
            assert case.trace.what in changed
            await look.traced()
            await look.go("#")


async def test_a_mistake_is_one_click_away_for_whoever_sees_its_square(browser: Browser, path: Path) -> None:
    async with looking(browser, path) as look:
        await look.page.evaluate(COUNTING)
        for scenario, (_, rule) in PLANTED.items():
            await look.page.locator(f'#matrix a.fail[title^="{scenario}."]').click()
            assert rule in await look.text("#findings h2")
            assert await clicks(look) == 1
            await look.go("#")


async def test_two_bugs_are_the_first_two_entries_on_the_first_screen(browser: Browser, tmp_path: Path) -> None:
    loop = next(each for each in loops() if each.name == "chat_stream")
    met = scenarios("parallel-calls", "tool-returns-any-json", "calls-without-end", "answer")
    run(written(loop, tmp_path, *map(loop.bug, BUGS)), *met, "-k", "event")
    path = tmp_path / "report" / "index.html"
    async with looking(browser, path, viewport={"width": 1440, "height": 900}) as look:
        causes = look.page.locator(".causes > li")
        assert await causes.locator("summary > b").all_inner_texts() == list(BUGS.values())
        for cause in await causes.all():
            box = await cause.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] < 900
        aside = await look.page.locator("#overview aside").bounding_box()
        for cause in await causes.all():
            box = await cause.bounding_box()
            assert box is not None
            assert aside is not None
            assert box["x"] + box["width"] <= aside["x"], "no entry reaches under what is beside it"
