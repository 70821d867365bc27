"""What a run returns: its text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.trace import Assistant, Final
from harness.wire import Text, ThinkingPart, Turn
from harness_lab.mutants.traces.edits import alter, drop
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.changes import (
    CHAT,
    case,
    cut,
    runs,
)

_LOOK = runs("depth")[0]


# --- what the run returns ---------------------------------------------------------------------------------------------

_THOUGHT = PlainRun(
    (_LOOK, Turn((ThinkingPart("The basin is deep enough."), Text("Yes, you may."), Text(" Mind the tide."))))
)


def _returned(
    name: str, summary: str, text: str | None, *edits: Any, run: PlainRun = _THOUGHT
) -> tuple[SmallRun, SmallRun]:
    """The same for a loop that reports its text by events, and for one that does not."""
    emitted = SmallRun(f"returned-{name}", "final/text", summary, run, (alter(Final, 0, text=text), *edits), CHAT)
    dropped = tuple(drop(Assistant) for turn in run.turns if turn.text)
    silent = SmallRun(
        f"only-returned-{name}",
        "final/text",
        f"{summary} No text is reported.",
        run,
        (alter(Final, 0, text=text), *dropped, *edits),
        CHAT,
    )
    return emitted, silent


_JSON = PlainRun((_LOOK, says('{"enter": true, "why": "deep enough"}')))
_TEXTS = (
    *_returned("whole", "The text of the last turn.", "Yes, you may. Mind the tide."),
    *_returned("spaced", "The text with other white space.", "Yes,\nyou  may.\n\nMind the tide."),
    *_returned("framed", "Words around it.", "The answer: Yes, you may. Mind the tide. Bye."),
    *_returned("as-json", "The text inside of JSON.", '{"answers": ["Yes, you may. Mind the tide."]}'),
    *_returned(
        "escaped",
        "The text inside of JSON that escapes it.",
        json.dumps({"answers": ["Grüße: „Yes“."]}),
        run=PlainRun((_LOOK, says("Grüße: „Yes“."))),
    ),
    *_returned(
        "escaped-deep",
        "The same deeper inside.",
        json.dumps([{"a": {"b": ["Grüße: „Yes“."]}}, 5]),
        run=PlainRun((_LOOK, says("Grüße: „Yes“."))),
    ),
    *_returned("empty", "The empty text.", ""),
    *_returned("blank", "A blank text.", " \n"),
    *_returned("short", "Only the beginning.", "Yes, you may."),
    *_returned("other", "Another text.", "No."),
    *_returned("nothing", "No text at all.", None),
    *_returned("json-as-json", "A text that is JSON may be returned otherwise.", "enter: true", run=_JSON),
    *_returned("thinking", "The text and the thinking.", "The basin is deep enough. Yes, you may. Mind the tide."),
    *_returned("truncated", "An outcome that is no answer.", "Yes", alter(Final, 0, outcome="truncated")),
    *_returned("edited", "The caller has edited the turn.", "No.", case(edits=(2,))),
    *_returned("output", "A run that has output tools.", "No.", case(kinds={"enter": "output"})),
    *_returned("external", "A run that has other kinds of tools.", "No.", case(kinds={"enter": "external"})),
    *_returned("cut", "A turn that broke.", "No.", cut(1)),
    *_returned("number", "A number.", "5"),
    *_returned("deep-json", "More brackets than a parser takes.", "[" * 100_000),
)


def _thoughts() -> Iterator[SmallRun]:
    rows: tuple[tuple[str, str, tuple[Any, ...], str], ...] = (
        ("apart", "The thinking is not returned.", (ThinkingPart("The basin is deep."), Text("Yes.")), "Yes."),
        (
            "in-the-text",
            "The thinking is returned.",
            (ThinkingPart("The basin is deep."), Text("Yes.")),
            "The basin is deep. Yes.",
        ),
        (
            "returned-seven",
            "Seven characters may be there by chance.",
            (ThinkingPart("so deep"), Text("Yes.")),
            "so deep Yes.",
        ),
        (
            "returned-eight",
            "Eight characters do not.",
            (ThinkingPart("so deep it is"), Text("Yes.")),
            "so deep it is Yes.",
        ),
        (
            "returned-exactly-eight",
            "Eight characters, white space apart.",
            (ThinkingPart("it is deep"), Text("Yes.")),
            "it is deep Yes.",
        ),
        (
            "said-too",
            "The model says it as its answer, too.",
            (ThinkingPart("The basin is deep."), Text("Well: The basin is deep.")),
            "Well: The basin is deep.",
        ),
        (
            "in-json",
            "A history in JSON contains thinking.",
            (ThinkingPart("The basin is deep."), Text("Yes.")),
            '["The basin is deep.", "Yes."]',
        ),
    )
    for name, summary, parts, text in rows:
        run = PlainRun((_LOOK, Turn(parts)), end=Final("", text=text))
        yield SmallRun(f"thinking-{name}", "final/thinking", summary, run, (), ("anthropic-messages",))
    early = PlainRun(
        (
            Turn((Text("The basin is deep."), call("depth", basin="n"))),
            Turn((ThinkingPart("The basin is deep."), Text("Yes."))),
        ),
        end=Final("", text="The basin is deep. Yes."),
    )
    yield SmallRun(
        "thinking-said-before",
        "final/thinking",
        "The model has said it in an earlier turn.",
        early,
        (),
        ("anthropic-messages",),
    )


SMALL_RUNS = (*_TEXTS, *_thoughts())
