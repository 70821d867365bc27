"""Code that the user sees while the arguments of a call still arrive, and nothing run before they have.

What had arrived is read from the bytes of the response: every event notes how many of them had been delivered
when it was emitted. Finished arguments are read with a strict JSON parser, arriving ones by ``content``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from harness.finding import Finding, broken
from harness.rules.content import contents_of
from harness.rules.evidence import difference, quote
from harness.rules.model import rule
from harness.rules.trace_view import TraceView
from harness.rules.turns import ReportedCall
from harness.trace import (
    Assistant,
    Event,
    EventRecord,
    Failure,
    Final,
    JsonValue,
    SetCode,
    Thinking,
    ToolArguments,
    ToolResult,
    ToolStart,
    TurnStart,
)
from harness.trace.files import event_kind
from harness.wire.arrival import Arrival
from harness.wire.characters import is_sendable, sendable

_PREVIEW = "Agent Tool-Calling Flow, Live streamed create_file preview"
_INPUT = "recorded runs of a real loop: an early toolStart shows the rest of the arguments behind the path"
_HALF = "survey of agent loops: half a surrogate pair ends the user's connection with an encoding error"
_TRUNCATED = "survey of agent loops: tools run on arguments that were cut and repaired"


def _previewed_calls(view: TraceView) -> Iterator[ReportedCall]:
    """The calls with previews of one content: where its key comes again, previews begin anew."""
    for turn in view.turns:
        for call in turn.calls:
            if call.tool is not None and call.tool.previews and not view.content(call).again:
                yield call


@rule(
    "preview/prefix",
    "MUST",
    "unsafe",
    "Every preview is a beginning of the call's final content argument, decoded.",
    why="Half an escape, a key that leaked in or the text of another call is code that the model did not write.",
    source=_PREVIEW,
    needs=("previews", "exchanges"),
    proof="""
    wires: [openai-chat]
    run: {creates_file: '{"path": "a.html"}', code: ''}
    wrong: {preview-failed: [A preview of a call without the argument., {previewed: [[<p>, 1]]}]}
    """,
)
def _prefix(view: TraceView) -> Iterator[Finding]:
    for call in _previewed_calls(view):
        assert call.tool is not None  # noqa: S101 - what _previewed_calls chose
        texts = view.content(call).texts
        for at, _, preview in call.tool.previews:
            if not any(each.startswith(preview.code) for each in texts):
                expected, got = difference(texts[0], preview.code)
                yield broken(at, f"a beginning of {expected}", got, f"preview of {call.tool.id}")
                break


@rule(
    "preview/grows",
    "MUST",
    "style",
    "Every preview of a call is longer than the one before.",
    why="A preview that shrinks or repeats makes the screen flicker and costs a transfer of the whole code.",
    source=_PREVIEW + ": incremental setCode as content grows",
    needs=("previews",),
    proof=r"""
    wires: [openai-chat]
    run: {writing: [[A page., {call: create_file, id: call_1, with: {path: index.html,
        content: &same {text of: ["<html>\n<p>Brot", ["</p>\n<p>Wein", 20], "</p>\n</html>"]}}},
        {call: create_file, id: call_2, arguments: '{"content": "<p>one</p>", "content": "<p>two</p>"}'}]]}
    wrong:
      preview-beside-an-unreported-call: ['A call whose content comes twice is not reported, and the previews of
          another one shrink.', {coded: *same}, {previewed: [["<html>\n<p", 1], [<html, 1], [*same, 1]]},
          {unreported: call_2}]
    """,
)
def _grows(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        anew = {call.tool.id for call in turn.calls if call.tool is not None and view.content(call).again}
        for tool in [tool for tool in turn.tools.values() if tool.id not in anew]:
            for (_, _, before), (at, _, preview) in pairwise(tool.previews):
                if len(preview.code) <= len(before.code):
                    expected = f"more than {len(before.code)} characters of {tool.id}"
                    yield broken(at, expected, f"{len(preview.code)} characters: {quote(preview.code)}")
                    break


@rule(
    "preview/whole",
    "MUST",
    "style",
    "If an executed call was previewed, its last preview shows the whole content.",
    why="The user would judge a page whose end is missing until the tool has run.",
    source=_PREVIEW,
    needs=("previews", "exchanges"),
    proof=r"""
    run: {creates_file: {text of: ['{"path": "index.html", "content": "<html>\n<p>Bäckerei \"Öffnung\" \\ 🥐 & 🥖',
        [</p>\n<p>Brot, 30], '</p>\n</html>"}']},
        code: &same {text of: ["<html>\n<p>Bäckerei \"Öffnung\" \\ 🥐 & 🥖",
        ["</p>\n<p>Brot", 30], "</p>\n</html>"]}}
    right: {no-preview: [A call without previews., &too {coded: *same}]}
    wrong:
      preview-not-whole: [The last preview lacks a character., *too,
          {previewed: [[{text of: ["<html>\n<p>Bäckerei \"Öffnung\" \\ 🥐 & 🥖",
          ["</p>\n<p>Brot", 30], "</p>\n</html"]}, 1]]}]
    """,
)
def _whole(view: TraceView) -> Iterator[Finding]:
    for call in _previewed_calls(view):
        assert call.tool is not None  # noqa: S101 - what _previewed_calls chose
        at, _, last = call.tool.previews[-1]
        final = min(view.content(call).texts, key=len)
        # A last preview that is no beginning of the content is the business of preview/prefix.
        if call.ask.runnable and call.tool.ran_at is not None and len(last.code) < len(final):
            expected = f"the last preview of {call.tool.id} to show all {len(final)} characters"
            yield broken(at, expected, f"{len(last.code)}, up to {quote(last.code[-40:])}")


@rule(
    "preview/arrived",
    "MUST",
    "unsafe",
    "A preview shows only what the bytes delivered by then say.",
    why="What has not arrived is guessed, or comes from another call.",
    source=_PREVIEW,
    needs=("previews", "exchanges"),
    proof=r"""
    run: {creates_file: {text of: ['{"path": "index.html", "content": "<html>\n<p>Bäckerei \"Öffnung\" \\ 🥐 & 🥖',
        [</p>\n<p>Brot, 30], '</p>\n</html>"}']},
        code: &same {text of: ["<html>\n<p>Bäckerei \"Öffnung\" \\ 🥐 & 🥖",
        ["</p>\n<p>Brot", 30], "</p>\n</html>"]}}
    wrong:
      preview-at-once: [All of the code before the first byte of it., {coded: *same}, {previewed: [[*same, 0]]}]
    """,
)
def _early_preview(view: TraceView) -> Iterator[Finding]:
    for call in _previewed_calls(view):
        assert call.tool is not None  # noqa: S101 - what _previewed_calls chose
        arrival = _arrival(call, [record for _, record, _ in call.tool.previews], view)
        if arrival is None:
            continue
        content = view.content(call)
        for at, record, preview in call.tool.previews:
            if record.exchange != call.ask.number:
                continue
            length = arrival.length(record.offset)
            there = len(content.text) if length is None else content.characters(length)
            if there < len(preview.code) <= len(content.text):
                expected = f"at most the {there} characters of {call.tool.id} that {record.offset} bytes contain"
                got = f"{len(preview.code)} characters, of which {quote(preview.code[there:])} had not arrived"
                yield broken(at, expected, got)
                break


@rule(
    "preview/before-run",
    "MUST",
    "unsafe",
    "No preview of a call is emitted after its setCode or its toolResult.",
    why="A late preview overwrites the result with an older state.",
    source=_PREVIEW,
    needs=("previews",),
    proof=r"""
    run: {creates_file: {text of: ['{"path": "index.html", "content": "<html>\n<p>Bäckerei \"Öffnung\" \\ 🥐 & 🥖',
        [</p>\n<p>Brot, 30], '</p>\n</html>"}']},
        code: &same {text of: ["<html>\n<p>Bäckerei \"Öffnung\" \\ 🥐 & 🥖",
        ["</p>\n<p>Brot", 30], "</p>\n</html>"]}}
    wrong:
      preview-behind-result: [A preview after the result., {previewed: [[*same, 1]]},
          {moved: ToolResult, which: 0, to: SetCode, to_which: 0}]
    """,
)
def _before_run(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for tool in turn.tools.values():
            ended_at = tool.ended_at
            if ended_at is None or not tool.previews or tool.previews[-1][0] < ended_at:
                continue
            at = next(at for at, _, _ in tool.previews if at > ended_at)
            yield broken(at, f"no preview of {tool.id} after the tool ran", "a preview")


@rule(
    "preview/early-run",
    "MUST",
    "unsafe",
    "No call is executed before its arguments are complete.",
    why="A tool that runs on half its arguments deletes what the other half would have kept.",
    source=_TRUNCATED,
    needs=("events", "exchanges"),
    proof="""
    wires: [openai-chat]
    run: {turns: [[{call: depth, id: c1, with: {basin: n}}, {call: tide, id: c2, with: {basin: n}}], Yes.],
        outputs: &same {depth: {basin: north, metres: 4}, tide: {basin: north, metres: 4}}, case: {returns: *same}}
    wrong:
      ran-early-behind-one-without-events: ['The first of two calls is not reported, and the second has a result
          before its arguments came.', {result_early: 1}, {drop: ToolStart}, {drop: ToolResult}]
    """,
)
def _early_run(view: TraceView) -> Iterator[Finding]:
    records = view.trace.records
    for turn in view.turns:
        for call in turn.calls:
            at = call.tool.ended_at if call.tool is not None else None
            if at is None:
                continue
            record = records[at]
            assert isinstance(record, EventRecord)  # noqa: S101 - it says that the call has ended
            arrival = _arrival(call, [record], view)
            if arrival is not None and arrival.length(record.offset) is not None:
                expected = f"{call.call.name} to run when its arguments are complete ({_after(arrival)})"
                yield broken(at, expected, f"{event_kind(record.event)} after {record.offset} bytes")


def _after(arrival: Arrival) -> str:
    return f"after {arrival.complete} bytes" if arrival.complete is not None else "they never were complete"


def _arrival(call: ReportedCall, moments: Sequence[EventRecord], view: TraceView) -> Arrival | None:
    """How the call arrived, if one of these moments was before its response had ended; None also if unknown."""
    response = call.ask.exchange.response
    assert response is not None  # noqa: S101 - the call came with it
    end = len(response.body)
    if all(record.exchange != call.ask.number or record.offset >= end for record in moments):
        return None
    known = view.arrivals(call.ask)
    return known[call.index] if known is not None else None


# --- what a toolStart shows of the arguments -----------------------------------------------------------------

_SHORTENED = ("...", "…")
"""What may stand behind a beginning, to say that more follows. No text ends with both, so one of the two leaves it."""


@rule(
    "preview/start-input",
    "MUST",
    "unsafe",
    "What a toolStart shows of a text argument is a beginning of its value, decoded; it may end in '...' or '…'.",
    why="A path that is guessed, or runs on into the next argument, names a file that the call does not touch.",
    source=_INPUT,
    needs=("events", "exchanges"),
    proof="""
    wires: [openai-chat]
    run: {creates_file: '{"path": "one", "path": "two"}', code: <p>}
    right: {shown-last-of-two: [What comes last is right., {coded: <p>}, {alter: ToolStart, input: {path: two}}]}
    wrong: {shown-none-of-two: [Neither., {coded: <p>}, {alter: ToolStart, input: {path: three}}]}
    """,
)
def _start_input(view: TraceView) -> Iterator[Finding]:
    for turn in view.turns:
        for call in turn.calls:
            if call.tool is None or not call.tool.starts:
                continue
            at, start = call.tool.starts[0]
            if start.name == call.call.name:  # else it is the start of another call with this id
                yield from _other_words(at, start, call.call.arguments)


def _other_words(at: int, start: ToolStart, arguments: str) -> Iterator[Finding]:
    shown = start.input if isinstance(start.input, dict) else {}
    texts = {key: text for key, text in shown.items() if isinstance(text, str)}
    values = _members(arguments) if texts else {}
    for key, words in texts.items():
        value = values.get(key)
        if not isinstance(value, str):
            continue
        value, text = sendable(value), sendable(words)
        if not _begins(value, text) and not _begins(_first(arguments, key), text):
            expected, got = difference(value, text)
            yield broken(at, f"a beginning of {key!r}: {expected}", got, f"toolStart of {start.id}")


def _members(arguments: str) -> dict[str, Any]:
    """The finished arguments; nothing of arguments that were cut or are no object."""
    try:
        members = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return members if isinstance(members, dict) else {}


def _first(arguments: str, key: str) -> str:
    """What the arguments say under ``key`` first: the last time counts, but the start may have been reported before."""
    first = next(contents_of(arguments, key), None)
    return first.text if first is not None else ""


def _begins(value: str, text: str) -> bool:
    return any(value.startswith(text.removesuffix(more)) for more in _SHORTENED)


# --- any text for the user -----------------------------------------------------------------------------------


@rule(
    "preview/half-character",
    "SHOULD",
    "unsafe",
    "No event contains half a surrogate pair.",
    why="Such a text cannot be encoded: the message is lost and the connection with it. Only servers that cut "
    "characters in two, and models that write half of one, bring it about.",
    source=_HALF,
    proof=r"""
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    wrong:
      half-in-final-text: [Half a character in what the run returns., {alter: Final,
          text: {from json: '"Yes.\ud83e"'}}]
    """,
)
def _half_characters(view: TraceView) -> Iterator[Finding]:
    """One breach for a run: a server that cuts characters in two does so all the time."""
    texts = [text for _, record in view.trace.events for text in _TEXTS[type(record.event)](record.event)]
    if is_sendable("".join(texts)):
        return
    halves = [(at, record.event) for at, record in view.trace.events if _has_half(record.event)]
    if halves:
        at, event = halves[0]
        text = next(text for text in _TEXTS[type(event)](event) if not is_sendable(text))
        got = f"{event_kind(event)} with {quote(text)}"
        detail = f"and {len(halves) - 1} more events" if halves[1:] else ""
        yield broken(at, "whole characters: the halves of a surrogate pair joined", got, detail)


def _has_half(event: Event) -> bool:
    return not all(map(is_sendable, _TEXTS[type(event)](event)))


_TEXTS: Mapping[type[Event], Callable[[Any], Iterable[str]]] = {
    TurnStart: lambda _: (),
    Assistant: lambda event: (event.text,),
    ToolArguments: lambda event: (event.text,),
    Thinking: lambda event: (event.text,),
    ToolStart: lambda event: _leaves(event.input),
    SetCode: lambda event: (event.code,),
    ToolResult: lambda event: _leaves(event.output),
    Failure: lambda event: (event.message,),
    Final: lambda event: (event.code, event.text or ""),
}
"""Every text for the user in an event, by its kind."""


def _leaves(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
