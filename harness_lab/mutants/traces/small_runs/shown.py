"""What a user sees of code: previews while a call arrives, when they come, starts, and the page at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from harness.trace import (
    Assistant,
    EventRecord,
    Final,
    ResponseRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
)
from harness.wire import Call, Text, ThinkingPart, ToolDeclaration, Turn
from harness.wire.turn import Deltas
from harness_lab.mutants.traces.draft import TraceDraft, event_record, place, places
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, says
from harness_lab.mutants.traces.small_run import SmallRun, small_runs
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    case,
    cut,
    emit,
    moved,
    previewed,
)

_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
_FILES = (
    ToolDeclaration("create_file", "Creates a file.", _SCHEMA),
    ToolDeclaration("edit_file", "Edits it.", _SCHEMA),
)
_INPUT: dict[str, Any] = {"create_file": {}, "edit_file": {}}
_PAGE = '<html>\n<p>Bäckerei "Öffnung" \\ 🥐 & 🥖</p>\n' + "<p>Brot</p>\n" * 30 + "</html>"
_HERE: dict[str, Any] = {"profile": "screenshot-to-code", "tools": _INPUT}


def _run(arguments: str, code: str, *, deltas: Deltas = "token", **members: Any) -> PlainRun:
    turn = Turn((Text("A page."), Call("create_file", arguments, "call_1")), deltas=deltas)
    return PlainRun((turn, says("Done.")), tools=_FILES, case={**_HERE, **members}, end=Final(code))


def _coded(code: str) -> Edit:
    """The tool sets the code, in front of its result."""

    def edit(draft: TraceDraft) -> None:
        at = place(draft.records, ToolResult, 0)
        record = draft.records[at]
        assert isinstance(record, EventRecord)  # noqa: S101 - what place() looks for
        assert isinstance(record.event, ToolResult)  # noqa: S101
        draft.records.insert(at, replace(record, event=SetCode(code, record.event.id)))

    return edit


def _json(**members: str) -> str:
    return json.dumps(members, ensure_ascii=False)


def _previews(draft: TraceDraft) -> list[int]:
    return places(draft.records, SetCode, preview=True)


def _of_the_next(draft: TraceDraft, at: int) -> None:
    draft.records[at] = replace(event_record(draft.records, at), exchange=1)


def _later(draft: TraceDraft) -> None:
    """The previews are reported of the next exchange."""
    for at in _previews(draft):
        _of_the_next(draft, at)


def _last_later(draft: TraceDraft) -> None:
    """The last preview is reported of the next exchange."""
    _of_the_next(draft, _previews(draft)[-1])


def _first_later(draft: TraceDraft) -> None:
    """The first preview is reported of the next exchange."""
    _of_the_next(draft, _previews(draft)[0])


def _second_preview_last(draft: TraceDraft) -> None:
    """The last preview is reported behind the last result."""
    record = draft.records.pop(_previews(draft)[-1])
    draft.records.insert(place(draft.records, ToolResult, -1) + 1, record)


_ARGUMENTS = _json(path="index.html", content=_PAGE)
_WHOLE = _run(_ARGUMENTS, _PAGE)
_CODED = _coded(_PAGE)

_TWO_FILES = replace(
    _WHOLE,
    turns=(
        Turn((Text("A page."), Call("create_file", _ARGUMENTS, "call_1"), Call("create_file", _ARGUMENTS, "call_2"))),
        says("Done."),
    ),
)

_PREVIEWS = (
    *small_runs(
        "preview/prefix",
        _WHOLE,
        (
            "previews-right",
            "Two beginnings of the code, and all of it.",
            [_CODED, previewed((_PAGE[:9], 0.9), (_PAGE[:30], 0.95), (_PAGE, 1))],
        ),
        (
            "preview-raw",
            "The text between the quotes is not decoded.",
            [_CODED, previewed((json.dumps(_PAGE)[1:20], 1), (_PAGE, 1))],
        ),
        (
            "previews-raw",
            "Two that are wrong: one finding.",
            [_CODED, previewed((json.dumps(_PAGE)[1:20], 1), (json.dumps(_PAGE)[1:30], 1), (_PAGE, 1))],
        ),
        ("preview-of-another", "A preview of something else.", [_CODED, previewed(("<div>", 1), (_PAGE, 1))]),
        ("preview-too-long", "More than the code.", [_CODED, previewed((_PAGE + "<p>", 1))]),
    ),
    *small_runs(
        "preview/grows",
        _WHOLE,
        (
            "preview-shrinks",
            "A preview is shorter than the one before.",
            [_CODED, previewed((_PAGE[:30], 1), (_PAGE[:20], 1), (_PAGE, 1))],
        ),
        (
            "preview-repeats",
            "A preview says the same again.",
            [_CODED, previewed((_PAGE[:30], 1), (_PAGE[:30], 1), (_PAGE, 1))],
        ),
        (
            "preview-repeats-twice",
            "It does so twice: one finding.",
            [_CODED, previewed((_PAGE[:30], 1), (_PAGE[:30], 1), (_PAGE[:30], 1), (_PAGE, 1))],
        ),
        (
            "preview-grows-by-one",
            "It grows by a character.",
            [_CODED, previewed((_PAGE[:30], 1), (_PAGE[:31], 1), (_PAGE, 1))],
        ),
    ),
    *small_runs(
        "preview/whole",
        _WHOLE,
        ("preview-not-whole", "The last preview lacks a character.", [_CODED, previewed((_PAGE[:-1], 1))]),
        (
            "preview-not-whole-failed",
            "The call failed.",
            [alter(ToolResult, 0, ok=False), previewed((_PAGE[:-1], 1)), alter(Final, 0, code="")],
        ),
        ("preview-not-whole-cut", "The turn broke.", [_CODED, previewed((_PAGE[:-1], 1)), cut(0)]),
        ("no-preview", "A call without previews.", [_CODED]),
    ),
    *small_runs(
        "preview/arrived",
        _WHOLE,
        ("preview-at-once", "All of the code before the first byte of it.", [_CODED, previewed((_PAGE, 0))]),
        ("preview-early", "More than has arrived.", [_CODED, previewed((_PAGE[:400], 0.6), (_PAGE, 1))]),
        ("preview-late-enough", "Less than has arrived.", [_CODED, previewed((_PAGE[:5], 0.6), (_PAGE, 1))]),
    ),
    *small_runs(
        "preview/before-run",
        _WHOLE,
        (
            "preview-behind-code",
            "A preview after the code was set.",
            [_CODED, previewed((_PAGE, 1)), moved(SetCode, 1, SetCode, 0)],
        ),
        (
            "preview-behind-result",
            "A preview after the result.",
            [previewed((_PAGE, 1)), moved(ToolResult, 0, SetCode, 0)],
        ),
    ),
    SmallRun(
        "preview-of-a-later-request",
        "preview/arrived",
        "A preview while the next response arrives: all has arrived.",
        _WHOLE,
        (_CODED, previewed((_PAGE, 0.1)), _later),
    ),
    SmallRun(
        "preview-early-and-later",
        "preview/arrived",
        "Of two previews the first is early enough; the other is reported of the next response.",
        _WHOLE,
        (_CODED, previewed((_PAGE[:5], 0.6), (_PAGE, 0.1)), _last_later),
    ),
    SmallRun(
        "preview-later-and-early",
        "preview/arrived",
        "Of two previews the first is reported of the next response; the other shows more than has arrived.",
        _WHOLE,
        (_CODED, previewed((_PAGE[:5], 0.1), (_PAGE, 0.6)), _first_later),
    ),
    SmallRun(
        "preview-of-two-calls",
        "preview/before-run",
        "Of two calls the first has its previews in time, and the second has one behind its result.",
        _TWO_FILES,
        (
            _coded(_PAGE),
            previewed((_PAGE[:30], 1), (_PAGE, 1)),
            previewed((_PAGE[:30], 1), (_PAGE, 1), call_number=1),
            _second_preview_last,
        ),
        CHAT,
    ),
    SmallRun(
        "preview-failed",
        "preview/prefix",
        "A preview of a call without the argument.",
        _run(_json(path="a.html"), ""),
        (previewed(("<p>", 1)),),
        CHAT,
    ),
)


def _previewed_early(code: str, events: int) -> Edit:
    """A preview of all of the code, so many events of the stream before its end."""

    def edit(draft: TraceDraft) -> None:
        response = next(each for each in draft.records if isinstance(each, ResponseRecord))
        left = re.findall(rb".*?(?:\r?\n){2}", response.body, re.DOTALL)[:-events]
        previewed((code, len(b"".join(left)) / len(response.body) + 1e-9))(draft)

    return edit


_INNER_LATER = '{"content": "yes", "more": {"other": {}, "content": "no"}}'

# The content argument, read on its own: JSON that arrives, however it is spelled.
_CONTENTS: tuple[tuple[str, str, str, str], ...] = (
    ("first", "It comes first.", '{"content": "<p>one</p>", "path": "a"}', "<p>one</p>"),
    ("spaced", "White space around it.", '{ "path" : "a" ,\n"content" : "<p>one</p>" }', "<p>one</p>"),
    ("escaped", "Escapes.", '{"content": "a\\n\\t\\"b\\" \\\\ \\/ c"}', 'a\n\t"b" \\ / c'),
    ("unicode", "Escapes of characters.", '{"content": "B\\u00e4cker \\u20ac x"}', "Bäcker € x"),
    ("pair", "A pair of escapes is a character.", '{"content": "a \\ud83e\\udd50 b \\ud83e\\udd56"}', "a 🥐 b 🥖"),
    ("half", "Half a pair is a character of its own.", '{"content": "a \\ud83e b \\udd50 c"}', "a \ufffd b \ufffd c"),
    ("two-halves", "Two first halves.", '{"content": "\\ud83e\\ud83e\\udd50x"}', "\ufffd🥐x"),
    ("late-half", "A second half behind one character.", '{"content": "a\\udd50bcdefghij"}', "a\ufffdbcdefghij"),
    ("half-and-escape", "Half a pair in front of another escape.", '{"content": "\\ud83e\\nx"}', "\ufffd\nx"),
    ("inner", "The same name deeper inside.", '{"more": {"content": "no"}, "content": "yes"}', "yes"),
    ("inner-later", "The same name deeper inside, behind an object.", _INNER_LATER, "yes"),
    ("in-list", "The same name in a list.", '{"more": [{"content": "no"}, "content"], "content": "yes"}', "yes"),
    ("as-value", "The same word as a value.", '{"path": "content", "content": "yes"}', "yes"),
    ("in-text", "The same words in a text.", '{"path": "\\"content\\": \\"no\\"", "content": "yes"}', "yes"),
    ("key-escaped", "The name in escapes.", '{"c\\u006fntent": "yes"}', "yes"),
    ("number-before", "A number in front.", '{"n": 1, "t": true, "z": null, "content": "yes"}', "yes"),
    ("no-text", "It is no text.", '{"content": ["no"]}', ""),
    ("object", "It is an object.", '{"content": {"content": "no"}}', ""),
    ("empty", "It is empty.", '{"content": ""}', ""),
    ("control", "A control character that JSON forbids.", '{"content": "a\tb"}', "a\tb"),
    ("broken-escape", "An escape that is none.", '{"content": "a\\qb"}', "a\\qb"),
)


def _contents() -> Iterator[SmallRun]:
    for name, summary, arguments, code in _CONTENTS:
        for at, shown in ((1, code), (2, code + "!")):
            edits = [_coded(code), previewed(*(((shown, 1.0),) if shown else ()))]
            words = f"{summary} {'What is shown is right.' if at == 1 else 'A character too many is shown.'}"
            yield SmallRun(f"content-{name}-{at}", "preview/prefix", words, _run(arguments, code), tuple(edits), CHAT)
        steps = [
            (code[:length], share / 20) for share in range(4, 20) for length in (len(code) * share // 20,) if length
        ]
        edits = [_coded(code), previewed(*steps)]
        yield SmallRun(
            f"content-{name}-arriving",
            "preview/arrived",
            f"{summary} Previews faster than it arrives.",
            _run(arguments, code, deltas="character"),
            tuple(edits),
            CHAT,
        )
        for events in (7, 9):
            yield SmallRun(
                f"content-{name}-{events}-events-early",
                "preview/arrived",
                f"{summary} All of it is shown so many events before the end of the answer.",
                _run(arguments, code, deltas="character"),
                (_coded(code), _previewed_early(code, events)),
                CHAT,
            )
    twice = '{"content": "<p>one</p>", "content": "<p>two</p>"}'
    for name, shown in (("first", "<p>one"), ("last", "<p>two"), ("other", "<div>")):
        edits = [_coded("<p>two</p>"), previewed((shown, 1.0), ("<p>", 1.0))]
        yield SmallRun(
            f"content-twice-{name}",
            "preview/grows",
            "A name that comes again: previews begin anew.",
            _run(twice, "<p>two</p>"),
            tuple(edits),
            CHAT,
        )
    for share in (0.3, 0.5, 0.7, 0.8, 0.9):
        edits = [previewed((_PAGE, share))]
        yield SmallRun(
            f"arrived-by-{int(share * 100)}",
            "preview/arrived",
            "All of the code at a moment of its arrival.",
            replace(_WHOLE, end=Final(_PAGE)),
            (_CODED, *edits),
        )
    for text in ("🥐", "\\ud83e\\udd50", "\\u00e4", "ä", "\\n"):
        arguments = '{"content": "' + text * 40 + '"}'
        code = json.loads(arguments)["content"]
        for kind in ("character", "utf16"):
            edits = [_coded(code), previewed(*((code[: len(code) * at // 20], at / 20) for at in range(8, 20)))]
            words = "Characters in escapes, or of several bytes, and previews faster than they arrive."
            yield SmallRun(
                f"arriving-{text.encode('unicode-escape').decode().strip(chr(92))}-{kind}-{len(text)}",
                "preview/arrived",
                words,
                _run(arguments, code, deltas=kind),
                tuple(edits),
                ("openai-chat", "anthropic-messages"),
            )


# --- starts and early runs ------------------------------------------------------------------------

_NAMED = _run(_json(path="pages/index.html", content="<p>"), "<p>")


def _input(name: str, summary: str, shown: Any, run: PlainRun = _NAMED, *edits: Edit) -> SmallRun:
    return SmallRun(
        f"shown-{name}",
        "preview/start-input",
        summary,
        run,
        (_coded("<p>"), alter(ToolStart, 0, input=shown), *edits),
        CHAT,
    )


_STARTS = (
    _input("path", "The path.", {"path": "pages/index.html"}),
    _input("beginning", "The beginning of the path.", {"path": "pages/in"}),
    _input("dots", "The beginning, with dots.", {"path": "pages/in..."}),
    _input("ellipsis", "The beginning, with an ellipsis.", {"path": "pages/in…"}),
    _input("empty", "Nothing of the path.", {"path": ""}),
    _input("longer", "More than the path.", {"path": 'pages/index.html", "content'}),
    _input("other", "Another path.", {"path": "index.html"}),
    _input("two-other", "Two texts that are wrong.", {"path": "index.html", "content": "<div>"}),
    _input("unknown", "A member that the call does not have.", {"file": "index.html"}),
    _input("words", "Words in place of members.", "index.html"),
    _input("number", "A number in place of a text.", {"path": 5}),
    _input(
        "number-member", "A text for a member that is none.", {"size": "6"}, _run('{"path": "a", "size": 5}', "<p>")
    ),
    _input(
        "number-member-first",
        "A text for a member that is none, and another path.",
        {"size": "6", "path": "b"},
        _run('{"path": "a", "size": 5}', "<p>"),
    ),
    _input(
        "another-name",
        "A start of another tool.",
        {"path": "index.html"},
        _NAMED,
        alter(ToolStart, 0, name="edit_file"),
    ),
    _input("no-json", "Arguments that are no JSON.", {"path": "index.html"}, _run('{"path": "pages/ind', "<p>")),
    _input("list", "Arguments that are a list.", {"path": "index.html"}, _run('["pages"]', "<p>")),
    _input(
        "first-of-two",
        "A name that comes again: what came first was right then.",
        {"path": "one"},
        _run('{"path": "one", "path": "two"}', "<p>"),
    ),
    _input("last-of-two", "What comes last is right.", {"path": "two"}, _run('{"path": "one", "path": "two"}', "<p>")),
    _input(
        "unknown-then-other", "A member that the call does not have, then another path.", {"file": "a", "path": "b"}
    ),
    _input("none-of-two", "Neither.", {"path": "three"}, _run('{"path": "one", "path": "two"}', "<p>")),
)


def _ran(share: float) -> Edit:
    """The result, and the code, come when that share of the response has arrived."""

    def edit(draft: TraceDraft) -> None:
        body = next(each for each in draft.records if isinstance(each, ResponseRecord)).body
        for at, record in enumerate(draft.records):
            early = isinstance(record, EventRecord) and record.exchange == 0
            if isinstance(record, EventRecord) and early and isinstance(record.event, SetCode | ToolResult):
                draft.records[at] = replace(record, offset=int(share * len(body)))

    return edit


def _early() -> Iterator[SmallRun]:
    for share in (0.0, 0.5, 0.9, 0.97, 0.99, 1.0):
        for name, edits in (("code", [_CODED]), ("result", [])):
            summary = "The tool has run when so much had arrived."
            yield SmallRun(
                f"ran-at-{int(share * 100)}-{name}", "preview/early-run", summary, _WHOLE, (*edits, _ran(share))
            )
    cut_off = _run(_ARGUMENTS[:200], "")
    yield SmallRun(
        "ran-cut-off", "preview/early-run", "The arguments never were complete.", cut_off, (_ran(0.5),), CHAT
    )


# --- timing ---------------------------------------------------------------------------------------

_LONG = "The tide in the north basin is high. " * 30
_TALK = PlainRun((Turn((ThinkingPart(_LONG), Text(_LONG)), deltas="token"),), case={"paced": True})


def _paced(*, text: tuple[float, ...] = (), thinking: tuple[float, ...] = (), pieces: int = 200) -> Edit:
    """Text and thinking come in equal pieces at these shares of the response, which was delivered in pieces."""

    def edit(draft: TraceDraft) -> None:
        at = next(at for at, each in enumerate(draft.records) if isinstance(each, ResponseRecord))
        response = draft.records[at]
        assert isinstance(response, ResponseRecord)  # noqa: S101 - what was looked for
        size, rest = divmod(len(response.body), pieces)
        draft.records[at] = replace(response, chunks=(*[size] * pieces, *([rest] if rest else [])))
        for kind, shares in ((Thinking, thinking), (Assistant, text)):
            if shares:
                reported = place(draft.records, kind, 0)
                record = draft.records[reported]
                assert isinstance(record, EventRecord)  # noqa: S101 - what place() looks for
                assert isinstance(record.event, Assistant | Thinking)  # noqa: S101
                length = -(-len(record.event.text) // len(shares))
                draft.records[reported : reported + 1] = [
                    replace(
                        record,
                        offset=int(share * len(response.body)),
                        event=replace(record.event, text=record.event.text[number * length : (number + 1) * length]),
                    )
                    for number, share in enumerate(shares)
                ]

    return edit


_EVEN = tuple(at / 40 for at in range(1, 41))
_TIMING = (
    *small_runs(
        "timing/text",
        PlainRun((Turn((Text(_LONG),), deltas="token"),), case={"paced": True}),
        ("text-in-time", "Text comes as it arrives.", [_paced(text=_EVEN)]),
        ("text-at-the-end", "It comes at the end.", [_paced(text=(1.0,))]),
        ("text-in-two", "It comes in two pieces.", [_paced(text=(0.5, 1.0))]),
        ("text-one-step-late", "It comes a step too late.", [_paced(text=tuple(min(1.0, at + 0.05) for at in _EVEN))]),
        ("text-unpaced", "The endpoint did not wait for the loop.", [_paced(text=(1.0,)), case(paced=False)]),
        ("text-in-few-pieces", "The endpoint has delivered all in one piece.", [_paced(text=(1.0,), pieces=1)]),
        ("text-in-two-pieces", "It has delivered two pieces.", [_paced(text=(1.0,), pieces=2)]),
    ),
    *small_runs(
        "timing/thinking",
        _TALK,
        (
            "thinking-in-time",
            "Thinking and text come as they arrive.",
            [_paced(thinking=tuple(at / 2 for at in _EVEN), text=tuple(0.5 + at / 2 for at in _EVEN))],
        ),
        (
            "thinking-at-the-end",
            "Thinking comes at the end.",
            [_paced(thinking=(1.0,), text=tuple(0.5 + at / 2 for at in _EVEN))],
        ),
        ("both-at-the-end", "Both come at the end.", [_paced(thinking=(1.0,), text=(1.0,))]),
    ),
)


def _code_timing() -> Iterator[SmallRun]:
    page = "<p>Brot und Brezeln</p>\n" * 80
    run = _run(_json(path="index.html", content=page), page, paced=True)
    plans = {
        "even": [(page[: len(page) * at // 40], at / 40) for at in range(1, 40)],
        "late": [(page[: len(page) * at // 40], min(1.0, at / 40 + 0.2)) for at in range(1, 40)],
        "at-the-end": [(page, 1.0)],
        "none": [],
        "half": [(page[: len(page) // 3], 0.4), (page, 1.0)],
        **{
            f"late-by-{lag}": [(page[: max(1, len(page) * at // 80 - lag)], at / 80) for at in range(3, 80)]
            for lag in (100, 150, 200, 250)
        },
    }
    for name, shown in plans.items():
        edits = (_coded(page), _paced(), previewed(*shown))
        yield SmallRun(
            f"code-{name}",
            "timing/preview",
            "Previews of a long page, as the name says.",
            run,
            edits,
            ("openai-chat", "anthropic-messages"),
        )
    at_the_end = (_coded(page), _paced(), previewed((page, 1.0)))
    for name, more in (
        ("other-profile", case(profile="universal")),
        ("not-given", case(tools={})),
        ("unpaced", case(paced=False)),
        ("failed", alter(ToolResult, 0, ok=False)),
        ("cut", cut(0)),
        ("no-start", drop(ToolStart)),
        ("no-code", drop(SetCode, -1)),
        ("of-the-next", _later),
    ):
        yield SmallRun(
            f"code-at-the-end-{name}",
            "timing/preview",
            "Where no previews are promised, or nothing is known.",
            run,
            (*at_the_end, more),
            CHAT,
        )
    yield from _short_pages()
    untold = PlainRun(
        run.turns,
        tools=_FILES,
        case={**_HERE, "paced": True, "emits": ("toolStart", "toolResult", "final", "assistant", "turnStart")},
    )
    yield SmallRun("code-untold", "timing/preview", "A loop that shows no code.", untold, (_paced(),), CHAT)


def _short_pages() -> Iterator[SmallRun]:
    """Pages that are shown when all of them is there: at once, or too late."""
    shown = {
        "whole": "It is shown when all of it is there.",
        "beginning": "Its beginning is shown before.",
        "late": "Its beginning is shown when all of it is there.",
    }
    for length in (40, 41, 80):
        page = ("<p>Brot und Brezeln</p>" * 4)[:length]
        run = _run(_json(path="index.html", content=page), page, paced=True, deltas="character")
        for name, summary in shown.items():
            first = (page[:5], 0.6 if name == "beginning" else 1.0)
            previews = ((page, 1.0),) if name == "whole" else (first, (page, 1.0))
            edits = (_coded(page), _paced(), previewed(*previews))
            words = f"A page of {length} characters. {summary}"
            yield SmallRun(f"short-{length}-{name}", "timing/preview", words, run, edits, CHAT)
        run = replace(run, turns=(replace(run.turns[0], deltas="whole"), *run.turns[1:]))
        edits = (_coded(page), _paced(pieces=4), previewed((page, 1.0)))
        words = f"A page of {length} characters. It came in one piece, with which it is shown."
        yield SmallRun(f"short-{length}-in-one-piece", "timing/preview", words, run, edits, CHAT)


# --- the page at the end --------------------------------------------------------------------------

_HTML = "<!DOCTYPE html>\n<html lang=de>\n<p>Brot</p>\n</html>"
_ENDS: tuple[tuple[str, str, str, str], ...] = (
    ("page", "The page of the last text.", f"Here:\n{_HTML}\nBye.", _HTML),
    ("page-bare", "A page without a doctype.", "<html><p>Brot</p></html>", "<html><p>Brot</p></html>"),
    ("page-in-capitals", "A page in capitals.", "<HTML><p>Brot</p></HTML >", "<HTML><p>Brot</p></HTML >"),
    ("page-without-doctype", "The doctype may be left out.", f"Here:\n{_HTML}", _HTML.partition("\n")[2]),
    ("page-missing", "The page is not taken.", f"Here:\n{_HTML}", ""),
    (
        "page-inside-a-line",
        "What begins inside of a line is no page to be taken.",
        f"Write {_HTML.partition(chr(10))[2]}",
        "",
    ),
    ("page-inside-a-line-taken", "It may be taken.", f"Write {_HTML.partition(chr(10))[2]}", _HTML.partition("\n")[2]),
    ("two-pages-first", "Of two pages the first.", f"{_HTML}\n\n{_HTML.replace('Brot', 'Wein')}", _HTML),
    (
        "two-pages-last",
        "Of two pages the last.",
        f"{_HTML}\n\n{_HTML.replace('Brot', 'Wein')}",
        _HTML.replace("Brot", "Wein"),
    ),
    ("half-page", "Half a page is none.", "<html><p>Brot</p>", "<html><p>Brot</p>"),
    ("half-page-left", "It is not taken.", "<html><p>Brot</p>", ""),
    ("end-of-a-page", "The end of a page is none.", "<p>Brot</p></html>", "<p>Brot</p></html>"),
    *(
        (
            f"page-in-{name}",
            "The tag that would end the page is part of what has not ended.",
            f"<html>\n{begin} </html>",
            "",
        )
        for name, begin in (
            ("a-comment", "<!--"),
            ("a-script", "<script>"),
            ("a-style-sheet", "<STYLE>"),
            ("a-text-field", "<textarea rows=2>"),
            ("a-title", "<title>"),
        )
    ),
    ("page-with-a-script", "The script has ended.", "<html><script>go()</script>\n</html>", ""),
    ("page-with-all", "All has ended.", "<html><!-- --><style></style><title></title><textarea></textarea></html>", ""),
    ("other-tag", "Another tag that begins so.", "<htmlx></html>", "<htmlx></html>"),
    ("prose", "Words are no page.", "No page.", "No page."),
    ("nothing", "Words without a page.", "No page.", ""),
    ("invented", "A page that nobody has made.", "No page.", _HTML),
    ("page-and-words", "The page and the words behind it.", f"{_HTML}\nBye.", f"{_HTML}\nBye."),
)


def _pages() -> Iterator[SmallRun]:
    for name, summary, text, code in _ENDS:
        run = PlainRun((says(text),), end=Final(code), case=_HERE, tools=_FILES)
        yield SmallRun(f"final-{name}", "final/code", summary, run, (), CHAT)
        loose = (emit(Final, 0, SetCode(code)),) if code else ()
        if loose:
            yield SmallRun(f"final-{name}-set", "final/code", f"{summary} It is set before the end.", run, loose, CHAT)
    run = PlainRun((says(f"Here:\n{_HTML}"),), end=Final("", "truncated"), case=_HERE, tools=_FILES)
    yield SmallRun(
        "final-page-truncated", "final/code", "Of a run that is not complete no page is taken.", run, (), CHAT
    )
    there = {**_HERE, "files": {"index.html": _PAGE}}
    for name, summary, code in (
        ("as-before", "The file that was there before the run.", _PAGE),
        ("unlike-before", "No file that was there before the run.", _HTML),
    ):
        run = PlainRun((says("No page."),), end=Final(code), case=there, tools=_FILES)
        yield SmallRun(f"final-{name}", "final/code", summary, run, (), CHAT)
    for name, summary, edits in (
        ("set", "The code that a call has set.", [_CODED]),
        ("other", "Another code.", [_CODED, alter(Final, 0, code="<p>")]),
        ("empty", "No code.", [_CODED, alter(Final, 0, code="")]),
        ("set-again", "The same code, outside any call.", [_CODED, emit(Final, 0, SetCode(_PAGE))]),
        ("other-set", "Another code, outside any call.", [_CODED, emit(Final, 0, SetCode("<p>"))]),
        ("set-without-id", "A code without an id while a call is open.", [emit(ToolResult, 0, SetCode(_PAGE))]),
        ("set-twice", "Two codes: the last counts.", [emit(ToolResult, 0, SetCode("<p>")), _CODED]),
        ("set-twice-first", "The first is called final.", [_CODED, emit(ToolResult, 0, SetCode("<p>"))]),
        ("preview-only", "A preview is no code that is set.", [previewed((_PAGE, 1))]),
        (
            "elsewhere",
            "Other contracts say nothing of code.",
            [_CODED, alter(Final, 0, code="<p>"), case(profile="universal")],
        ),
    ):
        yield SmallRun(f"code-{name}-final", "final/code", summary, _WHOLE, tuple(edits), CHAT)


SMALL_RUNS = (*_PREVIEWS, *_contents(), *_STARTS, *_early(), *_TIMING, *_code_timing(), *_pages())
