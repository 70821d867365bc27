"""What goes back as a result: the JSON value that the tool has returned, in whatever a loop wraps it.

The value is known of the tools of a scenario (``Case.returns``). Of the harness's own tools it is known that they
return JSON objects.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from typing import Any

from harness.finding import Finding, broken
from harness.rules.evidence import json_words, quote
from harness.rules.model import Rule
from harness.rules.results import matched
from harness.rules.returned import answers, followed
from harness.rules.run_evidence import of_another
from harness.rules.trace_view import TraceView
from harness.rules.turns import ReportedCall
from harness.wire import Result
from harness.wire.results import says

__all__ = ["RULES", "carries", "is_python_text"]

_SOURCE = (
    "Agent Tool-Calling Flow, Provider-Specific Continuation: function_call_output.output is a JSON string, "
    "tool_result has serialized content; survey of agent loops: str(result)"
)


def _result_value(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        calls = view.calls_of(step.answered)
        for (message, result), place in zip(answers(step), matched(step)[0], strict=True):
            if place is None or result.is_error or of_another(view, step.answered, place, result) is not None:
                continue
            call = calls[place]
            if (difference := _difference(view, call, result, step.ask.at)) is not None:
                yield broken(step.ask.at, *difference, message.at)


def _difference(view: TraceView, call: ReportedCall, result: Result, before: int) -> tuple[str, str] | None:
    name, returns = call.call.name, view.case.returns
    if view.kind(call) not in ("function", "unapproved") or name in view.case.raises:
        return None
    of_call = f"the result of {name} {call.call.id or '(no id)'}"
    if name not in returns:
        if name in view.case.tools and any(map(is_python_text, _texts(result))):
            return f"{of_call} as JSON", f"what Python prints of it: {quote(result.output)}"
        return None
    value = returns[name]
    if carries(result, value) or not (value or view.wire.native):
        return None
    written = _wrong_form(result, value)
    if written is None and not _ended_well(call, before):
        return None  # it may be a refusal to run the call
    return f"{of_call}, which is {json_words(value)}", f"{written or 'another value'}: {quote(result.output)}"


def _wrong_form(result: Result, value: Any) -> str | None:
    """How a loop may have spoiled the value, where that can be seen; such a text is no refusal to run the call."""
    texts = _texts(result)
    if any(is_python_text(text) or text in ("True", "False") for text in texts) and not isinstance(value, str):
        return "what Python prints of it"
    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if any(len(text) > 8 and whole.startswith(text.rstrip(".… ")) for text in texts if text.strip()):
        return "only its beginning"
    return None


def is_python_text(text: str) -> bool:
    """Whether the text is what Python prints of a dictionary or a list, and no JSON."""
    text = text.strip()
    if text[:1] not in ("{", "[") or _read(text) is not text:
        return False
    try:
        return isinstance(ast.literal_eval(text), dict | list)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False


def _ended_well(call: ReportedCall, before: int) -> bool:
    """Whether the trace reports that the call has succeeded before the request."""
    results = call.tool.results if call.tool is not None else []
    return next((result.ok for at, result in reversed(results) if at < before), False)


# --- what a result carries ----------------------------------------------------------------------------------


def carries(result: Result, value: Any) -> bool:
    """Whether the result contains ``value``: anywhere in its JSON, in a JSON text within, or as a part of its text."""
    if says(result, value):
        return True
    read = _read(result.output)
    if any(_same(each, value) for each in _leaves(read, whole=True)):
        return True
    if isinstance(value, list) and value and not is_python_text(result.output):
        return _in_order(result.output, value)
    spellings = [value.strip()] if isinstance(value, str) else list(_spellings(value))
    return any(spelling in text for text in _texts(result) for spelling in spellings)


def _in_order(output: str, items: list[Any]) -> bool:
    """Whether the text has the items one after the other: a wire may have a part for each."""
    start = 0
    for item in items:
        texts = [item] if isinstance(item, str) else [json.dumps(item, ensure_ascii=False), *_spellings(item)]
        ends = [at + len(text) for text in texts if (at := output.find(text, start)) >= 0]
        if not ends:
            return any(spelling in output for spelling in _spellings(items))
        start = min(ends)
    return True


def _texts(result: Result) -> list[str]:
    """The result as a text, and the texts in its JSON."""
    return [result.output, *(each for each in _leaves(_read(result.output)) if isinstance(each, str))]


def _spellings(value: Any) -> Iterator[str]:
    if not isinstance(value, dict | list):
        return
    for ascii_only in (False, True):
        yield json.dumps(value, ensure_ascii=ascii_only)
        yield json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
        yield json.dumps(value, ensure_ascii=ascii_only, indent=2)


def _same(one: Any, other: Any) -> bool:
    """Whether both are one value: a loop may add members to an object, and leave out those that are null."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(_same(one.get(key), each) for key, each in other.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other or abs(one - other) <= 1e-9 * abs(other)
    return bool(one == other)


def _leaves(value: Any, *, whole: bool = False, depth: int = 6) -> Iterator[Any]:
    """The values inside, JSON texts read; ``whole``: objects and lists, too."""
    if depth == 0:
        return
    if isinstance(value, str):
        yield value
        if (read := _read(value)) is not value:
            yield from _leaves(read, whole=whole, depth=depth - 1)
        return
    if whole or not isinstance(value, dict | list):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from _leaves(each, whole=whole, depth=depth - 1)


def _read(text: str) -> Any:
    """The JSON value of a text; the text itself where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


RULES = (
    Rule(
        "history/result-value",
        "MUST",
        "unsafe",
        "The result of a call that has succeeded is the JSON value that the tool returned: whole, and not as a "
        "programming language prints it. A loop may wrap it, and put words around it.",
        "The model reads None, True and single quotes as text, and of a result that was cut it does not know the rest.",
        _SOURCE,
        _result_value,
        ("exchanges",),
    ),
)
