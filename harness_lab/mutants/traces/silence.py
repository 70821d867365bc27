"""Loops that run their own tools and do not report it, and go on after a turn whose calls must not run.

Only their requests are left of such a run. The request that goes on is made of the model's turn as its wire sends it
back, and of a result for each call.
"""

from __future__ import annotations

import json
from dataclasses import replace

from harness.rules import TraceView
from harness.rules.arguments import is_object
from harness.rules.turns import Ask
from harness.trace import RequestRecord, ResponseRecord
from harness.wire import Call, Conversation, Message, Opaque, Part, Result, Wire, WireName, wire
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft
from harness_lab.mutants.traces.mutant import Edit, EquivalentTrace, TraceMutant


def goes_on(output: str, *, arguments: str | None = None, strips_ids: bool = False, is_error: bool = False) -> Edit:
    """Nothing is reported, and the first turn whose calls must not run is answered by results that say ``output``.

    ``arguments`` go back in place of the model's own. ``strips_ids``: neither calls nor results have ids.
    """

    def edit(draft: TraceDraft) -> None:
        ask = next(filter(_must_not_run, TraceView(draft.trace).asks), None)
        if ask is None or ask.full is None or ask.reply is None:
            raise NothingToBreak
        speaker = wire(draft.case.wire)
        ids = [call.id or f"call-{at}" for at, call in enumerate(ask.calls)]
        results = [Result(id, json.dumps(output), is_error=is_error) for id in ids]
        added = (*speaker.returned(ask.reply, ids), *speaker.answers(ask.reply, ids, results))
        longer = _read_anew(speaker, ask, replace(ask.full, messages=(*ask.full.messages, *added)))
        known = len(ask.full.messages)
        changed = [_message(message, arguments, strips_ids) for message in longer.messages[known:]]
        body = speaker.write(replace(longer, messages=(*longer.messages[:known], *changed))).body
        request = replace(ask.exchange.request, exchange=ask.number + 1, body=body)
        before = draft.records[: (ask.exchange.response_at or ask.at) + 1]
        draft.records[:] = [*(each for each in before if isinstance(each, RequestRecord | ResponseRecord)), request]
        draft.case = replace(draft.case, emits=())

    return edit


def _must_not_run(ask: Ask) -> bool:
    return bool(ask.calls) and not (ask.runnable and all(is_object(call.arguments) for call in ask.calls))


def _read_anew(speaker: Wire, ask: Ask, conversation: Conversation) -> Conversation:
    """The conversation as its own request says it, part by part."""
    request = ask.exchange.request
    route = speaker.route(request.method, request.path)
    if route is None:
        raise NothingToBreak
    return speaker.read(route, speaker.write(conversation).body, request.headers)


def _message(message: Message, arguments: str | None, strips_ids: bool) -> Message:
    return replace(message, parts=tuple([_part(part, arguments, strips_ids) for part in message.parts]))


def _part(part: Part | Result | Opaque, arguments: str | None, strips_ids: bool) -> Part | Result | Opaque:
    if isinstance(part, Call) and arguments is not None:
        part = replace(part, arguments=arguments)
    return replace(part, id="") if strips_ids and isinstance(part, Call | Result) else part


_AS_TEXT: tuple[WireName, ...] = ("openai-responses", "openai-chat", "anthropic-messages")
"""Wires on which arguments are text and can break off."""

_OPENAI: tuple[WireName, ...] = ("openai-responses", "openai-chat")
_GEMINI: tuple[WireName, ...] = ("gemini-generate",)

_UNKNOWN = "out42\nmore\n"
"""What no scenario says that a tool returns: what a command has printed."""

MUTANTS = (
    TraceMutant(
        "truncated-call-repaired-and-run",
        "Arguments that were cut at the token limit are completed, sent back as the model's, and run.",
        "final/stopped-call",
        goes_on(_UNKNOWN, arguments='{"dishes": ["soup", "sal"]}'),
        "truncated-call",
        _AS_TEXT,
        also=("continuation/",),  # that the arguments are not the model's
    ),
    TraceMutant(
        "truncated-call-answered",
        "A call of a turn that hit its token limit goes back with what its tool returns.",
        "final/stopped-call",
        goes_on("transferred"),
        "truncated-after-a-whole-call",
    ),
    TraceMutant(
        "refused-call-answered",
        "A call of a turn that the model refused goes back with what its tool returns.",
        "final/stopped-call",
        goes_on("transferred"),
        "refusal-with-a-call",
        _OPENAI,
    ),
    TraceMutant(
        "filtered-call-answered",
        "A call of a turn that a filter stopped goes back with the output of a tool.",
        "final/stopped-call",
        goes_on(_UNKNOWN),
        "content-filter-with-a-call",
    ),
    TraceMutant(
        "arguments-repaired-in-silence",
        "Arguments that are no JSON are completed, sent back as the model's, and run.",
        "execution/arguments",
        goes_on(_UNKNOWN, arguments='{"to": "landlord", "euros": 950.5}'),
        "arguments-cut-off",
        _AS_TEXT,
        also=("history/", "continuation/"),  # that the arguments are not the model's
    ),
    TraceMutant(
        "arguments-left-out-in-silence",
        "A call whose arguments are no JSON is run without any.",
        "execution/arguments",
        goes_on("standing order 17", arguments="{}"),
        "arguments-cut-off",
        _AS_TEXT,
        also=("history/", "continuation/"),  # that the arguments are not the model's
    ),
    TraceMutant(
        "call-of-a-cut-stream-answered",
        "A call of a stream without its terminal event goes back with a result.",
        "final/failed-turn",
        goes_on(_UNKNOWN),
        "stream-without-its-end-after-a-call",
    ),
    TraceMutant(
        "call-of-a-cut-stream-answered-without-ids",
        "A call of a stream without its terminal event goes back with a result, and neither has an id.",
        "final/failed-turn",
        goes_on(_UNKNOWN, strips_ids=True),
        "stream-without-its-end-after-a-call",
        _GEMINI,
        also=("continuation/",),
    ),
    TraceMutant(
        "call-of-a-failed-stream-answered",
        "A call of a stream with an error goes back with a result.",
        "final/failed-turn",
        goes_on(_UNKNOWN),
        "error-in-the-stream-after-a-call",
    ),
)

_NOT_RUN = "The call was cut off, so it was not run. Please make a smaller one."

EQUIVALENTS = (
    EquivalentTrace(
        "truncated-call-sent-back-as-a-failure",
        "A loop may send a truncated call back, completed in the form of the wire, with words that say it was not run.",
        goes_on(_NOT_RUN, arguments='{"dishes": ["soup", "sal"]}'),
        "truncated-call",
        ("openai-chat", "anthropic-messages"),
    ),
    EquivalentTrace(
        "truncated-call-marked-as-a-failure",
        "A loop may send a truncated call back with a result that is marked as an error, whatever it says.",
        goes_on(_UNKNOWN, is_error=True),
        "truncated-after-a-whole-call",
        ("anthropic-messages",),
    ),
    EquivalentTrace(
        "call-of-a-cut-stream-sent-back-as-a-failure",
        "A loop may keep a turn that broke and say that its call was not run.",
        goes_on(_NOT_RUN),
        "stream-without-its-end-after-a-call",
    ),
)
