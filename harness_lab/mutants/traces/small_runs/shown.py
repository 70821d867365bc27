"""Words for what a user sees of code, and the runs whose previews are computed."""

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
from harness.wire import Call, Text, Turn
from harness.wire.turn import Deltas
from harness_lab.mutants.traces.draft import TraceDraft, event_record, numbered, place, places, reported
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.mutant import Edit, draft_edit
from harness_lab.mutants.traces.plain import PlainRun, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    case,
    coded,
    cut,
    previewed,
)
from harness_lab.mutants.traces.small_runs.in_order import FILES, HERE

_PAGE = '<html>\n<p>Bäckerei "Öffnung" \\ 🥐 & 🥖</p>\n' + "<p>Brot</p>\n" * 30 + "</html>"


def creates_file(arguments: str, code: str, *, deltas: Deltas = "token", **members: Any) -> PlainRun:
    """A turn writes a file with these arguments; the run returns the code."""
    turn = Turn((Text("A page."), Call("create_file", arguments, "call_1")), deltas=deltas)
    return PlainRun((turn, says("Done.")), tools=FILES, case={**HERE, **members}, end=Final(code))


def _json(**members: str) -> str:
    return json.dumps(members, ensure_ascii=False)


def _previews(draft: TraceDraft) -> list[int]:
    return places(draft.records, SetCode, preview=True)


def _of_the_next(draft: TraceDraft, at: int) -> None:
    draft.records[at] = replace(event_record(draft.records, at), exchange=1)


def previews_later(draft: TraceDraft) -> None:
    """The previews are reported of the next exchange."""
    for at in _previews(draft):
        _of_the_next(draft, at)


def last_preview_later(draft: TraceDraft) -> None:
    """The last preview is reported of the next exchange."""
    _of_the_next(draft, _previews(draft)[-1])


def first_preview_later(draft: TraceDraft) -> None:
    """The first preview is reported of the next exchange."""
    _of_the_next(draft, _previews(draft)[0])


def second_preview_last(draft: TraceDraft) -> None:
    """The last preview is reported behind the last result."""
    record = draft.records.pop(_previews(draft)[-1])
    draft.records.insert(place(draft.records, ToolResult, -1) + 1, record)


_ARGUMENTS = _json(path="index.html", content=_PAGE)


_WHOLE = creates_file(_ARGUMENTS, _PAGE)


_CODED = coded(_PAGE)


@draft_edit
def previewed_early(draft: TraceDraft, code: str, events: int) -> None:
    """A preview of all of the code, so many events of the stream before its end."""
    _, response = numbered(draft.records, ResponseRecord, 0)
    left = re.findall(rb".*?(?:\r?\n){2}", response.body, re.DOTALL)[:-events]
    previewed((code, len(b"".join(left)) / len(response.body) + 1e-9))(draft)


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


def contents() -> Iterator[SmallRun]:
    """The argument ``content`` in each spelling, with previews that are right, wrong, and too early."""
    for name, summary, arguments, code in _CONTENTS:
        for at, shown in ((1, code), (2, code + "!")):
            edits = [coded(code), previewed(*(((shown, 1.0),) if shown else ()))]
            words = f"{summary} {'What is shown is right.' if at == 1 else 'A character too many is shown.'}"
            yield SmallRun(
                f"content-{name}-{at}", "preview/prefix", words, creates_file(arguments, code), tuple(edits), CHAT
            )
        steps = [
            (code[:length], share / 20) for share in range(4, 20) for length in (len(code) * share // 20,) if length
        ]
        edits = [coded(code), previewed(*steps)]
        yield SmallRun(
            f"content-{name}-arriving",
            "preview/arrived",
            f"{summary} Previews faster than it arrives.",
            creates_file(arguments, code, deltas="character"),
            tuple(edits),
            CHAT,
        )
        for events in (7, 9):
            yield SmallRun(
                f"content-{name}-{events}-events-early",
                "preview/arrived",
                f"{summary} All of it is shown so many events before the end of the answer.",
                creates_file(arguments, code, deltas="character"),
                (coded(code), previewed_early(code, events)),
                CHAT,
            )
    twice = '{"content": "<p>one</p>", "content": "<p>two</p>"}'
    for name, shown in (("first", "<p>one"), ("last", "<p>two"), ("other", "<div>")):
        edits = [coded("<p>two</p>"), previewed((shown, 1.0), ("<p>", 1.0))]
        yield SmallRun(
            f"content-twice-{name}",
            "preview/grows",
            "A name that comes again: previews begin anew.",
            creates_file(twice, "<p>two</p>"),
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
            edits = [coded(code), previewed(*((code[: len(code) * at // 20], at / 20) for at in range(8, 20)))]
            words = "Characters in escapes, or of several bytes, and previews faster than they arrive."
            yield SmallRun(
                f"arriving-{text.encode('unicode-escape').decode().strip(chr(92))}-{kind}-{len(text)}",
                "preview/arrived",
                words,
                creates_file(arguments, code, deltas=kind),
                tuple(edits),
                ("openai-chat", "anthropic-messages"),
            )


@draft_edit
def ran_at(draft: TraceDraft, share: float) -> None:
    """The result, and the code, come when that share of the response has arrived."""
    body = numbered(draft.records, ResponseRecord, 0)[1].body
    for at, record in enumerate(draft.records):
        early = isinstance(record, EventRecord) and record.exchange == 0
        if isinstance(record, EventRecord) and early and isinstance(record.event, SetCode | ToolResult):
            draft.records[at] = replace(record, offset=int(share * len(body)))


def early() -> Iterator[SmallRun]:
    """The tool has run, or has set its code, when so much of its arguments had arrived."""
    for share in (0.0, 0.5, 0.9, 0.97, 0.99, 1.0):
        for name, edits in (("code", [_CODED]), ("result", [])):
            summary = "The tool has run when so much had arrived."
            yield SmallRun(
                f"ran-at-{int(share * 100)}-{name}", "preview/early-run", summary, _WHOLE, (*edits, ran_at(share))
            )
    cut_off = creates_file(_ARGUMENTS[:200], "")
    yield SmallRun(
        "ran-cut-off", "preview/early-run", "The arguments never were complete.", cut_off, (ran_at(0.5),), CHAT
    )


def paced(*, text: tuple[float, ...] = (), thinking: tuple[float, ...] = (), pieces: int = 200) -> Edit:
    """Text and thinking come in equal pieces at these shares of the response, which was delivered in pieces."""

    def edit(draft: TraceDraft) -> None:
        at, response = numbered(draft.records, ResponseRecord, 0)
        size, rest = divmod(len(response.body), pieces)
        draft.records[at] = replace(response, chunks=(*[size] * pieces, *([rest] if rest else [])))
        moments: dict[type[Thinking | Assistant], tuple[float, ...]] = {Thinking: thinking, Assistant: text}
        for kind, shares in moments.items():
            if shares:
                at, record, event = reported(draft.records, kind)
                length = -(-len(event.text) // len(shares))
                draft.records[at : at + 1] = [
                    replace(
                        record,
                        offset=int(share * len(response.body)),
                        event=replace(event, text=event.text[number * length : (number + 1) * length]),
                    )
                    for number, share in enumerate(shares)
                ]

    return edit


def code_timing() -> Iterator[SmallRun]:
    """Previews of long and short pages, in time and late."""
    page = "<p>Brot und Brezeln</p>\n" * 80
    run = creates_file(_json(path="index.html", content=page), page, paced=True)
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
        edits = (coded(page), paced(), previewed(*shown))
        yield SmallRun(
            f"code-{name}",
            "timing/preview",
            "Previews of a long page, as the name says.",
            run,
            edits,
            ("openai-chat", "anthropic-messages"),
        )
    at_the_end = (coded(page), paced(), previewed((page, 1.0)))
    for name, more in (
        ("other-profile", case(profile="universal")),
        ("not-given", case(tools={})),
        ("unpaced", case(paced=False)),
        ("failed", alter(ToolResult, 0, ok=False)),
        ("cut", cut(0)),
        ("no-start", drop(ToolStart)),
        ("no-code", drop(SetCode, -1)),
        ("of-the-next", previews_later),
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
        tools=FILES,
        case={**HERE, "paced": True, "emits": ("toolStart", "toolResult", "final", "assistant", "turnStart")},
    )
    yield SmallRun("code-untold", "timing/preview", "A loop that shows no code.", untold, (paced(),), CHAT)


def _short_pages() -> Iterator[SmallRun]:
    """Pages that are shown when all of them is there: at once, or too late."""
    shown = {
        "whole": "It is shown when all of it is there.",
        "beginning": "Its beginning is shown before.",
        "late": "Its beginning is shown when all of it is there.",
    }
    for length in (40, 41, 80):
        page = ("<p>Brot und Brezeln</p>" * 4)[:length]
        run = creates_file(_json(path="index.html", content=page), page, paced=True, deltas="character")
        for name, summary in shown.items():
            first = (page[:5], 0.6 if name == "beginning" else 1.0)
            previews = ((page, 1.0),) if name == "whole" else (first, (page, 1.0))
            edits = (coded(page), paced(), previewed(*previews))
            words = f"A page of {length} characters. {summary}"
            yield SmallRun(f"short-{length}-{name}", "timing/preview", words, run, edits, CHAT)
        run = replace(run, turns=(replace(run.turns[0], deltas="whole"), *run.turns[1:]))
        edits = (coded(page), paced(pieces=4), previewed((page, 1.0)))
        words = f"A page of {length} characters. It came in one piece, with which it is shown."
        yield SmallRun(f"short-{length}-in-one-piece", "timing/preview", words, run, edits, CHAT)
