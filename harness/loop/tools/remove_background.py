"""``remove_background``: copies of images, their background transparent."""

from __future__ import annotations

from harness.loop.tools.images import Attempt, attempted, listed, wanted
from harness.loop.tools.tool import Arguments, Implementation, ToolOutcome, Workbench, shortened
from harness.trace import JsonValue

_SHOWN_URL = 100
_NONE_MADE = "No background could be removed"


async def _run(bench: Workbench, arguments: Arguments) -> ToolOutcome:
    urls = wanted(arguments, "image_urls", tool="remove_background", noun="image URLs")
    attempts = await attempted(bench.images.remove_background, urls)
    result: dict[str, JsonValue] = {"images": [_result_of(each, _shown_url(each.asked)) for each in attempts]}
    summary: dict[str, JsonValue] = {
        "images": [_result_of(each, shortened(each.asked, _SHOWN_URL)) for each in attempts]
    }
    if any(each.reference for each in attempts):
        return ToolOutcome(result, summary)
    return ToolOutcome({"error": _NONE_MADE, **result}, {"error": _NONE_MADE, **summary}, ok=False)


def _result_of(attempt: Attempt, image_url: str) -> JsonValue:
    return {"image_url": image_url, "result_url": attempt.reference, **attempt.result_fields}


def _shown_url(url: str) -> str:
    """The URL, shortened if it is the image itself: the model needs no second copy of the image in its history."""
    return shortened(url, _SHOWN_URL) if url[:5].lower() == "data:" else url


def _summary(arguments: Arguments) -> JsonValue:
    urls = listed(arguments, "image_urls")
    return {"count": len(urls), "image_urls": [shortened(url, _SHOWN_URL) for url in urls]}


REMOVE_BACKGROUND = Implementation(run=_run, summary=_summary)
