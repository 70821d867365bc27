"""Whoever opens the page of a loop with two bugs sees both, by name, without scrolling."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.first_contact.judge import loops, run, scenarios, written
from tests.report.page.looking import looking

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.anyio

BUGS = {"forgets-a-result": "OAC-03", "no-limit": "guardrail/no-limit"}


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
