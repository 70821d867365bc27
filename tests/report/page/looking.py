"""A look at a page on the disk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.watch.window import window

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

FOLLOW = """(to) => new Promise((done) => {
  const before = location.hash;
  addEventListener("hashchange", () => done(), { once: true });
  location.hash = to;
  // The page may show filters that it has not yet written to the address.
  if (location.hash === before) dispatchEvent(new HashChangeEvent("hashchange"));
})"""

TRACK = """() => {
  if ("arrived" in globalThis) return;
  globalThis.arrived = location.hash;
  addEventListener("hashchange", () => { arrived = location.hash; });
  const { replaceState } = history;
  history.replaceState = function (...to) {
    replaceState.apply(this, to);
    arrived = location.hash;
  };
}"""
"""Notes where the page has arrived: it follows a link in an event after the click."""

ARRIVED = """() => new Promise((done) => {
  let left = 1000;
  const look = () => globalThis.arrived === location.hash || !left-- ? done() : setTimeout(look);
  look();
})"""


@dataclass
class Look:
    """``complaints`` are what the console says and what was thrown, ``requests`` whatever was asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    async def text(self, selector: str) -> str:
        """What is shown, once the page has followed the last link."""
        await self.page.evaluate(ARRIVED)
        return " ".join((await self.page.inner_text(selector)).split())

    async def reload(self) -> None:
        await self.page.reload()
        await self.page.locator("html[data-ready]").wait_for(state="attached")
        await self.page.evaluate(TRACK)

    async def fragment(self) -> str:
        return str(await self.page.evaluate("location.hash"))

    async def go(self, fragment: str) -> None:
        """Follow a link to here, and wait until the page has done so, too."""
        await self.page.evaluate(FOLLOW, fragment)

    async def arrives(self, fragment: str) -> None:
        """Wait until the address ends like this: it is rewritten only now and then."""
        await self.page.wait_for_url(lambda url: url.partition("#")[2] == fragment.removeprefix("#"))

    async def squares(self) -> list[str]:
        """What the squares of the matrix say, in order."""
        return [await each.get_attribute("title") or "" for each in await self.page.locator("#matrix a.square").all()]

    async def traced(self) -> None:
        """Wait for the trace of the case that is open."""
        await self.page.locator("#traced").wait_for()


@asynccontextmanager
async def looking(
    browser: Browser,
    path: Path,
    fragment: str = "",
    *,
    ready: str = "html[data-ready]",
    loaded: bool = False,
    **options: Any,
) -> AsyncIterator[Look]:
    """Open a page, look at it, and see that it asked for nothing but files beside it, and that nothing went wrong.

    ``ready`` is what it has as soon as it can be looked at, ``options`` are those of a window. With ``loaded``, a page
    that the window shows already is not loaded again, but led to its overview and from there to the fragment.
    """
    async with window(browser, **options) as page:
        again = loaded and page.url.partition("#")[0] == path.as_uri()
        if not again:
            await page.goto("about:blank")  # what the page before still asks for or says is not of this look
        look = Look(page)
        listeners = {
            "console": lambda message: look.complaints.append(message.text),
            "pageerror": lambda error: look.complaints.append(str(error)),
            "request": lambda request: look.requests.append(request.url),
        }
        for event, listener in listeners.items():
            page.on(event, listener)
        if again:
            await page.evaluate("document.activeElement.blur()")  # a field would take the keys of the look
            await look.go("#")
            await look.go(fragment)
        else:
            await page.goto(f"{path.as_uri()}{fragment}")
        await page.locator(ready).first.wait_for(state="attached")
        await page.evaluate(TRACK)
        yield look
        beside = (path.parent.as_uri(), "about:", "data:", "blob:")
        assert [request for request in look.requests if not request.startswith(beside)] == []
        assert look.complaints == []
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
