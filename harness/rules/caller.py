"""What becomes of what the caller does: a run that is cancelled, a message that is said while it goes on, another run.

Histories are compared in neutral words. That each call has its result, that signatures go back, and where results stand
is for the rules of the wires and the family ``history`` to check, over all runs on one model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.finding import Finding, Level, broken
from harness.rules.evidence import quote
from harness.rules.model import Rule
from harness.rules.steps import canonical_arguments, canonical_signature
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import CallerRecord, EventRecord, ToolResult
from harness.wire import Call, Message, Refusal, Result, Text, ThinkingPart
from harness.wire.carried import carries
from harness.wire.characters import sendable
from harness.wire.results import answered, may_report_failure

__all__ = ["RULES"]

_INTERRUPTED = (
    "public reports of runs that were interrupted: goose #1624, claude-code #6521, codex #394, gemini-cli #6379"
)
_STEERED = "public reports of messages between a call and its result: stakpak/agent PR #488, LambChat #496"
_SWITCHED = "public reports of switched models: llxprt-code #2335, openclaw #110079, hermes-agent #24401, mistri #33"
_RESUMED = "public reports of resumed conversations: Roo-Code PR #10554, gemini-cli #13467, crush #1698"


@dataclass(frozen=True, slots=True)
class _Cancel:
    """A cancelled run: where it was cancelled, and where the next run begins (the end of the trace if none does)."""

    at: int
    until: int


def _cancels(view: TraceView) -> Iterator[_Cancel]:
    begins = [at for at, record in view.acts if record.did == "run"]
    seen = -1
    for at, record in view.acts:
        if record.did == "cancel" and at > seen:
            seen = next((each for each in begins if each > at), len(view.trace.records))
            yield _Cancel(at, seen)


def _goes_on(view: TraceView) -> Iterator[Finding]:
    """What is on its way when the run is cancelled is stopped there, so only what was carried on counts."""
    for cancel in _cancels(view):
        ended = _ended_before(view, cancel.at)
        for at, record in enumerate(view.trace.records[cancel.at : cancel.until], cancel.at):
            event = record.event if isinstance(record, EventRecord) else None
            if isinstance(event, ToolResult) and event.ok and event.id not in ended:
                yield broken(at, "nothing more to run once the run is cancelled", f"{event.name} ran to its end")
        for ask in view.asks:
            response = ask.exchange.response
            taken = response is not None and response.end != "closed"
            if cancel.at < ask.at < cancel.until and taken:
                yield broken(ask.at, "no request once the run is cancelled", "a request, whose answer was taken")
        if (answered_all := _taken_to_its_end(view, cancel)) is not None:
            yield broken(answered_all.at, "the answer given up once the run is cancelled", "it was taken to its end")


def _taken_to_its_end(view: TraceView, cancel: _Cancel) -> Ask | None:
    """The request whose answer was on its way when the run was cancelled, if the loop has taken the rest of it.

    The answer stopped there, until the run was over, and then nobody gets the rest, or until it had had its time.
    """
    record = view.trace.records[cancel.at]
    if not isinstance(record, CallerRecord) or not record.answering:
        return None
    latest = next((ask for ask in reversed(view.asks) if ask.at < cancel.at), None)
    response = None if latest is None else latest.exchange.response
    return latest if response is not None and response.end == "eof" else None


def _ended_before(view: TraceView, at: int) -> frozenset[str]:
    """The calls that had ended when the caller acted: those that the loop had told, and those that the harness knows
    of. Tools of one turn run side by side, and a loop may tell later that one of them has ended, or not at all."""
    events = (record.event for place, record in view.trace.events if place < at)
    known = next((record.ended for place, record in view.acts if place == at), ())
    return frozenset([*(event.id for event in events if isinstance(event, ToolResult)), *known])


def _open_calls(view: TraceView) -> Iterator[tuple[Ask, Call, Result]]:
    """Each call of a cancelled run that had not ended, with the next request and its result there."""
    for cancel in _cancels(view):
        ended = _ended_before(view, cancel.at)
        before = [ask for ask in view.asks if ask.at < cancel.at]
        after = next((ask for ask in view.asks if ask.at > cancel.until), None)
        if not before or after is None or after.full is None or not before[-1].sound:
            continue
        results = {call.id: result for call, result in answered(after.full.messages)}
        for call in before[-1].calls:
            if call.id and call.id not in ended and call.id in results:
                yield after, call, results[call.id]


def _cancelled_result(view: TraceView) -> Iterator[Finding]:
    for ask, call, result in _open_calls(view):
        returned = call.name in view.case.returns and carries(result, view.case.returns[call.name])
        if returned or not may_report_failure(result):
            expected = f"a result of {call.name} {call.id} that says that it was cancelled"
            yield broken(ask.at, expected, quote(result.output), level="MUST" if returned else "SHOULD")


def _user_messages(view: TraceView) -> Iterator[tuple[int, CallerRecord, Ask | None]]:
    """Each message of the user's after the prompt, with the first request that could have it.

    What is said while a run goes on may come too late for the next request, so of these the first that has it counts.
    None where no request follows.
    """
    for at, record in view.acts:
        if record.did in ("say", "run") and record.text:
            later = [ask for ask in view.asks if ask.at > at and ask.full is not None]
            having = next((ask for ask in later if record.did == "say" and _times(ask, record.text)), None)
            yield at, record, having or next(iter(later), None)


def _message_sent(view: TraceView) -> Iterator[Finding]:
    for at, record, ask in _user_messages(view):
        wanted = f"a request with the user's message {quote(record.text)}"
        if ask is None:
            yield broken(at, wanted, "no further request")
        elif (times := _times(ask, record.text)) == 0:
            yield broken(ask.at, wanted, "it is not there")
        elif times > 1 + _times_before(view, at, record.text):
            yield broken(ask.at, f"{wanted}, once", f"{times} times")


def _times_before(view: TraceView, at: int, text: str) -> int:
    """How often the user had said the same before, alone or among other words."""
    earlier = [record.text for place, record in view.acts if place < at]
    return sum(_plain(text) in _plain(each) for each in (*earlier, *(prompt for _, prompt in view.case.prompt)))


def _times(ask: Ask, text: str) -> int:
    """How many messages of the user's say the text, as a part or among other words."""
    assert ask.full is not None  # noqa: S101 - the caller has looked
    return sum(_plain(text) in _plain(each.text) for each in ask.full.messages if each.role == "user")


def _plain(text: str) -> str:
    return " ".join(sendable(text).split())


def _message_last(view: TraceView) -> Iterator[Finding]:
    for _, record, ask in _user_messages(view):
        if ask is None or ask.full is None:
            continue
        entries = [(message, part) for message in ask.full.messages for part in message.parts]
        texts = [at for at, (message, part) in enumerate(entries) if _says(message, part, record.text)]
        results = [at for at, (_, part) in enumerate(entries) if isinstance(part, Result)]
        if texts and results and texts[-1] < results[-1]:
            got = f"in front of the result of {_name_of(entries[results[-1]][1])}"
            yield broken(ask.at, f"the user's message {quote(record.text)} behind all results", got)


def _says(message: Message, part: object, text: str) -> bool:
    return message.role == "user" and isinstance(part, Text) and _plain(text) in _plain(part.text)


def _name_of(part: object) -> str:
    return (part.name or part.id) if isinstance(part, Result) else ""


def _role(view: TraceView) -> Iterator[Finding]:
    for _, record, ask in _user_messages(view):
        if ask is None or ask.full is None or _times(ask, record.text):
            continue
        roles = [each.role for each in ask.full.messages if _plain(record.text) in _plain(each.text)]
        if roles:
            yield broken(ask.at, f"the user's message {quote(record.text)} as the user's", f"as one of the {roles[0]}")


# --- another run on another model --------------------------------------------------------------------------


def _switches(view: TraceView) -> Iterator[tuple[Ask, Ask, CallerRecord]]:
    """The last request before each switch of model or wire, the first one after it, and the switch."""
    for at, record in view.acts:
        if record.did == "run" and (record.model or record.wire):
            before = [ask for ask in view.asks if ask.at < at and ask.full is not None]
            after = next((ask for ask in view.asks if ask.at > at and ask.full is not None), None)
            if before and after is not None:
                yield before[-1], after, record


def _foreign_thinking(view: TraceView) -> Iterator[Finding]:
    """How sure a refusal is between models of one provider, the rules of its wire say (ANT-34, GEM-09): that is no more
    than a remark here."""
    for before, after, switch in _switches(view):
        known = {canonical_signature(each) for ask in view.asks if ask.at <= before.at for each in _signatures_of(ask)}
        assert after.full is not None  # noqa: S101 - what _switches gives
        for message in after.full.messages:
            for part in message.parts:
                signature = getattr(part, "signature", "")
                if signature and canonical_signature(signature) in known:
                    what = "thinking" if isinstance(part, ThinkingPart) else "a part"
                    got = f"{what} with the signature {quote(signature)} of the model before"
                    level: Level = "MUST" if switch.wire else "INFO"
                    yield broken(after.at, "nothing that another model has signed", got, level=level)
                    return


def _signatures_of(ask: Ask) -> Iterator[str]:
    parts = ask.reply.turn.parts if ask.reply is not None else ()
    return (part.signature for part in parts if not isinstance(part, Refusal) and part.signature)


def _switched_history(view: TraceView) -> Iterator[Finding]:
    for before, after, _ in _switches(view):
        assert before.full is not None  # noqa: S101 - what _switches gives
        assert after.full is not None  # noqa: S101
        sent = list(_words(after.full.messages))
        for who, wanted in _words(before.full.messages):
            at = next((at for at, (other, text) in enumerate(sent) if who == other and _has(who, text, wanted)), None)
            if at is None:
                said = f"what was said before the switch: {who} {quote(wanted)}"
                yield broken(after.at, said, "it is not in the request")
                return
            sent = sent[at + 1 :]


def _has(who: str, text: str, wanted: str) -> bool:
    """Whether what is sent says what is wanted. The model's text may have its thinking in front, which is text then."""
    return text == wanted or (who == "assistant:" and text.endswith(wanted))


def _words(messages: Sequence[Message]) -> Iterator[tuple[str, str]]:
    """What a history says, apart from thinking, ids and the system prompt: texts, calls and results in order."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, Text) and message.role != "system" and part.text.strip():
                yield f"{message.role}:", _plain(part.text)
            elif isinstance(part, Call):
                yield "a call", f"{part.name} {canonical_arguments(part.arguments)}"
            elif isinstance(part, Result):
                yield "a result", _value(part.output)


def _value(output: str) -> str:
    """The value of a result in one spelling, without what a wire or a loop wraps it in: a member of its own, as Gemini
    demands an object, or beside the name of the tool."""
    try:
        value = json.loads(output)
    except ValueError:
        return _plain(output)
    if isinstance(value, dict) and len(value) == 1 and value.keys() <= {"output", "result"}:
        (value,) = value.values()
    elif isinstance(value, dict) and value.keys() == {"name", "content"}:
        value = value["content"]
    return json.dumps(value, sort_keys=True)


RULES = (
    Rule(
        "caller/cancelled",
        "MUST",
        "unsafe",
        "Once the caller has cancelled a run, no tool runs to its end and no answer of the model is taken, until the "
        "caller begins another run.",
        "Who presses stop means that nothing more is changed, and that nothing more is paid for.",
        _INTERRUPTED,
        _goes_on,
        ("exchanges",),
    ),
    Rule(
        "caller/cancelled-result",
        "MUST",
        "unsafe",
        "The result of a call that the caller has cancelled says that it did not end: it is marked as an error, or "
        "says so in words.",
        "The model takes an empty result, or the usual one, for success, and builds on what was not done.",
        _INTERRUPTED,
        _cancelled_result,
        ("exchanges",),
    ),
    Rule(
        "caller/message-sent",
        "MUST",
        "unsafe",
        "What the user says while a run goes on, or to begin another one, is in the next request of the conversation, "
        "once; what is said while a request is on its way may be in the one after it.",
        "The user has said how to go on, and the model never reads it.",
        _STEERED,
        _message_sent,
        ("exchanges",),
    ),
    Rule(
        "caller/message-last",
        "MUST",
        "invalid",
        "What the user says while tools run is behind all results in the next request.",
        "Providers refuse a message between a call and its result, and the conversation is dead from then on.",
        _STEERED,
        _message_last,
        ("exchanges",),
    ),
    Rule(
        "caller/message-role",
        "SHOULD",
        "unsafe",
        "What the user says is sent as a message of the user.",
        "In another role it is taken for the model's own words, or for an order of the developer's.",
        _STEERED,
        _role,
        ("exchanges",),
    ),
    Rule(
        "caller/switched-thinking",
        "MUST",
        "invalid",
        "After a switch of provider the history has nothing that the model before has signed: its thinking is left "
        "out, or text. After a switch of model alone that is INFO: the rules of the wire say what a provider refuses.",
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
