"""``retrieve_option``: read the code of one of the options that the user was given, numbered from 1.

The code is only read: the file of the run stays unchanged until the model writes one.
"""

from __future__ import annotations

from harness.loop.tools.tool import Arguments, Implementation, ToolError, ToolOutcome, Workbench, shortened
from harness.trace import JsonValue

_PREVIEW = 200


async def _run(bench: Workbench, arguments: Arguments) -> ToolOutcome:
    number = arguments.get("option_number")
    if number is None:
        raise ToolError("retrieve_option requires option_number", "Missing option_number")
    if not isinstance(number, int) or isinstance(number, bool):
        raise ToolError("option_number must be an integer", "Invalid option_number")
    if not 1 <= number <= len(bench.options):
        available: dict[str, JsonValue] = {"error": "Option index out of range", "available": len(bench.options)}
        return ToolOutcome(result={**available, "option_number": number}, summary=available, ok=False, retry=True)
    code = bench.options[number - 1]
    if not code.strip():
        return ToolOutcome(
            result={"error": "Option code is empty or unavailable", "option_number": number},
            summary={"error": "Option code unavailable"},
            ok=False,
        )
    return ToolOutcome(
        result={"option_number": number, "code": code},
        summary={"option_number": number, "contentLength": len(code), "preview": shortened(code, _PREVIEW)},
    )


def _summary(arguments: Arguments) -> JsonValue:
    """The summary, as in the engine that this loop follows: it also reads ``index``, and shows null if missing."""
    return {"option_number": arguments.get("option_number"), "index": None}


RETRIEVE_OPTION = Implementation(run=_run, summary=_summary)
