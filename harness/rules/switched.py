"""What another run goes on with: what has run is not run again, and another model is told what was said.

Histories are compared in neutral words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from harness.finding import Finding, broken
from harness.rules.evidence import quote
from harness.rules.model import Rule
from harness.rules.steps import canonical_arguments, canonical_signature, plain_text
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import ToolResult
from harness.wire import Call, Message, Refusal, Result, Text, ThinkingPart

__all__ = ["RULES"]

_SWITCHED = "public reports of switched models: llxprt-code #2335, openclaw #110079, hermes-agent #24401, mistri #33"
_RESUMED = "public reports of resumed conversations: Roo-Code PR #10554, gemini-cli #13467, crush #1698"


# --- another run -------------------------------------------------------------------------------------------


def _ran_again(view: TraceView) -> Iterator[Finding]:
    """A model may use an id again; then the run in which it does has a call of its own."""
    ended: set[str] = set()
    for run in view.trace.runs:
        events = [(at, record.event) for at, record in view.trace.events if at in run]
        made = {call.id for ask in view.asks if ask.at in run for call in ask.calls}
        results = [(at, event) for at, event in events if isinstance(event, ToolResult) and event.ok]
        for at, event in results:
            if event.id in ended and event.id not in made:
                yield broken(at, "no call to run that has run before", f"{event.name} {event.id} ran again")
        ended |= {event.id for _, event in results}


# --- another run on another model --------------------------------------------------------------------------


def _switches(view: TraceView) -> Iterator[tuple[Ask, Ask]]:
    """The last request before each switch of model or wire, and the first one after it."""
    for at, record in view.acts:
        if record.did == "run" and (record.model or record.wire):
            before = [ask for ask in view.asks if ask.at < at and ask.full is not None]
            after = next((ask for ask in view.asks if ask.at > at and ask.full is not None), None)
            if before and after is not None:
                yield before[-1], after


def _switched_model(view: TraceView) -> Iterator[Finding]:
    """A loop may put the provider in front of the name, or leave it out."""
    for at, record in view.acts:
        after = next((ask for ask in view.asks if ask.at > at and ask.conversation is not None), None)
        if record.did != "run" or not record.model or after is None or after.conversation is None:
            continue
        asked = after.conversation.model
        if record.model not in asked and asked not in record.model:
            yield broken(after.at, f"a request to the model {record.model}", f"one to {asked or 'no model'}")


def _switched_state(view: TraceView) -> Iterator[Finding]:
    """Another model of the same provider may go on with what that has stored."""
    for at, record in view.acts:
        if record.did != "run" or not record.wire:
            continue
        before = {ask.reply.id for ask in view.asks if ask.at < at and ask.reply is not None}
        for ask in view.asks:
            named = ask.conversation.continues if ask.conversation is not None and ask.at > at else None
            if named in before:
                yield broken(
                    ask.at, "a request with the whole history", f"one that names {named}, of before the switch"
                )
                return


def _foreign_thinking(view: TraceView) -> Iterator[Finding]:
    for before, after in _switches(view):
        known = {canonical_signature(each) for ask in view.asks if ask.at <= before.at for each in _signatures_of(ask)}
        assert after.full is not None  # noqa: S101 - what _switches gives
        for message in after.full.messages:
            for part in message.parts:
                signature = getattr(part, "signature", "")
                if signature and canonical_signature(signature) in known:
                    what = "thinking" if isinstance(part, ThinkingPart) else "a part"
                    got = f"{what} with the signature {quote(signature)} of the model before"
                    yield broken(after.at, "nothing that another model has signed", got)
                    return


def _signatures_of(ask: Ask) -> Iterator[str]:
    parts = ask.reply.turn.parts if ask.reply is not None else ()
    return (part.signature for part in parts if not isinstance(part, Refusal) and part.signature)


def _switched_history(view: TraceView) -> Iterator[Finding]:
    for before, after in _switches(view):
        assert before.full is not None  # noqa: S101 - what _switches gives
        assert after.full is not None  # noqa: S101
        sent = list(_words(after.full.messages))
        for wanted in _words(before.full.messages):
            if wanted not in sent:
                yield broken(after.at, f"what was said before the switch: {wanted}", "it is not in the request")
                return
            sent = sent[sent.index(wanted) + 1 :]


def _words(messages: Sequence[Message]) -> Iterator[str]:
    """What a history says, apart from thinking, ids and the system prompt: texts, calls and results in order."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, Text) and message.role != "system" and part.text.strip():
                yield f"{message.role}: {quote(plain_text(part.text))}"
            elif isinstance(part, Call):
                yield f"a call {part.name} {canonical_arguments(part.arguments)}"
            elif isinstance(part, Result):
                yield f"a result {_value(part.output)}"


def _value(output: str) -> str:
    """The value of a result in one spelling, without the member in which a wire or a loop wraps it."""
    try:
        value = json.loads(output)
    except ValueError:
        return quote(plain_text(output))
    if isinstance(value, dict) and len(value) == 1 and value.keys() <= {"output", "result"}:
        (value,) = value.values()
    return json.dumps(value, sort_keys=True)


RULES = (
    Rule(
        "caller/ran-again",
        "MUST",
        "unsafe",
        "A call that has run in one run is not run again in a later one.",
        "What is resumed is told what was done; to do it again may cost money, or undo what was changed since.",
        _RESUMED,
        _ran_again,
        ("events",),
    ),
    Rule(
        "caller/switched-model",
        "MUST",
        "unsafe",
        "After a switch the loop asks the model that the caller has named.",
        "The caller has switched because of price, ability or an outage, and gets the model that it has left.",
        _SWITCHED,
        _switched_model,
        ("exchanges",),
    ),
    Rule(
        "caller/switched-state",
        "MUST",
        "invalid",
        "After a switch of provider no request names a response of before it; it has the whole history.",
        "Another provider does not have what the first one has stored, and refuses the request.",
        _SWITCHED,
        _switched_state,
        ("exchanges",),
    ),
    Rule(
        "caller/switched-thinking",
        "MUST",
        "invalid",
        "After a switch of model or provider the history has nothing that the model before has signed: its thinking is "
        "left out, or text.",
        "A signature is bound to the model and the platform that made it; others refuse it, or drop the thinking.",
        _SWITCHED,
        _foreign_thinking,
        ("exchanges",),
    ),
    Rule(
        "caller/switched-history",
        "MUST",
        "unsafe",
        "After a switch of model or provider the history says what it said before: the texts of the user and the "
        "model, the calls with their arguments, and the results, in order.",
        "The other model answers to a conversation that it does not know.",
        _SWITCHED + "; " + _RESUMED,
        _switched_history,
        ("exchanges",),
    ),
)
