"""The question of a run: asked once, and gone on with as it was begun."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from harness.finding import Finding, Level, broken
from harness.rules.evidence import quote
from harness.rules.model import rule
from harness.rules.returned import added_results, followed
from harness.rules.steps import entries_of, plain_text
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import CallerRecord
from harness.wire import Text
from harness.wire.tool_choice import choice_by_name

_ANTHROPIC = (
    "Anthropic's documentation of extended thinking, Toggling thinking modes in conversations: not in the middle of an "
    "assistant turn, tool use loops included"
)


@rule(
    "history/question-once",
    "MUST",
    "unsafe",
    "What the user has asked is in the history once: it is not appended again behind the results of calls, "
    "unless the user has said it again. A reminder in the loop's own words is none. Where nobody knows what the "
    "user has said, it is a SHOULD, and only of a question that was the whole first request.",
    why="A model that is asked the same again begins anew: it calls the tools again that it has called, and what they "
    "do is done twice.",
    source="survey of agent loops: a helper that asks also appends the prompt; Agent Tool-Calling Flow, "
    "Provider-Specific Continuation: what is appended are the model's turn and the results",
    needs=("exchanges",),
    proof="""
    run: {turns: [[{call: depth, id: call_1, with: {basin: n}}], Yes.],
        case: {prompt: [[user, May we enter the basin before noon?]]}}
    right: {asked-once: The question is asked once.}
    wrong:
      asked-behind-the-result: ['The question is there once more, behind the result.',
          {appended: user, text: May we enter the basin before noon?}]
    """,
)
def _asked_once(view: TraceView) -> Iterator[Finding]:
    questions = _questions(view)
    for step in followed(view) if questions else ():
        for message, part in step.added if added_results(step) else ():
            if message.role == "user" and isinstance(part, Text) and plain_text(part.text) in questions:
                level: Level | None = None if view.case.is_handed else "SHOULD"
                expected = f"the user's message once: {quote(part.text)}"
                yield broken(step.ask.at, expected, "once more, behind the results", message.at, level=level)
                return


def _questions(view: TraceView) -> frozenset[str]:
    """What the user has asked in the first request, and has not said again.

    A reminder of the loop's own is none. Where nobody knows what the user has said, the question is the only text.
    """
    first = next((ask.full for ask in view.asks if ask.full is not None), None)
    entries = takewhile(lambda entry: entry[0].role != "assistant", entries_of(first) if first is not None else ())
    asked = [plain_text(part.text) for message, part in entries if message.role == "user" and isinstance(part, Text)]
    again = {plain_text(record.text) for _, record in view.trace.every(CallerRecord)}
    if view.case.is_handed:
        handed = [plain_text(text) for role, text in view.case.prompt if role == "user" and text.strip()]
        asked = [text for text in asked if any(each in text for each in handed)]
    elif len(asked) > 1:
        return frozenset()
    return frozenset(asked) - again - {""}


@rule(
    "history/thinking-mode",
    "SHOULD",
    "unsafe",
    "On Anthropic a turn that was begun with thinking is gone on with in thinking: the request with the results of "
    "its calls does not switch it off. One that forces a call must.",
    why="The provider takes the request, and goes on without thinking: the answer is worse, and nothing says so.",
    source=_ANTHROPIC,
    needs=("exchanges",),
    proof="""
    wires: [anthropic-messages]
    run: {turns: [[{ThinkingPart: The tide is high.}, {call: depth, id: call_1, with: {basin: n}}], Yes.]}
    right: {thinking-stays-on: Both requests ask for thinking.}
    wrong: {thinking-turned-off: [The second request asks for none., {asks: 1, thinking: {type: disabled}}]}
    """,
)
def _thinking_mode(view: TraceView) -> Iterator[Finding]:
    if not view.wire.keeps_thinking_mode:
        return
    for step in followed(view):
        before, ask = step.answered, step.ask
        if added_results(step) and _thinks(view, before) and not _thinks(view, ask) and not _may_not_think(before, ask):
            yield broken(ask.at, "thinking, since the turn that was begun with it goes on", "a request without it")
            return


def _thinks(view: TraceView, ask: Ask) -> bool:
    return ask.full is not None and view.wire.thinks(ask.full, "?") is not None


def _may_not_think(before: Ask, ask: Ask) -> bool:
    """Whether the request is for another model, or forces a call, which Anthropic refuses beside thinking."""
    assert before.full is not None and ask.full is not None  # noqa: S101, PT018 - they are of a step
    return ask.full.model != before.full.model or choice_by_name(ask.full.body).required
