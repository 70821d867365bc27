"""The effects of the caller's actions: a cancelled run, a message during a run, another run.

Histories are compared in neutral words. The rules of the wires and the family ``history`` check, over all runs on one
model, that each call has its result, that signatures go back, and where results are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from harness.finding import Finding, broken
from harness.rules.evidence import quote
from harness.rules.limit import in_the_last_turn
from harness.rules.model import rule
from harness.rules.steps import letters, plain_text
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import RAISED, Assistant, CallerRecord, EventRecord, Failure, Final, ToolResult, ToolStart
from harness.wire import Call, Message, Result, Text, ThinkingPart
from harness.wire.carried import carries
from harness.wire.results import answered, is_distinct, may_report_failure, says

_INTERRUPTED = (
    "public reports of runs that were interrupted: goose #1624, claude-code #6521, codex #394, gemini-cli #6379"
)
_STEERED = "public reports of messages between a call and its result: stakpak/agent PR #488, LambChat #496"


@dataclass(frozen=True, slots=True)
class _Cancel:
    """A cancelled run: where it was cancelled, and where the next run begins (the end of the trace if none does).

    ``ended`` are the ids of calls that the harness has run and whose tools had ended; those in ``failed`` have failed.
    ``answering``: an answer of the model was arriving.
    """

    at: int
    until: int
    ended: tuple[str, ...]
    failed: tuple[str, ...]
    answering: bool


def _cancels(view: TraceView) -> Iterator[_Cancel]:
    for run in view.trace.runs:
        cancel = next((act for act in view.acts if act[0] in run and act[1].did == "cancel"), None)
        if cancel is not None:
            at, record = cancel
            yield _Cancel(at, run.stop, record.ended, record.failed, record.answering)


@rule(
    "caller/cancelled",
    "MUST",
    "unsafe",
    "Once the caller has cancelled a run, no tool runs to its end and no answer of the model is taken, until the "
    "caller begins another run.",
    why="Who presses stop means that nothing more is changed, and that nothing more is paid for.",
    source=_INTERRUPTED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], No.], acts: {2: [cancel, {run: 'And after noon?'}]}}
    right: {cancelled-behind-all: The run is cancelled when its calls have ended.}
    wrong:
      ran-on-to-the-end: ['No run follows, and a call ends well.', {acting_before: cancel, kind: ToolResult,
          which: 1}, nothing_follows]
    """,
)
def _goes_on(view: TraceView) -> Iterator[Finding]:
    """What is on its way when the run is cancelled is stopped there, so only what was carried on counts."""
    for cancel in _cancels(view):
        ended = _ended_before(view, cancel)
        for at, record in enumerate(view.trace.records[cancel.at : cancel.until], cancel.at):
            event = record.event if isinstance(record, EventRecord) else None
            if isinstance(event, ToolResult) and event.ok and event.id not in ended:
                yield broken(at, "nothing more to run once the run is cancelled", f"{event.name} ran to its end")
        for ask in view.asks:
            if cancel.at < ask.at < cancel.until and _is_taken(view, cancel, ask):
                yield broken(ask.at, "no request once the run is cancelled", "a request, whose answer was taken")
        if (answered_all := _taken_to_its_end(view, cancel)) is not None:
            yield broken(answered_all.at, "the answer given up once the run is cancelled", "it was taken to its end")


def _taken_to_its_end(view: TraceView, cancel: _Cancel) -> Ask | None:
    """The request whose answer was arriving when the run was cancelled, if the loop has taken the rest of it.

    The answer stopped there, until the run was over, and then nobody gets the rest, or until it had had its time.
    """
    if not cancel.answering:
        return None
    latest = next((ask for ask in reversed(view.asks) if ask.at < cancel.at), None)
    response = None if latest is None else latest.exchange.response
    return latest if response is not None and response.end == "eof" else None


def _is_taken(view: TraceView, cancel: _Cancel, ask: Ask) -> bool:
    """Whether the loop has taken the answer: up to the end of its connection, or up to the end of the turn, where it
    closed the connection, as some SDKs do, and ended the run by this answer."""
    response = ask.exchange.response
    if response is None or response.end != "closed":
        return response is not None
    events = (record.event for at, record in view.trace.events if ask.at < at < cancel.until)
    return ask.whole and any(isinstance(event, Final) for event in events)


def _ended_before(view: TraceView, cancel: _Cancel) -> Mapping[str, bool]:
    """The calls that had ended before the cancel, each with whether it had ended well: as the loop had reported, or as
    the harness knows. Tools of one turn run side by side, and a loop may report later that one of them has ended, or
    not at all.

    Calls that were sent without an id have one of the loop's own in its reports, so of these the number counts.
    """
    events = [(at, record.event) for at, record in view.trace.events if at < cancel.until]
    begun = {event.id for at, event in events if isinstance(event, ToolStart) and at < cancel.at}
    results = [(at, event) for at, event in events if isinstance(event, ToolResult)]
    before = {event.id: event.ok for at, event in results if at < cancel.at and event.ok is not None}
    known = {**{id: id not in cancel.failed for id in cancel.ended if id}, **before}
    model_ids = {call.id for ask in view.asks for call in ask.calls}
    of_the_loop = begun - known.keys() - model_ids
    unnamed = [event.id for _, event in results if event.ok and event.id in of_the_loop]
    return {**known, **dict.fromkeys(unnamed[: _unreported_count(cancel, before)], True)}


def _unreported_count(cancel: _Cancel, before: Mapping[str, bool]) -> int:
    """How many calls without an id had ended, and the loop had not reported it."""
    without_ids = cancel.ended.count("")
    return max(0, without_ids - sum(id not in cancel.ended for id in before))


def _cancelled_asks(view: TraceView) -> Iterator[tuple[_Cancel, Ask, Ask]]:
    """Each cancel with the request whose turn it has cancelled, and the first request of the next run."""
    for cancel in _cancels(view):
        before = [ask for ask in view.asks if ask.at < cancel.at]
        after = next((ask for ask in view.asks if ask.at > cancel.until), None)
        if before and after is not None and after.full is not None:
            yield cancel, before[-1], after


def _cancelled_calls(view: TraceView) -> Iterator[tuple[Ask, Call, Result, bool | None]]:
    """Each call of a cancelled turn with the next request, its result there, and whether it had ended well: None where
    it had not ended.

    Of a loop that does not report ends nobody knows which came before. Calls that have waited all the same, because the
    run had come to its end, are as the user has decided since.
    """
    if not view.emits(ToolResult):
        return
    for cancel, before, after in _cancelled_asks(view):
        if not before.sound:
            continue
        ended = _ended_before(view, cancel)
        assert after.full is not None  # noqa: S101 - what _cancelled_asks gives
        results = {call.id: result for call, result in answered(after.full.messages)}
        since = [record for at, record in view.acts if cancel.at < at < after.at]
        decided = {tool for record in since for tool, _ in record.resolved}
        for call in before.calls:
            if call.id and call.id in results and call.name not in decided:
                yield after, call, results[call.id], ended.get(call.id)


@rule(
    "caller/cancelled-result",
    "MUST",
    "unsafe",
    "The result of a call that the caller has cancelled says that it did not end: it is marked as an error, or "
    "says so in words.",
    why="The model takes an empty result, or the usual one, for success, and builds on what was not done.",
    source=_INTERRUPTED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], No.], acts: {2: [cancel, {run: 'And after noon?'}]}}
    right:
      cancelled-cut-off: [The turn broke off., &same {acting_before: cancel, kind: ToolResult, which: 1},
          {drop: ToolResult, which: 1}, {cut: 0, end: cut}]
    wrong:
      cancelled-as-done: [The result of a call that did not end reads like success., *same,
          {drop: ToolResult, which: 1}]
    """,
)
def _cancelled_result(view: TraceView) -> Iterator[Finding]:
    for ask, call, result, ended in _cancelled_calls(view):
        if ended is not None:
            continue
        value = view.case.returns.get(call.name)
        returned = is_distinct(value) and says(result, value)
        if returned or not may_report_failure(result):
            expected = f"a result of {call.name} {call.id} that says that it was cancelled"
            yield broken(ask.at, expected, quote(result.output), level="MUST" if returned else "SHOULD")


@rule(
    "caller/ended-result",
    "MUST",
    "unsafe",
    "A call that had ended before the caller cancelled the run keeps its result, which is no failure.",
    why="The model does once more what was done.",
    source=_INTERRUPTED,
    needs=("events", "exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], No.], acts: {2: [cancel, {run: 'And after noon?'}]}}
    right: {ended-as-returned: [It has what its tool returns., {case: {returns: {tide: {done: tide}}}}]}
    wrong:
      ended-as-another-value: [A call that had ended has another result than its tool returns.,
          {case: {returns: {tide: {metres: 3}}}}]
    """,
)
def _ended_result(view: TraceView) -> Iterator[Finding]:
    """What a tool returns is known of some tools only; of the others, that the result is not marked as a failure."""
    for ask, call, result, ended in _cancelled_calls(view):
        if not ended:
            continue
        value = view.case.returns.get(call.name)
        if result.is_error or (value is not None and not carries(result, value)):
            wanted = f"what {call.name} {call.id} has returned, since it ended before the run was cancelled"
            yield broken(ask.at, wanted, quote(result.output))


@rule(
    "caller/shown",
    "SHOULD",
    "unsafe",
    "What the user has seen of an answer before the caller cancelled it is in the next request.",
    why="The user goes on from what was on the screen, and the model does not know of it.",
    source=_INTERRUPTED,
    needs=("events", "exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: ['The basin is deep, and the tide is high.', No.], acts: {2: [cancel, {run: 'And after noon?'}]}}
    right: {shown-and-sent: [What was shown goes back., {cut: 0, end: closed}]}
    wrong:
      shown-and-lost: [What was shown does not go back., {cut: 0, end: closed},
          {part: Text, become: [], role: assistant}]
    """,
)
def _shown(view: TraceView) -> Iterator[Finding]:
    """Of a turn that is whole the family ``history`` asks more. One that was compacted since is summarised."""
    compacted = [at for at, record in view.acts if record.compacted]
    for cancel, before, after in _cancelled_asks(view):
        if before.sound or any(cancel.at < at < after.at for at in compacted):
            continue
        assert after.full is not None  # noqa: S101 - what _cancelled_asks gives
        events = (record.event for at, record in view.trace.events if before.at < at < cancel.at)
        shown = plain_text("".join(event.text for event in events if isinstance(event, Assistant)))
        if letters(shown) not in letters("".join(message.text for message in after.full.messages)):
            yield broken(after.at, f"the text that was shown before the cancel: {quote(shown)}", "it is not there")


@rule(
    "caller/thought",
    "SHOULD",
    "unsafe",
    "What the model was thinking when the caller cancelled it is not in the next request as what it said.",
    why="The user has never had it as an answer, and the model takes it for one. Without its signature a thought is "
    "left out, or sent as what it is.",
    source="public reports of thoughts that were cut off: claude-code #63393, claude-code #5989",
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [anthropic-messages]
    run: {turns: [[{ThinkingPart: The chart has a basin in the north.}, 'Yes, and'], No.], acts: {2: [cancel,
        {run: 'And after noon?'}]}}
    right: {thought-left-out: [What was thought does not go back., {cut: 0, end: closed}, {lacking: ThinkingPart}]}
    wrong:
      thought-as-said: [What was thought goes back as what was said., {cut: 0, end: closed},
          {lacking: ThinkingPart}, {says_first: The chart has a basin in the north.}]
    """,
)
def _thought(view: TraceView) -> Iterator[Finding]:
    """The beginning of the thought is enough: how much of it the loop has read, nobody knows."""
    for _, before, after in _cancelled_asks(view):
        if before.sound:
            continue
        assert after.full is not None  # noqa: S101 - what _cancelled_asks gives
        thought = "".join(part.text for part in before.turn.parts if isinstance(part, ThinkingPart))
        begins = letters(thought)[:_DISTINCT]
        text = letters("".join(each.text for message in after.full.messages for each in _spoken(message)))
        if len(begins) == _DISTINCT and begins in text and begins not in letters(before.turn.text):
            expected = "an assistant's message without what the model has only thought"
            yield broken(after.at, expected, f"it says {quote(plain_text(thought))}")


_DISTINCT = 12
"""Letters by which a thought is recognised."""


def _spoken(message: Message) -> Iterator[Text]:
    return (part for part in message.parts if isinstance(part, Text) and message.role == "assistant")


def _user_messages(view: TraceView) -> Iterator[tuple[int, CallerRecord, Ask | None]]:
    """Each message of the user's after the prompt, with the first request that could have it.

    What is said while a run goes on may come too late for the next request, so of these the first that has it counts,
    and has it once more than the one before: the user may say the same twice. None where no request follows.
    """
    for at, record in view.acts:
        if record.text:
            later = [ask for ask in view.asks if ask.at > at and ask.full is not None]
            having = next((ask for ask in later if record.did == "say" and _has_anew(view, at, ask, record)), None)
            yield at, record, having or next(iter(later), None)


@rule(
    "caller/message-sent",
    "MUST",
    "unsafe",
    "What the user says while a run goes on, or to begin another one, is in the next request of the conversation, "
    "once; what is said while a request is on its way may be in the one after it. No later "
    "request says it once more.",
    why="The user has said how to go on, and the model never reads it.",
    source=_STEERED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], No.], acts: {2: [{say: Mind the crane.}]}}
    right: {said-and-sent: What the user says is in the next request.}
    wrong: {said-and-there-twice: [It is there twice., say_again]}
    """,
)
def _message_sent(view: TraceView) -> Iterator[Finding]:
    for at, record, ask in _user_messages(view):
        wanted = f"a request with the user's message {quote(record.text)}"
        if ask is None:
            if (record.did == "run" and _never_began(view, at)) or (record.did == "say" and _ended_otherwise(view, at)):
                continue  # of a run that has not begun, the runner reports that (target/request)
            yield broken(at, wanted, "no further request")
        elif not _has_anew(view, at, ask, record):
            if record.did == "say" and not _another_run(view, at) and _ended_otherwise(view, at):
                continue
            yield broken(ask.at, wanted, "it is not there")
        elif (times := _times(ask, record.text)) > _times_until(view, ask.at, record.text):
            yield broken(ask.at, f"{wanted}, once", f"{times} times")
            return
    yield from _sent_again(view)


def _never_began(view: TraceView, at: int) -> bool:
    """Whether a coding agent was to go on by the run that begins here, and its command failed before it had asked the
    model for anything.

    The command is the user's own (``again`` of the target file), and may be what is wrong.
    """
    if view.case.profile != "coding-agent":
        return False
    run = next(run for run in view.trace.runs if run.start == at)
    events = (record.event for record in view.trace.records[run.start : run.stop] if isinstance(record, EventRecord))
    asked = any(ask.at in run for ask in view.asks)
    return not asked and any(isinstance(event, Failure) and event.kind == RAISED for event in events)


def _sent_again(view: TraceView) -> Iterator[Finding]:
    """In later requests only a message of its own counts: a loop may quote the user, or sum up what was said."""
    for at, record in view.acts:
        if not record.text:
            continue
        for ask in view.asks:
            if ask.at < at or ask.full is None:
                continue
            parts = [part for message in ask.full.messages for part in message.parts if _is(message, part, record.text)]
            if len(parts) > (allowed := _times_until(view, ask.at, record.text)):
                wanted = f"the user's message {quote(record.text)} as often as it was said ({allowed})"
                yield broken(ask.at, wanted, f"it is there {len(parts)} times")
                return


def _is(message: Message, part: object, text: str) -> bool:
    return message.role == "user" and isinstance(part, Text) and plain_text(part.text) == plain_text(text)


def _another_run(view: TraceView, at: int) -> bool:
    return any(record.did == "run" for place, record in view.acts if place > at)


def _ended_otherwise(view: TraceView, at: int) -> bool:
    """Whether the run in which something was said ended though the model was not done, so that another may send it:
    cancelled, refused, cut short, failed or at its limit; or had no turn left when it was said."""
    later = view.trace.records[at:]
    cancelled = any(isinstance(record, CallerRecord) and record.did == "cancel" for record in later)
    ends = (record.event for record in later if isinstance(record, EventRecord))
    failed = any(isinstance(end, Failure) or (isinstance(end, Final) and end.outcome != "completed") for end in ends)
    asked = [ask for ask in view.asks if ask.at < at]
    return cancelled or failed or (bool(asked) and not asked[-1].runnable) or in_the_last_turn(view, at)


def _times_until(view: TraceView, at: int, text: str) -> int:
    """How often the user had said it by then, alone or among other words."""
    earlier = [record.text for place, record in view.acts if place < at]
    return sum(plain_text(text) in plain_text(each) for each in (*earlier, *(prompt for _, prompt in view.case.prompt)))


def _times(ask: Ask, text: str) -> int:
    """How many messages of the user's say the text, as a part or among other words."""
    assert ask.full is not None  # noqa: S101 - the caller has looked
    return sum(plain_text(text) in plain_text(each.text) for each in ask.full.messages if each.role == "user")


def _has_anew(view: TraceView, at: int, ask: Ask, record: CallerRecord) -> bool:
    """Whether the request has what the user said at this place, and not only what was said before in the same words.

    Of a message that begins a run it is enough that it is there: the loop may have forgotten the one before.
    """
    times = _times(ask, record.text)
    before = next((each for each in reversed(view.asks) if each.at < at and each.full is not None), None)
    if record.did == "run" or before is None:
        return times > 0
    assert before.full is not None  # noqa: S101 - looked at above
    assert ask.full is not None  # noqa: S101 - what _user_messages gives
    goes_on = all(map(_says_the_same, before.full.messages, ask.full.messages))
    return times > (_times(before, record.text) if goes_on else 0)


def _says_the_same(before: Message, after: Message) -> bool:
    return plain_text(before.text) == plain_text(after.text)


@rule(
    "caller/message-last",
    "MUST",
    "invalid",
    "What the user says while tools run is behind all results in the next request.",
    why="Providers refuse a message between a call and its result, and the conversation is dead from then on.",
    source=_STEERED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], No.], acts: {2: [{say: Mind the crane.}]}}
    wrong: {said-between-results: [It is between two results., {before_results: 1}]}
    """,
)
def _message_last(view: TraceView) -> Iterator[Finding]:
    for at, record, ask in _user_messages(view):
        if ask is None or not _has_anew(view, at, ask, record):
            continue
        assert ask.full is not None  # noqa: S101 - what _user_messages gives
        entries = [(message, part) for message in ask.full.messages for part in message.parts]
        texts = [at for at, (message, part) in enumerate(entries) if _says(message, part, record.text)]
        results = [(at, part) for at, (_, part) in enumerate(entries) if isinstance(part, Result)]
        if texts and results and texts[-1] < results[-1][0]:
            last = results[-1][1]
            got = f"in front of the result of {last.name or last.id}"
            yield broken(ask.at, f"the user's message {quote(record.text)} behind all results", got)


def _says(message: Message, part: object, text: str) -> bool:
    return message.role == "user" and isinstance(part, Text) and plain_text(text) in plain_text(part.text)


@rule(
    "caller/message-role",
    "SHOULD",
    "unsafe",
    "What the user says is sent as a message of the user.",
    why="In another role it is taken for the model's own words, or for an order of the developer's.",
    source=_STEERED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], No.], acts: {2: [{say: Mind the crane.}]}}
    wrong:
      said-as-the-models: [It is sent as the model's., {part: Text, become: [], role: user},
          {appended: assistant, text: Mind the crane.}]
    """,
)
def _role(view: TraceView) -> Iterator[Finding]:
    for _, record, ask in _user_messages(view):
        if ask is None or _times(ask, record.text):
            continue
        assert ask.full is not None  # noqa: S101 - what _user_messages gives
        roles = [each.role for each in ask.full.messages if plain_text(record.text) in plain_text(each.text)]
        if roles:
            yield broken(ask.at, f"the user's message {quote(record.text)} as the user's", f"as one of the {roles[0]}")
