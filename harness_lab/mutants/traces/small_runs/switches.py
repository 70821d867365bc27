"""What another run goes on with: what has run, on another model or at another provider, on a history made shorter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.trace import EventRecord, Final, RequestRecord, ToolResult, ToolStart
from harness.wire import Call, FinishReason, Result, Text, ThinkingPart, Turn, WireName, wire
from harness_lab.mutants.traces.conversations import Entry, rewriting
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft, insert, place, requests, rewrite
from harness_lab.mutants.traces.edits import alter
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.acting import act, acting, begins, in_request, without_act
from harness_lab.mutants.traces.small_runs.changes import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    case,
    gone,
    having,
    part,
    unanswered,
    unreadable,
)

_CALLS = Turn((Text("Let me look."), call("depth", "call_1", basin="n"), call("tide", "call_2", basin="s")))
_TURNS = (_CALLS, says("Yes, at ten."), says("No."))


# --- what has run, and what may run -------------------------------------------------------------------------------

_TWO_RUNS = PlainRun(
    (_CALLS, says("Yes."), Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: begins()}
)
_SAME_ID = PlainRun(
    (_CALLS, says("Yes."), Turn((call("depth", "call_1", basin="n"),)), says("No.")), acts={3: begins()}
)
_WAITING = PlainRun(
    (_CALLS, says("No.")), acts={2: begins(resolved=(("tide", "approve"),))}, case={"kinds": {"tide": "unapproved"}}
)


def _once_more(which: int, **members: Any) -> Edit:
    """A result of the first run is reported once more at the beginning of the last one."""

    def edit(draft: TraceDraft) -> None:
        first = draft.records[place(draft.records, ToolResult, which)]
        assert isinstance(first, EventRecord)  # noqa: S101 - what place() looks for
        insert(draft.records, requests(draft.records)[2], replace(first.event, **members))

    return edit


def _run_later(draft: TraceDraft) -> None:
    """The second call runs in the run that the caller begins, and the first run says that it waits."""
    ran = [draft.records.pop(place(draft.records, kind, 1)) for kind in (ToolStart, ToolResult)]
    end = place(draft.records, Final, 0)
    first = draft.records[end]
    assert isinstance(first, EventRecord)  # noqa: S101 - what place() looks for
    draft.records[end] = replace(first, event=Final("", "deferred"))
    draft.records[end + 2 : end + 2] = ran


_WENT_ON = (
    *acting(
        "caller/ran-again",
        _TWO_RUNS,
        ("ran-once", "Each call has run in one run.", []),
        ("ran-again", "A call of the first run ends well in the second.", [_once_more(0)]),
        ("both-ran-again", "Two calls of the first run do so.", [_once_more(0), _once_more(1)]),
        ("failed-again", "A call of the first run fails in the second.", [_once_more(0, ok=False)]),
        (
            "failed-and-ran",
            "A call fails in the first run, and ends well in the second.",
            [_once_more(0), alter(ToolResult, 0, ok=False)],
        ),
    ),
    *acting(
        "caller/ran-again",
        _SAME_ID,
        ("made-again", "The model makes a call under the same id in the second run.", []),
    ),
    *acting(
        "caller/approved",
        _WAITING,
        ("approved-and-ran", "A call that waited was approved, and runs.", [_run_later]),
        ("denied-but-ran", "It was denied, and runs.", [_run_later, act("run", resolved=(("tide", "deny"),))]),
        ("undecided-but-ran", "Nobody has answered, and it runs.", [_run_later, act("run", resolved=())]),
        (
            "another-was-approved",
            "Another call was approved, and it runs.",
            [_run_later, act("run", resolved=(("depth", "approve"),))],
        ),
        (
            "denied-and-approved",
            "Of two calls of the tool one was approved.",
            [_run_later, act("run", resolved=(("tide", "deny"), ("tide", "approve")))],
        ),
        ("free-to-run", "The call need not wait.", [_run_later, act("run", resolved=()), case(kinds={})]),
        (
            "failed-undecided",
            "It fails, and nobody has answered.",
            [_run_later, act("run", resolved=()), alter(ToolResult, 1, ok=False)],
        ),
        ("ran-at-once", "It runs in the run that makes it.", [act("run", resolved=())]),
        ("no-other-run", "The caller begins no other run.", [_run_later, without_act("run")]),
    ),
)


# --- another model, another key ------------------------------------------------------------------------------------

_ON_ANOTHER = PlainRun(_TURNS, acts={3: begins(model="gpt-5.1")})
_KEYED = PlainRun(_TURNS, acts={3: begins(key=True)})
_KEYED_ON = PlainRun(
    (_CALLS, says("Yes."), Turn((call("enter", "call_3", basin="n"),)), says("No.")), acts={3: begins(key=True)}
)


def _asks_model(number: int, model: str) -> Edit:
    return lambda draft: rewrite(draft.records, number, lambda body: body.update(model=model))


def _with_key(number: int, name: str, value: str) -> Edit:
    """A request has this header."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[number]
        request = draft.records[at]
        assert isinstance(request, RequestRecord)  # noqa: S101 - what requests() looks for
        draft.records[at] = replace(request, headers={**request.headers, name: value})

    return edit


def _under_one_key(name: str) -> tuple[Edit, ...]:
    return _with_key(0, name, "key 1"), _with_key(2, name, "key 1")


_MODELS_AND_KEYS = (
    *acting(
        "caller/switched-model",
        _ON_ANOTHER,
        ("asked-as-named", "The model that the caller has named is asked.", []),
        ("asked-the-old-one", "The model of before is asked.", [_asks_model(2, "gpt-5.2")]),
        ("asked-with-its-maker", "The model's name has its maker's in front.", [_asks_model(2, "openai/gpt-5.1")]),
        (
            "asked-without-its-maker",
            "The caller has named the maker, too.",
            [act("run", model="openai/gpt-5.1")],
        ),
        ("asked-without-a-switch", "The caller has named none.", [act("run", model=""), _asks_model(2, "gpt-5.2")]),
        ("asked-none", "No model is asked.", [_asks_model(2, "")]),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-key",
        _KEYED,
        ("key-unknown", "No request shows its key.", []),
        ("key-old", "The request behind the change has the old key.", _under_one_key("authorization")),
        ("key-old-x", "So it has in another header.", _under_one_key("x-api-key")),
        ("key-old-azure", "So it has in Azure's header.", _under_one_key("api-key")),
        ("key-old-google", "So it has in Google's header.", _under_one_key("x-goog-api-key")),
        ("header-old", "Another header has not changed.", _under_one_key("x-app")),
        (
            "key-new",
            "The request behind the change has another key.",
            [_with_key(0, "authorization", "key 1"), _with_key(2, "authorization", "key 2")],
        ),
        (
            "key-of-the-middle",
            "It has that of the second request.",
            [_with_key(1, "authorization", "key 1"), _with_key(2, "authorization", "key 1")],
        ),
        (
            "key-without-a-change",
            "The user has got no other key.",
            [*_under_one_key("authorization"), act("run", key=False)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-key",
        _KEYED_ON,
        (
            "key-old-later",
            "The second request behind the change has the old key.",
            [
                _with_key(0, "x-api-key", "key 1"),
                _with_key(2, "x-api-key", "key 2"),
                _with_key(3, "x-api-key", "key 1"),
            ],
        ),
        (
            "key-old-twice",
            "Both requests behind the change have the old key: one finding.",
            [
                _with_key(0, "x-api-key", "key 1"),
                _with_key(2, "x-api-key", "key 1"),
                _with_key(3, "x-api-key", "key 1"),
            ],
        ),
        (
            "keys-kept",
            "Both requests behind the change have the new key.",
            [
                _with_key(0, "x-api-key", "key 1"),
                _with_key(2, "x-api-key", "key 2"),
                _with_key(3, "x-api-key", "key 2"),
            ],
        ),
        wires=CHAT,
    ),
)


# --- another provider: what is stored, ids, signatures --------------------------------------------------------------

_ELSEWHERE = PlainRun(_TURNS, acts={3: begins(wire="openai-responses")})
_ELSEWHERE_ON = PlainRun(
    (_CALLS, says("Yes."), Turn((call("enter", "call_3", basin="n"),)), says("No.")),
    acts={3: begins(wire="openai-responses")},
)


def _naming(number: int, answer: int) -> Edit:
    """A request names the response to an earlier one."""

    def edit(draft: TraceDraft) -> None:
        at = requests(draft.records)[answer]
        response = draft.records[at + 1]
        reply = wire("openai-responses").parse(response.headers["content-type"], response.body)  # type: ignore[union-attr]
        rewrite(draft.records, number, lambda body: body.update(previous_response_id=reply.id))

    return edit


def _with_item_id(id: str) -> Edit:
    """The first call of the last request is an item with this id."""

    def change(body: Any) -> None:
        next(each for each in body["input"] if each.get("type") == "function_call")["id"] = id

    return lambda draft: rewrite(draft.records, -1, change)


def _named(ids: str, to: WireName, **members: Any) -> PlainRun:
    """A run whose call has this id, and that goes on at another provider."""
    return PlainRun(
        (Turn((call("depth", ids, basin="n"),)), says("Yes."), says("No.")), acts={3: begins(wire=to, **members)}
    )


_SIGNED = PlainRun(
    (Turn((ThinkingPart("First I look at the chart."), *_CALLS.parts)), says("Yes, at ten."), says("No.")),
    acts={3: begins(model="claude-opus-4-6")},
)
_SIGNED_ALIKE = PlainRun(
    (
        Turn((ThinkingPart("First I look at the chart.", signature="c2lnbmVk"), *_CALLS.parts)),
        says("Yes, at ten."),
        Turn((ThinkingPart("Well.", signature="c2lnbmVk"), Text("No."))),
    ),
    acts={3: begins(wire="openai-responses")},
)
_THERE_AND_BACK = PlainRun(
    (*_SIGNED.turns, says("Well.")),
    acts={3: begins(wire="openai-responses"), 4: begins(wire="anthropic-messages")},
)


def _thinking_again(draft: TraceDraft) -> None:
    """The last request has the first thinking of the conversation, with its signature."""
    request = draft.records[requests(draft.records)[1]]
    assert isinstance(request, RequestRecord)  # noqa: S101 - what requests() looks for
    speaker = wire(draft.case.wire)
    route = speaker.route(request.method, request.path)
    assert route is not None  # noqa: S101 - the wire has written it
    asked = speaker.read(route, request.body, request.headers)
    thought = next((each for message in asked.messages for each in message.parts if _is_signed(each)), None)
    if thought is None:
        raise NothingToBreak

    def change(entries: list[Entry]) -> None:
        at = next(at for at, entry in enumerate(entries) if entry[0] == "assistant")
        if isinstance(thought, ThinkingPart):
            entries.insert(at, ("assistant", thought, entries[at][2]))
        else:
            at = next(at for at, entry in enumerate(entries) if isinstance(entry[1], type(thought)))
            entries[at] = ("assistant", thought, entries[at][2])

    rewriting(change)(draft)


def _is_signed(each: object) -> bool:
    return bool(getattr(each, "signature", ""))


_PROVIDERS = (
    *acting(
        "caller/switched-state",
        _ELSEWHERE,
        ("state-of-before", "The request at the other provider names a response of before.", [_naming(2, 0)]),
        ("state-of-the-last", "It names the last response of before.", [_naming(2, 1)]),
        (
            "state-of-the-same",
            "The provider is the same, and the model another.",
            [act("run", wire="", model="gpt-5.1"), _naming(2, 1), _asks_model(2, "gpt-5.1")],
        ),
        ("state-of-nobody", "It names none.", []),
        wires=RESPONSES,
    ),
    *acting(
        "caller/switched-state",
        _ELSEWHERE_ON,
        ("state-of-its-own", "A later request names a response of the other provider.", [_naming(3, 2)]),
        ("state-of-before-later", "A later request names a response of before.", [_naming(3, 1)]),
        ("state-of-before-twice", "Two requests do: one finding.", [_naming(2, 1), _naming(3, 1)]),
        wires=RESPONSES,
    ),
    *acting(
        "caller/switched-ids",
        _named("call.1", "anthropic-messages"),
        ("id-with-a-dot", "Anthropic takes no dots in ids.", []),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-ids",
        _named("call_1", "anthropic-messages"),
        ("id-with-an-underscore", "It takes an underscore.", []),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-ids",
        _named("c" * 65, "openai-responses"),
        ("id-too-long", "Responses takes ids of 64 characters.", []),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-ids",
        _named("c" * 64, "openai-responses"),
        ("id-as-long-as-may-be", "This one has so many.", []),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-ids",
        _ELSEWHERE,
        ("item-id-of-before", "An item has the id of a call.", [_with_item_id("call_1")]),
        ("item-id-of-its-type", "An item has an id of its type.", [_with_item_id("fc_1")]),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-ids",
        _named("call_12345", "openai-chat", model="mistral-large-latest"),
        ("id-of-another-form", "Mistral takes nine letters and digits.", []),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-ids",
        _named("abcdefgh1", "openai-chat", model="mistral-large-latest"),
        ("id-of-nine", "These are nine.", []),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-thinking",
        _SIGNED,
        ("thinking-left-out", "The other model gets no thinking.", []),
        ("thinking-of-another-model", "The other model of one provider gets it.", [_thinking_again]),
        (
            "thinking-of-another-provider",
            "The same model elsewhere gets it.",
            [_thinking_again, act("run", wire="anthropic-messages")],
        ),
        (
            "thinking-without-a-switch",
            "The model is the same.",
            [_thinking_again, act("run", model=""), _asks_model(2, "claude-sonnet-4-6")],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        replace(_SIGNED, acts={3: begins(model="gemini-3-flash-preview")}),
        ("call-of-another-model", "A call goes to another model with its signature.", [_thinking_again]),
        wires=("gemini-generate",),
    ),
    *acting(
        "caller/switched-thinking",
        replace(_SIGNED, acts={3: begins(wire="openai-responses")}),
        ("thinking-on-another-wire", "A provider of another wire gets it.", [_thinking_again]),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        _SIGNED_ALIKE,
        (
            "thinking-on-another-wire-signed-alike",
            "A provider of another wire gets it, and signs its own alike.",
            [_thinking_again],
        ),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/switched-thinking",
        _THERE_AND_BACK,
        ("thinking-back-home", "The provider that has signed it gets it back.", [_thinking_again]),
        wires=ANTHROPIC,
    ),
)


# --- another provider: what was said and done -----------------------------------------------------------------------

_TO_ANOTHER = PlainRun(_TURNS, acts={3: begins(wire="anthropic-messages")})
_FROM_A_CALL = PlainRun(
    (_CALLS, Turn((Text("I enter."), call("enter", "call_3", basin="n"))), says("No.")),
    acts={3: begins(wire="anthropic-messages")},
)
_FROM_A_BROKEN_CALL = PlainRun(
    (Turn((Text("Let me look."), Call("depth", '{"basin": "n', "call_1"))), says("Yes."), says("No.")),
    failing=frozenset({"depth"}),
    acts={3: begins(wire="anthropic-messages")},
)
_FROM_WORDS = PlainRun(
    (_CALLS, says("Yes, at ten."), says("No.")),
    outputs={"depth": "Nine metres.", "tide": {"result": 3}},
    acts={3: begins(wire="anthropic-messages")},
)


def _swapped(kind: type) -> Edit:
    """The first two parts of this kind change places."""

    def change(entries: list[Entry]) -> None:
        one, other = [at for at, (_, each, _) in enumerate(entries) if isinstance(each, kind)][:2]
        first, second = entries[one], entries[other]
        entries[one], entries[other] = (*second[:2], first[2]), (*first[:2], second[2])

    return rewriting(change)


def _own_words(draft: TraceDraft) -> None:
    """The request before the switch has words of the model's that it has not said."""
    at = requests(draft.records)[1]
    left = TraceDraft(draft.case, draft.records[: at + 1])
    part(Text, having(text="I have looked."), -1, "assistant")(left)
    draft.records[at] = left.records[at]


_HISTORIES = (
    *acting(
        "caller/switched-history",
        _TO_ANOTHER,
        ("switched-whole", "The other provider gets all.", []),
        (
            "switched-without-a-call",
            "It does not get a call and its result.",
            [part(Call, gone, 0), part(Result, gone, 0)],
        ),
        ("switched-without-a-result", "It does not get a result.", [part(Result, gone, 0)]),
        ("switched-with-another-call", "It gets a call of another tool.", [part(Call, having(name="enter"), 0)]),
        (
            "switched-with-other-arguments",
            "It gets a call with other arguments.",
            [part(Call, having(arguments='{"basin": "x"}'), 0)],
        ),
        ("switched-with-another-result", "It gets another result.", [part(Result, having(output="Nine."), 0)]),
        (
            "switched-with-a-wrapped-result",
            "It gets the result in a member of its own, beside the tool's name.",
            [part(Result, having(output='{"name": "depth", "output": {"done": "depth"}}'), 0)],
        ),
        (
            "switched-with-a-result-wrapped-twice",
            "It gets the result wrapped twice.",
            [part(Result, having(output='{"result": {"content": {"done": "depth"}}}'), 0)],
        ),
        (
            "switched-with-a-result-under-another-name",
            "It gets the result in a member of another name.",
            [part(Result, having(output='{"value": {"done": "depth"}}'), 0)],
        ),
        (
            "switched-with-a-result-and-more",
            "It gets the result beside another member.",
            [part(Result, having(output='{"output": {"done": "depth"}, "error": null}'), 0)],
        ),
        ("switched-in-another-order", "It gets the calls in another order.", [_swapped(Call)]),
        ("switched-without-the-question", "It does not get the user's first words.", [part(Text, gone, 0, "user")]),
        (
            "switched-with-other-words-of-the-user",
            "It gets other words of the user.",
            [part(Text, having(text="May we?"), 0, "user")],
        ),
        (
            "switched-without-the-first-text",
            "It does not get the model's first text.",
            [part(Text, gone, 0, "assistant")],
        ),
        (
            "switched-without-the-last-text",
            "It does not get the text with which the model ended.",
            [part(Text, gone, -1, "assistant")],
        ),
        (
            "switched-among-words",
            "It gets the model's text among other words.",
            [part(Text, having(text="The model says: Yes,  at ten. So much."), -1, "assistant")],
        ),
        (
            "switched-by-the-user",
            "It gets the model's last text as the user's.",
            [
                part(Text, gone, -1, "assistant"),
                part(Text, lambda old: replace(old, text=f"Yes, at ten. {old.text}"), -1, "user"),
            ],
        ),
        (
            "switched-without-own-words",
            "It does not get words that the loop has put into the model's mouth.",
            [_own_words],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "caller/switched-history",
        _FROM_A_CALL,
        ("switched-behind-a-call", "The last turn before the switch has a call.", []),
        (
            "switched-without-the-last-call",
            "The call of the last turn before the switch is not there.",
            [part(Call, gone, -1), part(Result, gone, -1)],
        ),
        wires=("openai-chat", "gemini-generate"),
    ),
    *acting(
        "caller/switched-history",
        _FROM_A_BROKEN_CALL,
        (
            "switched-with-a-broken-call",
            "A call whose arguments are broken is sent with none.",
            [part(Call, having(arguments="{}"), 0)],
        ),
        (
            "switched-with-a-repaired-call",
            "A call whose arguments are broken is sent with repaired ones.",
            [part(Call, having(arguments='{"basin": "n"}'), 0)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        _FROM_WORDS,
        ("switched-with-words", "A result in words is there.", []),
        ("switched-with-other-words", "A result in words is another.", [part(Result, having(output="Ten metres."), 0)]),
        (
            "switched-with-words-in-spaces",
            "A result in words is there in other white space.",
            [part(Result, having(output="Nine\n metres."), 0)],
        ),
        wires=CHAT,
    ),
)


# --- a history that was compacted -------------------------------------------------------------------------------------


def _compacting(length: int) -> PlainRun:
    """A run whose history has so many characters, text, arguments and result, when the user has it compacted."""
    arguments, result = len('{"basin": "n"}'), len('{"done": "depth"}')
    text = "x" * (length - arguments - result - len("May we?") - len("Yes."))
    turns = (Turn((Text(text), call("depth", "call_1", basin="n"))), says("Yes."), says("No."))
    return PlainRun(
        turns, prompt=(("system", "You pilot ships."), ("user", "May we?")), acts={3: begins("On.", compacted=True)}
    )


def _summed_up(length: int) -> Edit:
    """The history is a text of the user of so many characters, and what the user says."""

    def change(entries: list[Entry]) -> None:
        system = [each for each in entries if each[0] == "system"]
        summary: Entry = ("user", Text("s" * length), "summary")
        entries[:] = [*system, summary, entries[-1]]

    return rewriting(change)


def _two_orders(entries: list[Entry]) -> None:
    at = next(at for at, each in enumerate(entries) if each[0] == "system")
    entries[at : at + 1] = [("system", Text(text), text) for text in ("You pilot", "ships.")]


_COMPACTED = (
    *(
        small_run
        for length in (399, 400, 1_000)
        for small_run in acting(
            "caller/compacted",
            _compacting(length),
            (f"compacted-{length}-by-one", "The summary has a character less.", [_summed_up(length - 1)]),
            (f"compacted-{length}-by-none", "The summary is as long.", [_summed_up(length)]),
            (f"compacted-{length}-by-less", "The summary has a character more.", [_summed_up(length + 1)]),
            (f"compacted-{length}-not", "The history is as it was.", []),
        )
    ),
    *acting(
        "caller/compacted",
        _compacting(1_000),
        (
            "compacted-without-asking",
            "The user has not had it compacted.",
            [act("run", compacted=False), _summed_up(1_001)],
        ),
    ),
    *acting(
        "caller/compacted-system",
        _compacting(1_000),
        (
            "compacted-without-orders",
            "The system prompt is not there.",
            [_summed_up(10), part(Text, gone, 0, "system")],
        ),
        (
            "compacted-with-other-orders",
            "The system prompt is another.",
            [_summed_up(10), part(Text, having(text="You sail."), 0, "system")],
        ),
        (
            "compacted-with-orders-in-two",
            "The system prompt is in two messages.",
            [_summed_up(10), rewriting(_two_orders)],
        ),
        (
            "compacted-with-more-orders",
            "The system prompt is there among other words, in other white space.",
            [_summed_up(10), part(Text, having(text="Be brief. You  pilot\nships. So be it."), 0, "system")],
        ),
    ),
)

# --- requests that cannot be read, and several switches --------------------------------------------------------------

_ENTER = Turn((call("enter", "call_3", basin="n"),))
_BACK_AND_FORTH = PlainRun(
    (_CALLS, says("Yes, at ten."), says("Well, at eleven."), says("No.")),
    acts={3: begins(model="gpt-5.1"), 4: begins("So?", model="gpt-5.2")},
)
_ON_THERE = PlainRun((_CALLS, says("Yes, at ten."), _ENTER, says("No.")), acts={3: begins(wire="anthropic-messages")})
_RUNS_AND_A_SWITCH = PlainRun(
    (_CALLS, says("Yes, at ten."), says("Well, at eleven."), says("No.")),
    acts={3: begins(), 4: begins("So?", wire="anthropic-messages")},
)
_SIGNED_ON = replace(
    _SIGNED,
    turns=(*_SIGNED.turns[:2], says("Well, at eleven."), says("No.")),
    acts={3: begins(), 4: begins("So?", wire="anthropic-messages")},
)
_COMPACTING_TWICE = replace(
    _compacting(1_000),
    turns=(*_compacting(1_000).turns, says("Well.")),
    acts={3: begins("On.", compacted=True), 4: begins("And on.", compacted=True)},
)
_LOSE_LAST = part(Text, gone, -1, "assistant")

_RARE = (
    *acting(
        "caller/switched-model",
        _BACK_AND_FORTH,
        ("asked-both", "Two switches, and each model is asked.", []),
        ("asked-the-first-twice", "The second switch is not made.", [_asks_model(3, "gpt-5.1")]),
        ("asked-neither", "No switch is made: two findings.", [_asks_model(2, "gpt-5.2"), _asks_model(3, "gpt-5.1")]),
        ("asked-in-an-unreadable", "The request behind the first switch cannot be read.", [unreadable(2)]),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-model",
        PlainRun((_CALLS, says("Yes."), _ENTER, says("No.")), acts={3: begins(model="gpt-5.1")}),
        (
            "asked-behind-an-unreadable",
            "The request behind the switch cannot be read, and the next one asks the model of before.",
            [unreadable(2), _asks_model(3, "gpt-5.2")],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-key",
        PlainRun(_RUNS_AND_A_SWITCH.turns, acts={3: begins(), 4: begins("So?", key=True)}),
        (
            "key-old-in-a-third-run",
            "The third run has another key, and does not use it.",
            [_with_key(1, "x-api-key", "key 1"), _with_key(3, "x-api-key", "key 1")],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-state",
        PlainRun(_RUNS_AND_A_SWITCH.turns, acts={3: begins(), 4: begins("So?", wire="openai-responses")}),
        ("state-of-before-a-later-switch", "The third run names a response of the second.", [_naming(3, 2)]),
        (
            "state-of-the-run-before",
            "The second run names a response of the first, and the third none.",
            [_naming(2, 1)],
        ),
        ("state-behind-an-unreadable", "A request of before cannot be read.", [unreadable(0), _naming(3, 2)]),
        ("state-of-the-unanswered", "A request of before was not answered.", [unanswered(0), _naming(3, 2)]),
        ("state-and-an-unreadable", "The request behind the switch cannot be read.", [unreadable(3)]),
        wires=RESPONSES,
    ),
    *acting(
        "caller/switched-history",
        _ON_THERE,
        ("switched-and-gone-on", "The second request behind the switch has all.", []),
        ("switched-and-lost-later", "The second request behind the switch lacks what was said.", [_LOSE_LAST]),
        (
            "switched-and-unreadable",
            "The first request behind the switch cannot be read, and the second lacks what was said.",
            [unreadable(2), part(Text, gone, 1, "assistant")],
        ),
        ("switched-from-an-unreadable", "The request before the switch cannot be read.", [unreadable(1)]),
        ("switched-from-none", "No request before the switch can be read.", [unreadable(0), unreadable(1)]),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        _RUNS_AND_A_SWITCH,
        ("switched-in-a-third-run", "The third run is elsewhere, and has all.", []),
        ("switched-in-a-third-run-and-lost", "The third run is elsewhere, and lacks what was said.", [_LOSE_LAST]),
        (
            "runs-without-a-switch",
            "The second run is where the first was, and lacks what was said.",
            [without_act("run", 1), in_request(2, _LOSE_LAST)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        replace(_TO_ANOTHER, turns=(_CALLS, replace(says("Yes, at ten."), stop=FinishReason.MAX_TOKENS), says("No."))),
        ("switched-behind-a-cut-answer", "The last answer was cut short, and is left out.", [_LOSE_LAST]),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-history",
        replace(
            _FROM_A_CALL, turns=(_CALLS, replace(_FROM_A_CALL.turns[1], stop=FinishReason.MAX_TOKENS), says("No."))
        ),
        (
            "switched-behind-a-cut-call",
            "The last turn was cut short, and is left out with its call.",
            [_LOSE_LAST, part(Call, gone, -1), part(Result, gone, -1)],
        ),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-ids",
        replace(
            _named("call.1", "anthropic-messages"), acts={2: begins(), 3: begins("So?", wire="anthropic-messages")}
        ),
        ("id-with-a-dot-later", "The second of two other runs is at Anthropic.", []),
        wires=CHAT,
    ),
    *acting(
        "caller/switched-thinking",
        _SIGNED_ON,
        ("thinking-in-a-third-run", "The third run is elsewhere, and gets the thinking.", [_thinking_again]),
        ("thinking-left-out-in-a-third-run", "The third run is elsewhere, and gets none.", []),
        wires=ANTHROPIC,
    ),
    *acting(
        "caller/compacted",
        _COMPACTING_TWICE,
        (
            "compacted-twice",
            "The history is compacted once, and once more.",
            [in_request(2, _summed_up(500)), _summed_up(100)],
        ),
        (
            "compacted-twice-in-vain",
            "The history is compacted once, and the second time it gets longer.",
            [in_request(2, _summed_up(500)), _summed_up(600)],
        ),
        (
            "compacted-and-unreadable",
            "The request behind the first compaction cannot be read.",
            [in_request(2, _summed_up(1_001)), unreadable(2), _summed_up(600)],
        ),
        (
            "compacted-and-not-read",
            "No request before the compactions can be read.",
            [unreadable(0), unreadable(1), in_request(2, _summed_up(1_001)), _summed_up(600)],
        ),
        (
            "compacted-and-without-orders-later",
            "The second compaction loses the system prompt.",
            [in_request(2, _summed_up(500)), _summed_up(100), part(Text, gone, 0, "system")],
        ),
    ),
)

SWITCHES: tuple[SmallRun, ...] = (*_WENT_ON, *_MODELS_AND_KEYS, *_PROVIDERS, *_HISTORIES, *_COMPACTED, *_RARE)
