"""Two traces of one script side by side: in which aspects they differ, and where first.

    events     what was shown in which order: kinds, tools by name and by number, whether they went well
    texts      the pieces of text and of thinking
    codes      every code that was shown
    inputs     what is shown of each call's arguments
    outputs    what is shown of each call's result
    code       the code that the run ended with
    requests   how many there were

Ids are compared by their order of appearance, for a loop may have to invent them. Pieces of one kind that follow each
other count as one event, so that another step of previews is a matter of ``codes`` alone. A path that is the default
counts as none: the engine shows it for a call that gives none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby, zip_longest
from typing import Literal, get_args

from harness.imports.comparison import RecordedDifference
from harness.trace import (
    Assistant,
    Event,
    Failure,
    Final,
    RequestRecord,
    SetCode,
    Thinking,
    ToolResult,
    ToolStart,
    Trace,
    TurnStart,
)
from harness.trace.kinds import event_kind

Aspect = Literal["events", "texts", "codes", "inputs", "outputs", "code", "requests"]

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

_DEFAULT_PATH = "index.html"


def differences(engine: Trace, reference: Trace) -> list[RecordedDifference]:
    """At most one difference per aspect, the first one; ``nothing`` means that one trace has ended."""
    return [
        RecordedDifference(aspect, *pair)
        for aspect, lines in _LINES.items()
        if (pair := _first(list(lines(engine)), list(lines(reference)))) is not None
    ]


def _first(engine: list[str], reference: list[str]) -> tuple[str, str] | None:
    pairs = zip_longest(engine, reference, fillvalue="nothing")
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def outline(trace: Trace) -> str:
    """The events in the words of event expressions: ``toolStart(create_file 1) setCode toolResult(create_file 1)``."""
    return " ".join(_outline(trace))


# --- the aspects --------------------------------------------------------------------------------------------


def _outline(trace: Trace) -> Iterator[str]:
    numbers: dict[str, int] = {}
    words = [_word(event, numbers) for event in _shown(trace)]
    return (word for word, _ in groupby(words))


def _shown(trace: Trace) -> Iterator[Event]:
    """The events but for ``turnStart``, which only our own loop emits."""
    return (record.event for _, record in trace.events if not isinstance(record.event, TurnStart))


def _word(event: Event, numbers: dict[str, int]) -> str:
    match event:
        case ToolStart(id, name):
            return f"toolStart({name} {numbers.setdefault(id, len(numbers) + 1)})"
        case ToolResult(id, name, _, ok):
            failed = "" if ok else " failed"
            return f"toolResult({name} {numbers.setdefault(id, len(numbers) + 1)}{failed})"
        case Failure(kind):
            return f"error({kind})"
        case Final(_, outcome):
            return f"final({outcome})"
        case _:
            return event_kind(event)


def _texts(trace: Trace) -> Iterator[str]:
    for event in _shown(trace):
        if isinstance(event, Assistant | Thinking):
            yield f"{event_kind(event)} {json.dumps(event.text)}"


def _codes(trace: Trace) -> Iterator[str]:
    for event in _shown(trace):
        if isinstance(event, SetCode):
            yield f"{'preview' if event.preview else 'code'} {json.dumps(event.code)}"


def _inputs(trace: Trace) -> Iterator[str]:
    for event in _shown(trace):
        if isinstance(event, ToolStart):
            shown = dict(event.input) if isinstance(event.input, dict) else {}
            if shown.get("path") == _DEFAULT_PATH:
                del shown["path"]
            yield json.dumps(shown, sort_keys=True)


def _outputs(trace: Trace) -> Iterator[str]:
    for event in _shown(trace):
        if isinstance(event, ToolResult):
            yield json.dumps(event.output, sort_keys=True)


def _code(trace: Trace) -> Iterator[str]:
    for event in _shown(trace):
        if isinstance(event, Final):
            yield json.dumps(event.code)


def _requests(trace: Trace) -> Iterator[str]:
    yield f"{sum(isinstance(record, RequestRecord) for record in trace.records)} requests"


_LINES: dict[Aspect, Callable[[Trace], Iterator[str]]] = {
    "events": _outline,
    "texts": _texts,
    "codes": _codes,
    "inputs": _inputs,
    "outputs": _outputs,
    "code": _code,
    "requests": _requests,
}
