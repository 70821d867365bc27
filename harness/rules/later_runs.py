"""How another run goes on: with a compacted history, without running a call again, on another model or provider.

The rules of the wires check, on the first request with a compacted history, that no call is separated from its
result. Histories are compared in neutral words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from harness.finding import Finding, Level, broken
from harness.rules.evidence import quote
from harness.rules.model import rule
from harness.rules.steps import can_go_back, canonical_arguments, canonical_signature, letters, plain_text
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.trace import CallerRecord, RequestRecord, ToolResult
from harness.wire import Call, IssuedState, Message, Refusal, Result, Text, ThinkingPart, key_headers, subjects_of, wire
from harness.wire.base import Role

_COMPACTED = "public reports of compacted histories: opencode #27594, openclaw #4739, gemini-cli #4105, OpenMinis #222"


def _around_acts(view: TraceView) -> Iterator[tuple[CallerRecord, Ask, Ask]]:
    """What the caller does, each with the last request before it and the first one after it."""
    for at, record in view.acts:
        before = [ask for ask in view.asks if ask.at < at and ask.full is not None]
        after = next((ask for ask in view.asks if ask.at > at and ask.full is not None), None)
        if before and after is not None:
            yield record, before[-1], after


def _compactions(view: TraceView) -> Iterator[tuple[CallerRecord, Ask, Ask]]:
    return (each for each in _around_acts(view) if each[0].did == "run" and each[0].compacted)


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
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {compacting: 1000}
    right: {compacted-399-not: [The history is as it was., {run: {compacting: 399}}]}
    wrong: {compacted-1000-not: The history is as it was.}
    """,
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
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {compacting: 1000}
    right: {compacted-with-orders-in-two: [The system prompt is in two messages., {summed_up: 10}, two_orders]}
    wrong:
      compacted-without-orders: [The system prompt is not there., {summed_up: 10},
          {part: Text, become: [], which: 0, role: system}]
    """,
)
def _keeps_the_system_prompt(view: TraceView) -> Iterator[Finding]:
    for _, before, after in _compactions(view):
        for text in _system(before):
            if plain_text(text) not in plain_text("\n".join(_system(after))):
                yield broken(after.at, f"the system prompt: {quote(text)}", "it is not in the request")


def _system(ask: Ask) -> list[str]:
    messages = ask.full.messages if ask.full is not None else ()
    return [message.text for message in messages if message.role == "system"]


_SWITCHED = "public reports of switched models: llxprt-code #2335, openclaw #110079, hermes-agent #24401, mistri #33"
_RESUMED = "public reports of resumed conversations: Roo-Code PR #10554, gemini-cli #13467, crush #1698"


# --- another run -------------------------------------------------------------------------------------------


@rule(
    "caller/ran-again",
    "MUST",
    "unsafe",
    "A call that has run in one run is not run again in a later one.",
    why="The history says what was done; to do it again may cost money, or undo what was changed since.",
    source=_RESUMED,
    needs=("events", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], Yes., [{call: enter, id: call_3, with: {basin: n}}], No.],
        acts: {3: [{run: 'And after noon?'}]}}
    right: {ran-once: Each call has run in one run.}
    wrong: {ran-again: [A call of the first run ends well in the second., {result_once_more: 0}]}
    """,
)
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


@rule(
    "caller/approved",
    "MUST",
    "unsafe",
    "A call that waits for approval runs in a later run only if the user has approved it since.",
    why="A denial, another message or a restart is no approval, and the effect of the call cannot be undone.",
    source="public reports of calls that wait: strands-agents/harness-sdk #1223, dify #7328; Tool Call Flow Diagrams, "
    "Tool Kind Hierarchy",
    needs=("events", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat, anthropic-messages]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], No.], case: {kinds: {tide: unapproved}},
        acts: {2: [{run: 'And after noon?', resolved: [[tide, approve]]}]}}
    right: {approved-and-ran: ['A call that waited was approved, and runs.', run_later]}
    wrong: {undecided-but-ran: ['Nobody has answered, and it runs.', run_later, {act: run, resolved: []}]}
    """,
)
def _unapproved_run(view: TraceView) -> Iterator[Finding]:
    """In the run that makes the call, the rule ``execution/unapproved`` asks."""
    for turn in view.turns:
        for call in turn.calls:
            at = call.tool.ran_at if call.tool is not None else None
            if at is None or view.kind(call) != "unapproved":
                continue
            since = [record for began, record in view.acts if record.did == "run" and call.ask.at < began < at]
            words = {how for record in since for tool, how in record.resolved if tool == call.call.name}
            if since and "approve" not in words:
                got = "the user has denied it" if words else "the user has not answered"
                yield broken(at, f"an approval of {call.call.name} before it runs", f"it ran, and {got}")


# --- another run on another model --------------------------------------------------------------------------


def _switches(view: TraceView) -> Iterator[tuple[CallerRecord, Ask, Ask]]:
    """The switches of model or wire."""
    return (each for each in _around_acts(view) if each[0].model or each[0].wire)


@rule(
    "caller/switched-model",
    "MUST",
    "unsafe",
    "After a switch the loop asks the model that the caller has named.",
    why="The caller has switched because of price, ability or an outage, and gets the model that it has left.",
    source=_SWITCHED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], 'Yes, at ten.', No.], acts: {3: [{run: 'And after noon?',
        model: gpt-5.1}]}}
    right: {asked-as-named: The model that the caller has named is asked.}
    wrong: {asked-the-old-one: [The model of before is asked., {asks: 2, model: gpt-5.2}]}
    """,
)
def _switched_model(view: TraceView) -> Iterator[Finding]:
    """A loop may put the provider in front of the name, or leave it out."""
    for at, record in view.acts:
        after = next((ask for ask in view.asks if ask.at > at and ask.conversation is not None), None)
        if after is None or after.conversation is None:
            continue
        asked = after.conversation.model
        if record.model not in asked and asked not in record.model:
            yield broken(after.at, f"a request to the model {record.model}", f"one to {asked or 'no model'}")


@rule(
    "caller/switched-state",
    "MUST",
    "invalid",
    "After a switch of provider no request names a response of before it; it has the whole history.",
    why="Another provider does not have what the first one has stored, and refuses the request.",
    source=_SWITCHED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-responses]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], 'Yes, at ten.', No.], acts: {3: [{run: 'And after noon?',
        wire: openai-responses}]}}
    right: {state-of-nobody: It names none.}
    wrong:
      state-of-before: [The request at the other provider names a response of before.,
          {names_response: 2, answer: 0}]
    """,
)
def _switched_state(view: TraceView) -> Iterator[Finding]:
    """Another model of the same provider may go on with what that has stored."""
    for at, record in view.acts:
        if not record.wire:
            continue
        before = {ask.reply.id for ask in view.asks if ask.at < at and ask.reply is not None}
        for ask in view.asks:
            named = ask.conversation.continues if ask.conversation is not None and ask.at > at else None
            if named in before:
                yield broken(
                    ask.at, "a request with the whole history", f"one that names {named}, of before the switch"
                )
                return


@rule(
    "caller/switched-key",
    "MUST",
    "unsafe",
    "After the user has got another key, no request has the one of before.",
    why="The old key may be revoked, or that of somebody else, who pays for it and whose limits are used up.",
    source="public reports of keys and accounts that change: sub2api #3038, sub2api #2863",
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], 'Yes, at ten.', No.], acts: {3: [{run: 'And after noon?',
        key: true}]}}
    right: {key-unknown: No request shows its key.}
    wrong:
      key-old-azure: [So it has in Azure's header., {with_key: 0, name: api-key, value: key 1},
          {with_key: 2, name: api-key, value: key 1}]
    """,
)
def _switched_key(view: TraceView) -> Iterator[Finding]:
    """Traces distinguish keys by the mark that is in their place."""
    for at, record in view.acts:
        if not record.key:
            continue
        old = {key for ask in view.asks if ask.at < at for key in _keys_of(view, ask)}
        for ask in view.asks:
            if ask.at > at and old & _keys_of(view, ask):
                yield broken(ask.at, "a request with the user's new key", "one with the key of before")
                return


def _keys_of(view: TraceView, ask: Ask) -> set[str]:
    request = view.trace.records[ask.at]
    assert isinstance(request, RequestRecord)  # noqa: S101 - it is the place of a request
    return {value for name, value in request.headers.items() if name in key_headers()}


@rule(
    "caller/switched-ids",
    "MUST",
    "invalid",
    "After a switch calls and results have ids of a form that the new model takes.",
    why="Makers have alphabets and lengths of their own, and refuse a conversation that has an id of another maker's.",
    source="public reports of foreign ids: llxprt-code #964, litellm PR #34523, ironclaw #1241, opencode #1680",
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], 'Yes, at ten.', No.], acts: {3: [{run: 'And after noon?',
        wire: openai-responses}]}}
    right: {item-id-of-its-type: [An item has an id of its type., {with_item_id: fc_1}]}
    wrong: {item-id-of-before: [An item has the id of a call., {with_item_id: call_1}]}
    """,
)
def _switched_ids(view: TraceView) -> Iterator[Finding]:
    """The provider's own rules of ids, asked as if it had issued none: what the model before has issued is foreign."""
    for _, _, after in _switches(view):
        assert after.full is not None  # noqa: S101 - what _switches gives
        for finding in wire(after.full.wire).violations(after.full, IssuedState()):
            if finding.level == "MUST" and "ids" in subjects_of(finding.reference):
                yield broken(after.at, finding.expected, finding.got)
                break


@rule(
    "caller/switched-thinking",
    "MUST",
    "invalid",
    "After a switch of provider the history has nothing that the model before has signed: its thinking is left "
    "out, or text. After a switch of model alone that is INFO: the rules of the wire say what a provider refuses.",
    why="A signature is bound to the model and the platform that made it; others refuse it, or drop the thinking.",
    source=_SWITCHED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [anthropic-messages]
    run: {turns: [[{ThinkingPart: First I look at the chart.}, Let me look.,
        {call: depth, id: call_1, with: {basin: n}}, {call: tide, id: call_2, with: {basin: s}}], 'Yes, at ten.',
        'Well, at eleven.', No.], acts: {3: [{run: 'And after noon?'}], 4: [{run: 'So?',
        wire: anthropic-messages}]}}
    right: {thinking-left-out-in-a-third-run: 'The third run is elsewhere, and gets none.'}
    wrong: {thinking-in-a-third-run: ['The third run is elsewhere, and gets the thinking.', thinking_again]}
    """,
)
def _foreign_thinking(view: TraceView) -> Iterator[Finding]:
    """How sure a refusal is between models of one provider, the rules of its wire say (ANT-34, GEM-09): that is no more
    than a remark here."""
    for switch, before, after in _switches(view):
        earlier = [ask for ask in view.asks if ask.at <= before.at]
        issuers = {canonical_signature(each): ask for ask in earlier for each in _signatures_of(ask)}
        assert after.full is not None  # noqa: S101 - what _switches gives
        for message in after.full.messages:
            for part in message.parts:
                signature = getattr(part, "signature", "")
                issuer = issuers.get(canonical_signature(signature)) if signature else None
                if issuer is not None:
                    what = "thinking" if isinstance(part, ThinkingPart) else "a part"
                    got = f"{what} with the signature {quote(signature)} of the model before"
                    level: Level = "MUST" if _is_of_another_provider(issuer, before, after, switch) else "INFO"
                    yield broken(after.at, "nothing that another model has signed", got, level=level)
                    return


def _is_of_another_provider(issuer: Ask, before: Ask, after: Ask, switch: CallerRecord) -> bool:
    """Whether another provider has the request than that of ``issuer``: another wire, or the same one at another place.

    Who goes back to a provider may send it what is its own.
    """
    assert before.full is not None  # noqa: S101 - what _switches gives
    assert after.full is not None  # noqa: S101
    made = issuer.full.wire if issuer.full is not None else before.full.wire
    return made != after.full.wire or (bool(switch.wire) and before.full.wire == after.full.wire)


def _signatures_of(ask: Ask) -> Iterator[str]:
    return (part.signature for part in ask.turn.parts if not isinstance(part, Refusal) and part.signature)


@rule(
    "caller/switched-history",
    "MUST",
    "unsafe",
    "After a switch of model or provider the history says what was said before: the texts of the user and the "
    "model, and in their order the calls with their arguments and the results.",
    why="The other model answers to a conversation that it does not know.",
    source=_SWITCHED + "; " + _RESUMED,
    needs=("exchanges", "caller"),
    scope="case",
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, id: call_1, with: {basin: n}},
        {call: tide, id: call_2, with: {basin: s}}], 'Yes, at ten.', No.], outputs: {depth: Nine metres.,
        tide: {result: 3}}, acts: {3: [{run: 'And after noon?', wire: anthropic-messages}]}}
    right: {switched-with-words: A result in words is there.}
    wrong:
      switched-with-other-words: [A result in words is another., {part: Result, become: {output: Ten metres.},
          which: 0}]
    """,
)
def _switched_history(view: TraceView) -> Iterator[Finding]:
    """Calls and results are compared in order; a text may stand among other words."""
    for _, before, after in _switches(view):
        assert before.full is not None  # noqa: S101 - what _switches gives
        assert after.full is not None  # noqa: S101
        texts = {role: _text_of(after.full.messages, role) for role in _SPEAKERS}
        left = iter(_done(after.full.messages))
        for wanted in (*_done(before.full.messages), *_done_at_last(before)):
            if not any(_is_same(wanted, each) for each in left):
                words = " ".join(filter(None, wanted))
                yield broken(after.at, f"what was done before the switch: {words}", "it is not in the request")
                return
        came = letters("".join(part.text for ask in view.asks if ask.at <= before.at for part in _texts_of(ask)))
        for role, text in (*_texts(before.full.messages), *_texts_at_last(before)):
            if role == "assistant" and letters(text) not in came:
                continue  # words of the loop itself, such as a thought that it has sent as a text
            if letters(text) not in texts[role]:
                yield broken(after.at, f"the text of the {role} {quote(plain_text(text))}", "it is not in the request")
                return


_SPEAKERS: tuple[Role, ...] = ("user", "assistant")


_Done = tuple[str, str, str]
"""What was done: a call or a result, the name of the tool called, and the arguments or the value.

A call whose arguments are no object, which some wires cannot say, has none.
"""


def _done(messages: Sequence[Message]) -> Iterator[_Done]:
    """The calls and the results of a history, apart from ids."""
    for message in messages:
        for part in message.parts:
            if isinstance(part, Call):
                yield _done_call(part)
            elif isinstance(part, Result):
                yield "a result", "", _value(part.output)


def _done_call(call: Call) -> _Done:
    return "a call", call.name, canonical_arguments(call.arguments) if can_go_back(call.arguments) else ""


def _is_same(wanted: _Done, sent: _Done) -> bool:
    return wanted == sent or (wanted[:2] == sent[:2] and "" in (wanted[2], sent[2]))


def _texts(messages: Sequence[Message]) -> Iterator[tuple[Role, str]]:
    for message in messages:
        if message.role in _SPEAKERS:
            yield from ((message.role, part.text) for part in message.parts if isinstance(part, Text))


def _text_of(messages: Sequence[Message], role: Role) -> str:
    return letters("".join(text for speaker, text in _texts(messages) if speaker == role))


def _texts_of(ask: Ask) -> Iterator[Text]:
    return (part for part in ask.turn.parts if isinstance(part, Text))


def _done_at_last(before: Ask) -> Iterator[_Done]:
    """The calls of the turn that ended the run, where a loop may go on with it."""
    yield from map(_done_call, before.calls if before.runnable else ())


def _texts_at_last(before: Ask) -> Iterator[tuple[Role, str]]:
    parts = before.turn.parts if before.runnable else ()
    yield from (("assistant", part.text) for part in parts if isinstance(part, Text))


_WRAPPINGS = frozenset({"output", "result", "error", "content"})


def _value(output: str) -> str:
    """The value of a result in one spelling, without what a wire or a loop wraps it in: a member of its own, as Gemini
    demands an object, perhaps beside the name of the tool, and perhaps twice."""
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        return quote(plain_text(output))
    while isinstance(value, dict) and len(inner := value.keys() - {"name"}) == 1 and inner <= _WRAPPINGS:
        value = value[next(iter(inner))]
    return json.dumps(value, sort_keys=True)
