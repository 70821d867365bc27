"""Hostile model output in a real browser: it runs nothing and reaches nobody.

Each lock is proven by pages that lack it: with all of them gone the same content does its harm, and either lock of
the preview alone keeps scripts from running.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from harness.trace import Assistant, Event, Failure, Final, SetCode, Thinking, ToolResult, ToolStart, TurnStart
from harness.watch import watching
from harness.watch.files import PAGE as FILES
from harness.watch.files import PageFile
from tests.watch import hostile
from tests.watch.messages import failed, performing
from tests.watch.trap import CONTROL, NO_REQUEST, Trap

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.anyio

IN_THE_PREVIEW = (
    TurnStart(1),
    ToolStart("c", "create_file", {"path": "index.html"}),
    SetCode(hostile.PAGE[: len(hostile.PAGE) // 2], "c", preview=True),
    SetCode(hostile.PAGE, "c"),
    Final(hostile.PAGE),
)


def everywhere(text: str) -> tuple[Event, ...]:
    """The text wherever an event holds one."""
    return (
        Thinking(text, "t"),
        Assistant(text, "a"),
        Assistant(text, "a"),
        ToolStart(text, text, {text: [text]}),
        SetCode("<p>ok</p>", text, preview=True),
        ToolResult(text, text, {text: text}, ok=False),
        ToolResult("unknown", text, text, ok=True),
        Failure(text, text),
        Final("", outcome=text, text=text),
    )


IN_TEXTS = tuple(event for text in hostile.TEXTS for event in everywhere(text))


@dataclass
class Seen:
    """What came of a look: names of what ran, hosts that were asked for, and what the console says."""

    page: Page
    trap: Trap
    errors: list[str] = field(default_factory=list)
    thrown: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    control: Page | None = None

    async def ran(self) -> set[str]:
        return set(await self.page.evaluate("ran"))

    async def asked(self) -> list[str]:
        """All visits of the trap, once a visit of our own has shown that it works and that earlier ones are in."""
        if self.control is None:
            self.control = await self.page.context.new_page()
        await self.control.goto(f"http://{CONTROL}/")
        await self.page.bring_to_front()  # a window that is behind draws seldom, and is pressed as seldom
        assert self.trap.works
        visits = self.trap.visits
        self.trap.forget()
        return visits

    def windows(self) -> int:
        """How many windows there are, but ours."""
        return len([page for page in self.page.context.pages if page is not self.control])


@asynccontextmanager
async def looking(browser: Browser, trap: Trap, url: str) -> AsyncIterator[Seen]:
    """Look at a run until its end. A script that runs anywhere in the page can say so to ``ran``."""
    trap.forget()
    context = await browser.new_context()
    page = await context.new_page()
    await page.add_init_script("globalThis.ran ??= []; addEventListener('message', ({data}) => ran.push(data))")
    seen = Seen(page, trap)
    page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.thrown.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))
    await page.goto(url)
    await page.locator("#feed[aria-busy=false]").wait_for()
    yield seen
    await context.close()


async def shown(seen: Seen) -> None:
    """Wait until the frame that is seen holds the whole hostile page, with all that loads with it."""
    await seen.page.frame_locator("iframe.seen").locator("#formaction").wait_for()


def without(*locks: str) -> Mapping[str, PageFile]:
    """The page's files, these locks taken off."""
    files = dict(FILES)
    for lock in locks:
        for path, old, new in OFF[lock]:
            text = files[path].body.decode()
            assert old in text, f"{path} no longer says {old!r}"
            files[path] = replace(files[path], body=text.replace(old, new).encode())
        if lock == "policy":
            kept = {path: dict(file.headers) for path, file in files.items()}
            files = {path: replace(file, headers=kept[path]) for path, file in files.items()}
            for headers in kept.values():
                del headers["Content-Security-Policy"]
    return {**files, "/": files["/index.html"]}


OFF = {
    "sandbox": [("/index.html", ' sandbox=""', "")],
    "policy": [("/preview.js", 'const FRAME_POLICY = "', 'const FRAME_POLICY = ""; "')],
    "harmless": [
        (
            "/preview.js",
            "harmless(this.#wanted)",
            '`<meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}">${this.#wanted}`',
        )
    ],
    "text": [("/feed.js", "element.textContent = text", "element.innerHTML = text")],
}
REFUSAL = re.compile(r"violates the following Content Security Policy directive|is sandboxed and the 'allow-")


async def test_a_hostile_page_runs_nothing_and_reaches_nobody(browser: Browser, trap: Trap) -> None:
    async with watching(performing(IN_THE_PREVIEW)) as url, looking(browser, trap, url) as seen:
        await shown(seen)
        frame = seen.page.frame_locator("iframe.seen")
        for pressed in hostile.PRESSED:
            await frame.locator(pressed).click()
        assert await seen.ran() == set()
        assert await seen.asked() == []
        assert seen.page.url == url
        assert seen.windows() == 1
        assert seen.thrown == []
        assert [error for error in seen.errors if not REFUSAL.search(error)] == []


async def test_hostile_texts_stay_texts(browser: Browser, trap: Trap) -> None:
    perform = performing(IN_TEXTS, failed(hostile.TEXTS[0]))
    async with watching(perform) as url, looking(browser, trap, url) as seen:
        feed = await seen.page.locator("#feed").text_content() or ""
        assert all(text in feed for text in hostile.TEXTS)
        assert await seen.page.locator("#feed :is(img, script, iframe, svg, a, meta)").count() == 0
        assert await seen.ran() == set()
        assert await seen.asked() == []
        assert all(request.startswith((url, "about:", "data:")) for request in seen.requests)
        assert (seen.errors, seen.thrown) == ([], [])


@pytest.mark.parametrize("off", [("harmless", "sandbox"), ("harmless", "policy")], ids="+".join)
async def test_either_lock_of_the_preview_alone_keeps_scripts_from_running(
    off: tuple[str, ...], browser: Browser, trap: Trap
) -> None:
    perform = performing(IN_THE_PREVIEW)
    async with watching(perform, page=without(*off)) as url, looking(browser, trap, url) as seen:
        if "policy" in off:  # without the sandbox it is soon led elsewhere, and nothing of it is left
            await shown(seen)
        assert await seen.ran() == set()
        asked = await seen.asked()
        assert ("image" in asked) == ("policy" in off)


# What is pressed last breaks its frame; the others leave it as it was.
PRESSED_IN_ONE_FRAME = (("#javascript", "#over", "#aside", "#away"), ("#send",), ("#formaction",))


async def test_both_locks_keep_scripts_from_running_and_what_is_pressed_from_leading_out(
    browser: Browser, trap: Trap
) -> None:
    assert sorted(pressed for frame in PRESSED_IN_ONE_FRAME for pressed in frame) == sorted(hostile.PRESSED)
    page = without("harmless")
    async with watching(performing(IN_THE_PREVIEW), page=page) as url, looking(browser, trap, url) as seen:
        for number, frame in enumerate(PRESSED_IN_ONE_FRAME):
            if number:
                await seen.page.reload()
            await shown(seen)
            for pressed in frame:
                await seen.page.frame_locator("iframe.seen").locator(pressed).click()
                # Chromium connects as the mouse goes down, and asks nothing.
                assert set(await seen.asked()) <= {NO_REQUEST}, pressed
                assert await seen.ran() == set(), pressed
                assert seen.page.url == url, pressed
                assert seen.windows() == 1, pressed


async def test_without_its_locks_the_page_is_harmed(browser: Browser, trap: Trap) -> None:
    page = without("harmless", "sandbox", "policy")
    async with watching(performing(IN_THE_PREVIEW), page=page) as url, looking(browser, trap, url) as seen:
        await seen.page.wait_for_function("['script', 'image-error', 'inner-srcdoc'].every(name => ran.includes(name))")
        assert set(await seen.asked()) >= {"script-src", "image", "stylesheet"}


async def test_a_page_that_takes_texts_for_markup_is_stopped_by_its_policy(browser: Browser, trap: Trap) -> None:
    async with watching(performing(IN_TEXTS), page=without("text")) as url, looking(browser, trap, url) as seen:
        assert await seen.ran() == set()
        assert any("TrustedHTML" in error for error in seen.thrown)


@pytest.mark.exhaustive
async def test_and_without_its_policy_it_is_harmed(browser: Browser, trap: Trap) -> None:
    perform = performing(everywhere(hostile.TEXTS[0]))
    page = without("text", "policy")
    async with watching(perform, page=page) as url, looking(browser, trap, url) as seen:
        await seen.page.wait_for_function("ran.includes('text-image')")
        assert await seen.ran() == {"text-image"}
