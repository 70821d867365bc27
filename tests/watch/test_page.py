"""The page in a real browser: what it shows, in which order, and that it grows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from harness.report.entries import severity
from harness.scenario import shipped
from harness.trace import Assistant, Failure, Final, SetCode, Thinking, ToolResult, ToolStart, TurnStart
from harness.watch import Performance, chosen_case, watching
from harness.watch.messages import Message, event_message, written
from tests.watch.messages import CASE, PASSED, failed, performing
from tests.watch.window import window

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

pytestmark = pytest.mark.anyio

BAKERY = (shipped() / "screenshot_to_code" / "pages" / "bakery.html").read_text(encoding="utf-8")

# Every state of the page that the frame in front has shown, by its length.
NOTE_LENGTHS = """
globalThis.lengths = [];
new MutationObserver(() => {
  const seen = document.querySelector("iframe.seen");
  if (seen && seen.srcdoc.length !== lengths.at(-1)) lengths.push(seen.srcdoc.length);
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["class"] });
globalThis.grown = (times) => new Promise((resolve) => {
  const look = () => (lengths.length < times ? requestAnimationFrame(look) : resolve());
  look();
});
"""

NAME = "(element) => element.id || element.localName"
INTERACTIVE = f"""() => [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")]
  .filter((element) => element.checkVisibility()).map({NAME})"""
NOTE_VISITS = f"""() => {{
  window.visits = [];
  document.addEventListener("focusin", ({{target}}) =>
    visits.push([({NAME})(target), getComputedStyle(target).outlineStyle !== "none"]));
}}"""
TABS = 20  # more than the page has stops


@dataclass
class Look:
    page: Page
    frames: list[Message] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def opened(self, socket: Any) -> None:
        socket.on("framereceived", lambda payload: self.frames.append(json.loads(payload)))

    async def feed(self) -> list[str]:
        """The items of the feed, one line each."""
        texts = await self.page.locator("#feed > *").all_inner_texts()
        return [" ".join(text.split()) for text in texts]


@asynccontextmanager
async def looking(browser: Browser, url: str, **options: Any) -> AsyncIterator[Look]:
    async with window(browser, script=NOTE_LENGTHS, **options) as page:
        look = Look(page)
        listeners = {
            "console": lambda message: look.complaints.append(message.text),
            "pageerror": lambda error: look.complaints.append(str(error)),
            "request": lambda request: look.requests.append(request.url),
            "websocket": look.opened,
        }
        for event, listener in listeners.items():
            page.on(event, listener)
        await page.goto(url)
        yield look
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        await page.goto("about:blank")  # or it would ask the server that ends


async def ended(look: Look) -> None:
    await look.page.locator("#feed[aria-busy=false]").wait_for()


async def test_a_run_is_shown_as_it_was_told(browser: Browser) -> None:
    item = await chosen_case("create-then-edit", wire="openai-responses", target="reference")
    perform = Performance(item, "reference", severity)
    sent: list[Message] = []
    await perform(lambda message: sent.append(json.loads(written(message))))
    async with watching(perform, pace=0.005) as url, looking(browser, url) as look:
        await ended(look)
        for messages in (sent, look.frames):
            del messages[-1]["seconds"]
        assert look.frames == sent
        assert [line.split(" {")[0] for line in await look.feed()] == [
            item.scenario.summary,
            "system You build web pages.",
            "user Build a landing page for a bakery. They are open every day.",
            "Turn 1",
            "Thinking A small page with warm colours first, the opening hours after.",
            "I will create the page.",
            "create_file ok arguments",
            "Turn 2",
            "Now the opening hours.",
            "edit_file ok arguments",
            "Turn 3",
            "The page is ready.",
            "final: completed The page is ready.",
            "Passed 3 requests; every rule and every expectation holds.",
        ]
        assert await look.page.inner_text("#state") == "Passed"
        await look.page.frame_locator("iframe.seen").get_by_text("Open daily").wait_for()
        lengths = await look.page.evaluate("lengths")
        assert len(lengths) > 2
        assert lengths == sorted(lengths)
        assert look.complaints == []
        assert all(request.startswith((url, "about:", "data:")) for request in look.requests)


async def test_the_preview_grows_while_the_code_arrives(browser: Browser) -> None:
    go_on = asyncio.Event()

    async def perform(tell: Callable[[Message], None]) -> None:
        tell(CASE)
        for end in range(500, 2501, 500):
            await go_on.wait()
            go_on.clear()
            tell(event_message(SetCode(BAKERY[:end], "c", preview=True)))
        await go_on.wait()
        tell(event_message(SetCode(BAKERY, "c")))
        tell(PASSED)

    async with watching(perform) as url, looking(browser, url) as look:
        assert await look.page.locator("#empty").is_visible()
        for shown in range(1, 6):
            go_on.set()
            await look.page.evaluate(f"grown({shown})")
            assert await look.page.inner_text("#size") == f"{shown * 500:,} characters so far"
        growing = await look.page.evaluate("lengths")
        assert growing == sorted(set(growing))
        go_on.set()
        await ended(look)
        await look.page.frame_locator("iframe.seen").locator("footer").wait_for()
        assert await look.page.inner_text("#size") == f"{len(BAKERY):,} characters"
        await look.page.get_by_role("button", name="Code").click()
        assert await look.page.inner_text("#code") == BAKERY
        assert not await look.page.locator("iframe.seen").is_visible()


async def test_the_states_of_tool_calls(browser: Browser) -> None:
    release = asyncio.Event()
    events = [
        TurnStart(1),
        ToolStart("1", "build", {"n": 1}),
        ToolStart("2", "test"),
        ToolStart("3", "ship"),
        ToolResult("2", "test", "no luck", ok=False),
        ToolResult("1", "build", {"made": True}, ok=True),
    ]

    async def perform(tell: Callable[[Message], None]) -> None:
        tell(CASE)
        for event in events:
            tell(event_message(event))
        await release.wait()
        tell(event_message(Failure("stream", "the stream broke off")))
        tell(failed("a text", event=3))

    async with watching(perform) as url, looking(browser, url) as look:
        states = look.page.locator("#feed > .call .chip")
        await look.page.locator(".call[data-state=ok]").wait_for()
        assert await states.all_inner_texts() == ["ok", "failed", "running"]
        assert await look.page.inner_text("#state") == "Turn 1"
        release.set()
        await ended(look)
        assert await states.all_text_contents() == ["ok", "failed", "unfinished"]
        assert (await look.feed())[-2] == "error: stream the stream broke off"
        assert await look.page.inner_text("#state") == "1 finding"


async def test_a_finding_shows_rule_expected_and_got_and_leads_to_its_place(browser: Browser) -> None:
    finding = {
        "name": "order/x",
        "severity": "MUST, unsafe",
        "expected": "A",
        "got": "B",
        "detail": "",
        "event": 2,
    }
    last = {**failed(""), "findings": [finding, {**finding, "event": None}], "error": None}
    async with (
        watching(performing([TurnStart(1), Assistant("Here.", "a")], last)) as url,
        looking(browser, url) as look,
    ):
        await ended(look)
        assert (await look.feed())[-1] == (
            "Failed 1 request. order/x MUST, unsafe expected A got B Show where order/x MUST, unsafe expected A got B"
        )
        await look.page.get_by_role("button", name="Show where").press("Enter")
        assert await look.page.evaluate("document.activeElement.textContent") == "Here."


async def test_code_of_no_call_and_a_result_of_no_call_are_shown(browser: Browser) -> None:
    events = [SetCode("<p>", preview=True), SetCode("<p>page"), ToolResult("?", "test", "fine", ok=True)]
    async with watching(performing(events)) as url, looking(browser, url) as look:
        await ended(look)
        assert (await look.feed())[2:-1] == ["Page: 7 characters", "test ok result fine"]
        assert look.complaints == []


async def test_pieces_grow_together_until_something_else_comes_between(browser: Browser) -> None:
    events = [
        Thinking("a", "t"),
        Thinking("b", "t"),
        Assistant("c", "t"),
        Assistant(" d", "t"),
        Thinking("e", "t"),
        Assistant("f", "t"),
        Assistant("g", "u"),
        Final("", text="done"),
    ]
    async with watching(performing(events)) as url, looking(browser, url) as look:
        await ended(look)
        shown = ["Thinking ab", "c d", "Thinking e", "f", "g", "final: completed done"]
        assert (await look.feed())[2:-1] == shown


async def test_a_reload_runs_it_again(browser: Browser) -> None:
    runs = 0

    async def perform(tell: Callable[[Message], None]) -> None:
        nonlocal runs
        runs += 1
        for message in (CASE, event_message(Assistant(f"run {runs}", "a")), PASSED):
            tell(message)

    async with watching(perform) as url, looking(browser, url) as look:
        await ended(look)
        await look.page.get_by_role("button", name="Run again").click()
        await look.page.get_by_text("run 2", exact=True).wait_for()
        assert runs == 2


async def test_a_lost_connection_is_said(browser: Browser) -> None:
    async with (
        watching(performing([TurnStart(1), ToolStart("1", "build")], None)) as url,
        looking(browser, url) as look,
    ):
        await ended(look)
        assert await look.page.inner_text("#state") == "Connection lost"
        assert await look.page.inner_text(".call .chip") == "unfinished"


async def test_everything_is_reached_by_keyboard(browser: Browser) -> None:
    """In the order of the document. A browser may stop at more, as at whatever scrolls: that is its own affair."""
    async with (
        watching(performing([Thinking("a", "t"), SetCode("<p>x</p>", "c")])) as url,
        looking(browser, url) as look,
    ):
        await ended(look)
        wanted = await look.page.evaluate(INTERACTIVE)
        assert wanted == ["again", "feed", "summary", "show-preview", "show-code"]
        reached = await stops(look.page)
        assert [name for name in reached if name in wanted] == wanted
        assert [name for name in wanted if not reached[name]] == []


async def test_a_long_verdict_is_read_from_its_start(browser: Browser) -> None:
    last = {**failed(""), "findings": [*failed("why " * 50)["findings"]] * 30, "error": None}
    async with watching(performing([Assistant("Here.", "a")], last)) as url, looking(browser, url) as look:
        await ended(look)
        verdict, feed = [await look.page.locator(place).bounding_box() for place in ("#feed .verdict", "#feed")]
        assert verdict is not None
        assert feed is not None
        assert abs(verdict["y"] - feed["y"]) < 1


async def stops(page: Page) -> dict[str, bool]:
    """What Tab leads to from the top of the page, in the order of the first visits, and whether an outline shows it.

    The page notes the visits: on a busy machine the focus may come back from a frame later than Tab is answered.
    """
    await page.evaluate(NOTE_VISITS)
    for _ in range(TABS):
        await page.keyboard.press("Tab")
    visits: list[tuple[str, bool]] = await page.evaluate("visits")
    first: dict[str, bool] = {}
    for name, outlined in visits:
        first.setdefault(name, outlined)
    return first


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
async def test_it_fits_the_screen(browser: Browser, width: int, scheme: str) -> None:
    events = [Assistant("long" * 100, "a"), ToolStart("1", "name" * 50, {"key": "value" * 100}), SetCode(BAKERY, "1")]
    options = {"viewport": {"width": width, "height": 700}, "color_scheme": scheme}
    async with watching(performing(events)) as url, looking(browser, url, **options) as look:
        await ended(look)
        assert await look.page.evaluate("document.documentElement.scrollWidth") <= width
        assert await look.page.evaluate("document.documentElement.scrollHeight") <= 700
        assert await look.page.evaluate("document.querySelector('#feed').scrollWidth") <= width
        paper = await look.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (paper == "rgb(20, 21, 23)") == (scheme == "dark")
