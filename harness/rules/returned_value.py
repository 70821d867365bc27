"""The result that goes back: the JSON value that the tool has returned, perhaps wrapped by the loop.

The value is known for the tools of a scenario (``Case.returns``). The harness's own tools return JSON objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from harness.finding import Finding, broken
from harness.rules.evidence import difference, json_words, quote
from harness.rules.model import rule
from harness.rules.results import matched_results
from harness.rules.returned import followed
from harness.rules.run_evidence import of_another
from harness.rules.trace_view import TraceView
from harness.rules.turns import ReportedCall
from harness.trace import JsonValue
from harness.wire import Result
from harness.wire.carried import carries, is_python_text, texts_within
from harness.wire.same_beginning import same_beginning

_LONG = re.compile(r"(?<![\w.])\d{16,300}(?![\w.])")
"""A whole number that may lose digits in a double."""
_NUMBER = re.compile(r"\d{1,300}(?:\.\d{1,300})?(?:[eE]\+?\d{1,2})?")

_ALIKE = 40
"""Two texts that share so many characters are shown from where they differ."""

_LONG_TEXT = 10_000
"""Characters of a result that a loop may cut, if it says so."""
_SAYS_CUT = re.compile(
    r"truncat|omitted|elided|shortened|too (?:long|large)|\bcut\b|\d (?:more )?(?:char|byte|token|line)", re.I
)

_SOURCE = (
    "Agent Tool-Calling Flow, Provider-Specific Continuation: function_call_output.output is a JSON string, "
    "tool_result has serialized content; survey of agent loops: str(result)"
)


@rule(
    "history/result-value",
    "MUST",
    "unsafe",
    "The result of a call that has succeeded is the JSON value that the tool returned: whole, whole numbers to "
    "their last digit, and not as a programming language prints it. A loop may wrap it, and put words around it, "
    "and send less of a long one where it says so.",
    why="The model reads None, True and single quotes as text, and of a result that was cut it does not know the rest; "
    "an id with another last digit is that of something else.",
    source=_SOURCE,
    needs=("exchanges",),
    proof="""
    wires: [openai-chat]
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.], outputs: {depth: false},
        case: {returns: {depth: false}}}
    wrong:
      sent-back-false-as-printed: [A truth value goes back as Python prints it.,
          {part: Result, become: {output: 'False'}}]
    """,
)
def _result_value(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        calls = view.calls_of(step.answered)
        for message, result, place in matched_results(step):
            marked = result.is_error and view.wire.marks_failures  # of those history/result-error asks
            if place is None or marked or of_another(view, step.answered, place, result) is not None:
                continue
            call = calls[place]
            if (difference := _difference(view, call, result, step.ask.at)) is not None:
                yield broken(step.ask.at, *difference, message.at)


def _difference(view: TraceView, call: ReportedCall, result: Result, before: int) -> tuple[str, str] | None:
    name, returns = call.call.name, view.case.returns
    if view.kind(call) not in ("function", "unapproved") or name in view.case.raises:
        return None
    of_call = f"the result of {name} {call.call.id or '(no id)'}"
    if returns.get(name) is None:
        if name in view.case.tools and any(map(is_python_text, texts_within(result))):
            return f"{of_call} as JSON", f"what Python prints of it: {quote(result.output)}"
        if name in view.case.tools and any(map(breaks_off, _whole_texts(result))):
            return f"{of_call}, which is a JSON object", f"only its beginning: {quote(result.output)}"
        return None
    value = returns[name]
    if carries(result, value) or not (value or view.wire.native):
        return None
    if _is_cut_in_words(result, value):
        return None  # the model knows that there is more
    written = _wrong_form(result, value)
    if written is None and not _ended_well(call, before):
        return None  # it may be a refusal to run the call
    expected, got = _shown_apart(value, result.output)
    return f"{of_call}, which is {expected}", f"{written or 'another value'}: {got}"


def _shown_apart(value: JsonValue, output: str) -> tuple[str, str]:
    """What the tool returned, and the text that was sent for it; where that begins alike, from where they differ."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if same_beginning(text, output) < _ALIKE:
        return json_words(value), quote(output)
    return difference(text, output)


def _is_cut_in_words(result: Result, value: Any) -> bool:
    """Whether a long value was cut, and what was sent says so in words that the value does not have."""
    whole = json.dumps(value, ensure_ascii=False)
    return len(whole) > _LONG_TEXT and any(
        len(text) < len(whole) and len(_SAYS_CUT.findall(text)) > len(_SAYS_CUT.findall(whole, 0, len(text)))
        for text in texts_within(result)
    )


def _wrong_form(result: Result, value: Any) -> str | None:
    """How a loop may have spoiled the value, where that can be seen; such a text is no refusal to run the call."""
    texts = texts_within(result)
    if any(is_python_text(text) or text in ("True", "False") for text in texts) and not isinstance(value, str):
        return "what Python prints of it"
    whole = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if (rounded := _rounding(whole, result.output)) is not None:
        return rounded
    if any(len(text) > 8 and whole.startswith(text.rstrip(".… ")) for text in texts if text.strip()):
        return "only its beginning"
    return None


def _rounding(whole: str, sent: str) -> str | None:
    """Which number was rounded to a double on its way, and to what."""
    numbers = _NUMBER.findall(sent)
    for long in _LONG.findall(whole):
        other = next((each for each in numbers if float(each) == float(long)), long)
        if long not in numbers and other != long:
            return f"{long} became {other}"
    return None


def _whole_texts(result: Result) -> Sequence[str]:
    """The result as a text, and the text that it is as JSON, perhaps as the one member of an object."""
    try:
        value = json.loads(result.output)
    except (ValueError, RecursionError):
        return [result.output]
    if isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    return [value] if isinstance(value, str) else []


def breaks_off(text: str) -> bool:
    """Whether the text begins as a JSON object does, and ends before the object has."""
    text = text.strip()
    if not text.startswith("{"):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or error.pos >= len(text)
    except RecursionError:
        return False
    return False


def _ended_well(call: ReportedCall, before: int) -> bool:
    """Whether the trace reports that the call has succeeded before the request."""
    results = call.tool.results if call.tool is not None else []
    return next((result.ok is True for at, result in reversed(results) if at < before), False)
