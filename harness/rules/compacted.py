"""What is left of a history that the user has had compacted.

That no call is parted from its result is for the rules of the wires to check, on the first request behind it.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding, broken
from harness.rules.evidence import quote
from harness.rules.model import rule
from harness.rules.steps import plain_text
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import CallerRecord
from harness.wire import Call, Result, Text

_COMPACTED = "public reports of compacted histories: opencode #27594, openclaw #4739, gemini-cli #4105, OpenMinis #222"


def _compactions(view: TraceView) -> Iterator[tuple[CallerRecord, Ask, Ask]]:
    """The last request before each compaction and the first one after it, with what the user says there."""
    for at, record in view.acts:
        if record.did == "run" and record.compacted:
            before = [ask for ask in view.asks if ask.at < at and ask.full is not None]
            after = next((ask for ask in view.asks if ask.at > at and ask.full is not None), None)
            if before and after is not None:
                yield record, before[-1], after


_WORTH_IT = 400
"""Characters of a history below which a summary, with the words around it, may be longer."""


@rule(
    "caller/compacted",
    "SHOULD",
    "unsafe",
    "A history that the user has had compacted is shorter than it was.",
    why="The user compacts because the window is nearly full, and the next request fails.",
    source=_COMPACTED,
    needs=("exchanges", "caller"),
    scope="case",
)
def _shorter(view: TraceView) -> Iterator[Finding]:
    for record, before, after in _compactions(view):
        was, now = _length(before) + len(_answer(before)), _length(after) - len(record.text)
        if now >= was >= _WORTH_IT:
            expected = f"a history that is shorter than the {was:,} characters before it was compacted"
            yield broken(after.at, expected, f"{now:,} characters")


def _length(ask: Ask) -> int:
    """The characters of a history without its system prompt: texts, arguments of calls, results."""
    messages = ask.full.messages if ask.full is not None else ()
    parts = [part for message in messages if message.role != "system" for part in message.parts]
    return sum(len(_content(part)) for part in parts)


def _content(part: object) -> str:
    match part:
        case Text(text=text):
            return text
        case Call(arguments=arguments):
            return arguments
        case Result(output=output):
            return output
    return ""


def _answer(ask: Ask) -> str:
    return "".join(map(_content, ask.turn.parts))


@rule(
    "caller/compacted-system",
    "MUST",
    "unsafe",
    "After a compaction the request has the system prompt that it had before.",
    why="The agent forgets its orders, and what it must not do.",
    source=_COMPACTED,
    needs=("exchanges", "caller"),
    scope="case",
)
def _keeps_the_system_prompt(view: TraceView) -> Iterator[Finding]:
    for _, before, after in _compactions(view):
        for text in _system(before):
            if plain_text(text) not in plain_text("\n".join(_system(after))):
                yield broken(after.at, f"the system prompt: {quote(text)}", "it is not in the request")


def _system(ask: Ask) -> list[str]:
    messages = ask.full.messages if ask.full is not None else ()
    return [message.text for message in messages if message.role == "system"]
