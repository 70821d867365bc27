"""Files that the formats' own libraries write: vcrpy, and a browser's archive by Playwright."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from harness.cassette import read_recording
from tests.cassette.upstream import ANSWERS, Upstream, upstream
from tests.sdks import vcr

if TYPE_CHECKING:
    from playwright.async_api import Browser

PATH = "/v1/messages"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "hé?"}]}


@pytest.fixture
def server() -> Iterator[Upstream]:
    with upstream() as found:
        yield found


@pytest.fixture
async def browser(anyio_backend: str) -> AsyncIterator[Browser]:
    playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed")
    async with playwright.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        await browser.close()


@pytest.mark.parametrize("serializer", ["yaml", "json"])
def test_vcrpy(serializer: str, server: Upstream, tmp_path: Path) -> None:
    path = tmp_path / f"made.{serializer}"
    with vcr.VCR(serializer=serializer).use_cassette(str(path)):
        received = httpx2.post(server.url + PATH, json=ASKED).content
    found = read_recording(path)
    (one,) = found.interactions
    assert (found.format, one.method, one.url, one.status) == ("cassette", "POST", server.url + PATH, 200)
    assert one.request is not None
    assert (json.loads(one.request), one.response) == (ASKED, received)
    assert one.response == ANSWERS[PATH][1]


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("content", ["embed", "attach"])
async def test_an_archive_of_playwright(content: Any, browser: Browser, server: Upstream, tmp_path: Path) -> None:
    """``attach`` puts the bodies into files beside the archive.

    Of a stream a browser keeps what it reads in it, which is no UTF-8 where the server has not said so.
    """
    path = tmp_path / "made.har"
    context = await browser.new_context(record_har_path=path, record_har_content=content)
    page = await context.new_page()
    await page.goto(f"{server.url}/nothing")
    await page.evaluate(
        "async ([path, body]) => await (await fetch(path, {method: 'POST', body})).text()", ["/json", json.dumps(ASKED)]
    )
    await context.close()
    found = read_recording(path)
    one = next(each for each in found.interactions if each.url.endswith("/json"))
    assert (found.format, one.method, one.status) == ("HAR", "POST", 200)
    assert one.request is not None
    assert (json.loads(one.request), one.response) == (ASKED, ANSWERS["/json"][1])
    assert one.response_headers["content-type"] == ("application/json",)
