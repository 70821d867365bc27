"""The window of a browser in which the tests of a module look at one page after the other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, ViewportSize

USUAL: ViewportSize = {"width": 1280, "height": 720}


@asynccontextmanager
async def window(
    browser: Browser, *, script: str = "", viewport: ViewportSize = USUAL, color_scheme: Any = "light"
) -> AsyncIterator[Page]:
    """The one window of the browser: a new one, with a process of its own, takes longer than most looks at a page.

    ``script`` runs before those of every page; it is the same in all looks with one browser. What a look has allowed
    and what pages have stored is gone for the next look, and after one that failed, so is the window. Not for tests of
    what a page may load: a window remembers that.
    """
    if browser.contexts:
        (context,) = browser.contexts
        (page,) = context.pages
    else:
        context = await browser.new_context()
        await context.add_init_script(script or "0")
        page = await context.new_page()
    try:
        await page.set_viewport_size(viewport)
        await page.emulate_media(color_scheme=color_scheme)
        yield page
        await page.evaluate("location.protocol === 'about:' || localStorage.clear()")
        await context.clear_permissions()
    except BaseException:
        await context.close()
        raise
