"""Turns to render: one of each kind, and any."""

from __future__ import annotations

import json

from harness.wire import Call, FinishReason, Refusal, StreamError, Text, ThinkingPart, Turn, Usage

PAGE = '<p class="café">naïve 😀</p>\n'
READ = json.dumps({"path": "src/app.py"})
WRITE = json.dumps({"path": "a.html", "content": PAGE * 3}, ensure_ascii=False)

KINDS: dict[str, Turn] = {
    "empty": Turn(),
    "text": Turn((Text("The capital is Paris."),), usage=Usage(702, 12, 0, 600)),
    "thinking-text": Turn((ThinkingPart("The user asks."), Text("Paris.")), usage=Usage(702, 60, 40)),
    "thinking-omitted": Turn((ThinkingPart("never sent", "omitted"), Call("read_file", READ)), FinishReason.TOOL_CALLS),
    "thinking-redacted": Turn((ThinkingPart("never sent", "redacted"), Text("Hello"))),
    "tool": Turn((ThinkingPart("I need the file."), Call("read_file", READ)), FinishReason.TOOL_CALLS),
    "tool-no-arguments": Turn((Call("get_time", ""),), FinishReason.TOOL_CALLS),
    "parallel": Turn((Call("list_files", '{"path": "src"}'), Call("write_file", WRITE)), FinishReason.TOOL_CALLS),
    "any-order": Turn(
        (
            Text("before"),
            Call("read_file", READ),
            Text("between"),
            ThinkingPart("hm"),
            Call("read_file", READ),
            Text("after"),
        ),
        FinishReason.TOOL_CALLS,
    ),
    "utf16": Turn((Text(PAGE), Call("write_file", WRITE)), FinishReason.TOOL_CALLS, deltas="utf16"),
    "refusal": Turn((Refusal("I cannot help with that."),), FinishReason.REFUSAL),
    "content-filter": Turn((Text("Once"),), FinishReason.CONTENT_FILTER),
    "max-tokens": Turn((Text("Once upon"),), FinishReason.MAX_TOKENS),
    "max-tokens-in-tool": Turn((Call("write_file", WRITE[:30]),), FinishReason.MAX_TOKENS),
    "pause": Turn((Text("Searching."),), FinishReason.PAUSE),
    "error": Turn((Text("The"),), error=StreamError("overloaded")),
    "eof": Turn((Text("The"), Call("read_file", READ)), FinishReason.TOOL_CALLS, ending="eof"),
}
"""One turn of each kind that the wire can say."""

WHOLE = {name: turn for name, turn in KINDS.items() if turn.error is None and turn.ending == "complete"}
"""Those that are complete responses."""
