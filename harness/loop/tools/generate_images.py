"""``generate_images``: images from prompts, each under a reference that the page can use."""

from __future__ import annotations

from harness.loop.tools.images import Attempt, attempted, listed, wanted
from harness.loop.tools.tool import Arguments, Implementation, ToolOutcome, Workbench
from harness.trace import JsonValue

_NONE_MADE = "No image could be generated"


async def _run(bench: Workbench, arguments: Arguments) -> ToolOutcome:
    prompts = wanted(arguments, "prompts", tool="generate_images", noun="prompts")
    attempts = await attempted(bench.images.generate, prompts)
    result = _result(attempts)
    summary: dict[str, JsonValue] = {
        "images": [{"prompt": each.asked, "url": each.reference, **each.result_fields} for each in attempts]
    }
    if any(each.reference for each in attempts):
        return ToolOutcome(result, summary)
    return ToolOutcome({"error": _NONE_MADE, **result}, {"error": _NONE_MADE, **summary}, ok=False)


def _result(attempts: list[Attempt]) -> dict[str, JsonValue]:
    """``images`` by prompt, null for a failed one; ``errors`` has the reasons, and is left out if nothing failed."""
    images: dict[str, JsonValue] = {each.asked: each.reference for each in attempts}
    errors: dict[str, JsonValue] = {each.asked: each.error for each in attempts if not each.reference}
    return {"images": images, "errors": errors} if errors else {"images": images}


def _summary(arguments: Arguments) -> JsonValue:
    prompts = listed(arguments, "prompts")
    return {"count": len(prompts), "prompts": [*prompts]}


GENERATE_IMAGES = Implementation(run=_run, summary=_summary)
