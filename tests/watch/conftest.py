"""A browser for the tests of the page: the system's chromium, driven by playwright."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest

from tests.watch.trap import CONTROL, NAMES, Trap, setting_a_trap

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest.fixture(scope="module")
async def trap(anyio_backend: str) -> AsyncIterator[Trap]:
    async with setting_a_trap() as trap:
        yield trap


@pytest.fixture(scope="module")
async def browser(anyio_backend: str, trap: Trap) -> AsyncIterator[Browser]:
    """A browser for the tests of a module; whatever it asks of a name under hostile.test ends up in the trap.

    Not for all of them: the loop in which it waits would be there for tests that begin one of their own.
    """
    playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    control = f"MAP {CONTROL} 127.0.0.1:{trap.control}"  # the first rule that fits counts
    led_astray = f"--host-resolver-rules={control}, MAP *.{NAMES} 127.0.0.1:{trap.port}"
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", led_astray])
        yield browser
        await browser.close()
