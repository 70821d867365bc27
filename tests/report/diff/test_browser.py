"""The page of ``harness diff --format html`` in a real browser: readable, reached by keyboard, and harmless."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.report.diff import Comparison, compare, html
from harness.report.diff.formats import FORMATS, html_beside
from tests.report.diff.making import HOSTILE, hostile_runs
from tests.report.page.looking import looking
from tests.watch.trap import Trap
from tests.watch.window import window

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.anyio

MADE_OF_TEXTS = "img, main script, a:not([href*='/index.html#case=']), meta[http-equiv=refresh], object, embed, svg"
MADE_OF_TEXTS += ", iframe, form"
LISTENING = "globalThis.ran = []; addEventListener('message', ({data}) => ran.push(data))"


@pytest.fixture(scope="module")
def comparison(planted_runs: dict[str, Path]) -> Comparison:
    return compare(planted_runs["clean"], planted_runs["planted"])


@pytest.fixture(scope="module")
def path(comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("diff"), FORMATS["html"](comparison))


def written(folder: Path, text: str) -> Path:
    path = folder / "diff.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [480, 960, 1600])
async def test_what_was_planted_stands_on_the_first_screen_and_nothing_is_wider(
    width: int, browser: Browser, path: Path
) -> None:
    async with looking(browser, path, ready="h1", loaded=True, viewport={"width": width, "height": 900}) as look:
        assert await look.text("h1") == "3 regressed, 1 unchanged"
        assert await look.page.title() == "3 regressed, 1 unchanged"
        for rule in ("OAC-03", "order/tool-start-once", "guardrail/limit-reported"):
            assert await look.page.get_by_role("heading", name=rule).count() == 1
        assert await look.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        first = await look.page.locator("h2").first.bounding_box()
        assert first is not None
        assert first["y"] < 600


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(246, 246, 244)"), ("dark", "rgb(19, 20, 22)")])
async def test_it_is_light_or_dark_as_the_system_is(scheme: str, paper: str, browser: Browser, path: Path) -> None:
    async with looking(browser, path, ready="h1", loaded=True, color_scheme=scheme) as look:
        assert await look.page.evaluate("getComputedStyle(document.body).backgroundColor") == paper


async def test_the_keyboard_folds_a_case_and_unfolds_it(browser: Browser, path: Path) -> None:
    async with looking(browser, path, ready="h1") as look:
        assert look.requests == [path.as_uri()]
        case = look.page.locator("details").first
        assert await case.get_attribute("open") is not None
        for _ in range(3):  # the search, the theme, the case
            await look.page.keyboard.press("Tab")
        assert await look.page.evaluate("document.activeElement === document.querySelector('summary')")
        style = "getComputedStyle(document.activeElement)"
        assert await look.page.evaluate(f"{style}.outlineStyle + ' ' + {style}.outlineWidth") == "solid 2px"
        await look.page.keyboard.press("Enter")
        assert await case.get_attribute("open") is None
        await look.page.keyboard.press(" ")
        assert await case.get_attribute("open") is not None


async def test_the_search_leaves_what_matches_and_the_theme_is_kept(browser: Browser, path: Path) -> None:
    async with looking(browser, path, ready="h1") as look:
        shown = look.page.locator("h3:visible")
        number = await shown.count()
        await look.page.keyboard.press("/")
        await look.page.keyboard.type("OAC-03")
        assert 0 < await shown.count() < number
        assert all("OAC-03" in text for text in await look.page.locator(".item:visible").all_inner_texts())
        left = await look.page.locator(".item:visible").count()
        assert await look.text("#left") == f"{left} of {await look.page.locator('.item').count()}"
        await look.page.keyboard.press("Escape")
        await look.page.keyboard.press("d")
        assert await look.text("#theme") == "Theme: dark"
        assert await look.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(19, 20, 22)"


async def test_cases_are_links_to_the_pages_of_their_runs(
    browser: Browser, comparison: Comparison, planted_runs: dict[str, Path], tmp_path: Path
) -> None:
    path = written(tmp_path, html_beside(comparison, tmp_path))
    case = comparison.regressions[0].id
    async with window(browser) as page:
        await page.goto(path.as_uri())
        await page.get_by_role("link", name=case).first.click()
        await page.locator("#case-title").wait_for()
        assert page.url == f"{(planted_runs['planted'] / 'index.html').as_uri()}#case={case}"
        assert case in await page.inner_text("#case-title")


async def test_hostile_texts_stay_texts(browser: Browser, trap: Trap, tmp_path: Path) -> None:
    trap.forget()
    path = written(tmp_path, FORMATS["html"](compare(*hostile_runs(tmp_path, HOSTILE))))
    async with looking(browser, path, ready="h1") as look:
        await look.page.evaluate(LISTENING)
        said = await look.page.locator("body").text_content() or ""
        for text in HOSTILE:
            assert re.sub(r"[^ -~]+", "", text)[:200] in re.sub(r"\\(x|u)[0-9a-f]+|\\r|[^ -~]+", "", said)
        assert await look.page.locator(MADE_OF_TEXTS).count() == 0
        assert await look.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        narrow = (
            "[...document.querySelectorAll('dd')].filter((each) => each.getBoundingClientRect().width < 200).length"
        )
        assert await look.page.evaluate(narrow) == 0  # no label takes the place of what it is about
        assert await look.page.evaluate("ran") == []
        assert look.requests == [path.as_uri()]
    assert trap.visits == []


@pytest.mark.exhaustive
async def test_without_its_locks_it_would_be_harmed(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that the escapes are what keeps texts texts, and that the policy holds where they are forgotten."""
    monkeypatch.setattr(html, "escape", str)
    text = FORMATS["html"](compare(*hostile_runs(tmp_path, HOSTILE[:1])))
    open_to_all = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", text, count=1)
    context = await browser.new_context()
    look = await context.new_page()
    await look.add_init_script(LISTENING)
    for page, harmed in ((text, False), (open_to_all, True)):
        await look.goto(written(tmp_path, page).as_uri())
        assert await look.locator("img").count() > 0
        if harmed:
            await look.evaluate("ran.length || new Promise((done) => addEventListener('message', () => done()))")
        assert bool(await look.evaluate("ran.length")) == harmed
    await context.close()
