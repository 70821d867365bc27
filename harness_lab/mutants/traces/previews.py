"""Code that is shown while it arrives: as naive parsers would show it, too early, too late, or not to its end.

The parsers are given the arguments as they came, delta by delta, which is read from the bytes of the response: the
loop whose traces are broken here hears every answer in one piece.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from harness.rules import TraceView
from harness.rules.turns import ReportedCall
from harness.trace import EventRecord, SetCode, ToolResult, ToolStart
from harness.wire import WireName
from harness_lab.mutants.traces import parsers
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, change, event_record, place
from harness_lab.mutants.traces.edits import alter, repeat
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant


def retold(parser: parsers.Parser) -> Edit:
    """The first call that was previewed is previewed anew: after every delta, what ``parser`` makes of it."""

    def edit(draft: TraceDraft) -> None:
        view = TraceView(draft.trace)
        calls = [call for turn in view.turns for call in turn.calls]
        call = next((call for call in calls if call.tool is not None and call.tool.previews), None)
        if call is None:
            raise NothingToBreak
        _replace_previews(draft, call, _previews(view, call, parser))

    return edit


def _previews(view: TraceView, call: ReportedCall, parser: parsers.Parser) -> list[EventRecord]:
    """What is emitted of a call as its arguments arrive: nothing where nothing has changed."""
    arrivals = view.arrivals(call.ask)
    if arrivals is None or call.tool is None:
        raise NothingToBreak
    arrival, shown = arrivals[call.index], ""
    previews: list[EventRecord] = []
    for length, offset in zip(arrival.lengths, arrival.offsets, strict=True):
        code = parser(call.call.arguments[:length])
        if code is not None and code != shown:
            previews.append(EventRecord(SetCode(code, call.tool.id, preview=True), call.ask.number, offset))
            shown = code
    return previews


def _replace_previews(draft: TraceDraft, call: ReportedCall, previews: list[EventRecord]) -> None:
    if call.tool is None or not previews:
        raise NothingToBreak
    old = [at for at, _, _ in call.tool.previews]
    for at in reversed(old):
        del draft.records[at]
    draft.records[old[0] : old[0]] = previews


def emitted_early(kind: type[SetCode] | type[ToolResult]) -> Edit:
    """The first event of this kind is emitted when a quarter of the response has come; of code, the last preview."""

    def edit(draft: TraceDraft) -> None:
        at = place(draft.records, SetCode, -1, preview=True) if kind is SetCode else place(draft.records, kind)
        moment = event_record(draft.records, at)
        draft.records[at] = replace(moment, offset=moment.offset // 4)

    return edit


def end_not_shown(draft: TraceDraft) -> None:
    """Emit a last preview that lacks the last character."""
    at = place(draft.records, SetCode, -1, preview=True)
    code = cast(SetCode, event_record(draft.records, at).event).code
    change(draft.records, at, code=code[:-1])


def preview_after_the_result(draft: TraceDraft) -> None:
    """Emit the last preview after the call has ended."""
    preview, result = place(draft.records, SetCode, -1, preview=True), place(draft.records, ToolResult)
    draft.records.insert(result, draft.records.pop(preview))


_PAGE = "create-then-edit"
_ESCAPES = "escapes-in-arguments"
_IN_PIECES: tuple[WireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages")
"""Where arguments come as text in deltas."""

_PARSERS = (
    TraceMutant(
        "escapes-not-decoded",
        "A parser that takes the text between the quotes without decoding it.",
        "preview/prefix",
        retold(parsers.not_decoded),
        _ESCAPES,
        _IN_PIECES,
        also=("preview/arrived",),
    ),
    TraceMutant(
        "half-an-escape-shown",
        "A parser that shows the backslash of an escape whose rest has not come.",
        "preview/prefix",
        retold(parsers.with_half_an_escape),
        _ESCAPES,
        _IN_PIECES,
        also=("preview/arrived", "preview/grows"),
    ),
    TraceMutant(
        "key-as-value",
        "A parser that finds the word content in a value, and takes the next key for the page.",
        "preview/prefix",
        retold(parsers.found_anywhere),
        "look-alike-keys",
        _IN_PIECES,
        also=("preview/arrived", "preview/whole"),
    ),
    TraceMutant(
        "parsed-and-salvaged",
        "A parser that cuts and closes what has come until it parses, be it inside a surrogate pair.",
        "preview/half-character",
        retold(parsers.salvaged),
        _ESCAPES,
        _IN_PIECES,
        also=("preview/prefix", "preview/grows"),
    ),
    TraceMutant(
        "blank-meanwhile",
        "A parser that shows an empty page while it cannot parse what has come.",
        "preview/grows",
        retold(parsers.blank_meanwhile),
        _ESCAPES,
        _IN_PIECES,
    ),
    TraceMutant(
        "shown-in-steps",
        "Previews at every fortieth character, and none at the end.",
        "preview/whole",
        retold(parsers.shown_in_steps),
        _PAGE,
        _IN_PIECES,
    ),
)

_SHOWN = (
    TraceMutant(
        "start-runs-on",
        "The start of a call shows a path that runs on into the next argument.",
        "preview/start-input",
        alter(ToolStart, input={"path": 'index.html", "content": '}),
        _PAGE,
    ),
    TraceMutant(
        "preview-told-twice", "A preview shows what was shown.", "preview/grows", repeat(SetCode, preview=True), _PAGE
    ),
    TraceMutant("end-not-shown", "The last preview lacks the end.", "preview/whole", end_not_shown, _PAGE),
    TraceMutant(
        "shown-before-it-came",
        "A preview shows what has not arrived.",
        "preview/arrived",
        emitted_early(SetCode),
        _PAGE,
    ),
    TraceMutant(
        "preview-after-the-result",
        "A late preview overwrites the result.",
        "preview/before-run",
        preview_after_the_result,
        _PAGE,
    ),
    TraceMutant(
        "run-before-it-came",
        "A call ends before all of its arguments are there.",
        "preview/early-run",
        emitted_early(ToolResult),
        "tool-returns",
    ),
)

MUTANTS = (*_PARSERS, *_SHOWN)

EQUIVALENTS = (
    EquivalentTrace(
        "parsed-anew",
        "A parser that reads all of it anew with every delta is slow, and right.",
        retold(parsers.parsed_anew),
        _ESCAPES,
        _IN_PIECES,
    ),
    EquivalentTrace(
        "parsed-as-it-comes",
        "The parser of the reference loop shows nothing that it would have to take back.",
        retold(parsers.pushed),
        "page-in-half-characters",
        _IN_PIECES,
    ),
)
