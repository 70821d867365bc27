"""``create_file``: write the whole file.

The content is stored unchanged. A policy that cuts pages stores only the first page in it; then the user saw more
while it arrived than is kept (``docs/deviations.md``).
"""

from __future__ import annotations

from harness.loop.html import page_of
from harness.loop.tools.arguments import DEFAULT_PATH, file_path
from harness.loop.tools.tool import Arguments, Implementation, ToolError, ToolOutcome, Workbench, shortened
from harness.trace import JsonValue

_INPUT_PREVIEW, _OUTPUT_PREVIEW = 200, 320


async def _run(bench: Workbench, arguments: Arguments) -> ToolOutcome:
    path = file_path(arguments, bench.file.path or DEFAULT_PATH)
    content = arguments.get("content")
    if content is None or content == "":
        raise ToolError("create_file requires non-empty content", "Missing content")
    if not isinstance(content, str):
        raise ToolError("content must be a string", "Invalid content")
    if bench.policy.cut_pages:
        content = page_of(content) or content
    bench.file.path, bench.file.content = path, content
    size: dict[str, JsonValue] = {"path": path, "contentLength": len(content)}
    return ToolOutcome(
        result={"content": f"Successfully created file at {path}.", "details": size},
        summary={**size, "preview": shortened(content, _OUTPUT_PREVIEW)},
        code=content,
    )


def _summary(arguments: Arguments) -> JsonValue:
    """The summary for the user, without ``path`` until it has arrived."""
    path, content = arguments.get("path"), arguments.get("content")
    text = content if isinstance(content, str) else ""
    summary: dict[str, JsonValue] = {"contentLength": len(text), "preview": shortened(text, _INPUT_PREVIEW)}
    return {"path": path, **summary} if isinstance(path, str) else summary


CREATE_FILE = Implementation(run=_run, summary=_summary, previewed=True)
