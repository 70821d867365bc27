"""Spans that show part of a request: its messages in a tracer's form, not in the form sent to the provider."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from harness.lint.guess import guess_wires
from harness.spans import TraceSpan
from harness.spans.kinds import content_variable, response_id, sent_by_framework
from harness.spans.messages import finish_of, messages_of, nested, parts_of
from harness.spans.turns import Gap, PartialTurn, Why
from harness.spans.whole import HIDDEN, recorded_json
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Message,
    Part,
    Reply,
    Result,
    Route,
    Text,
    Turn,
    WireName,
    wire,
)
from harness.wire.rule import Fact

_THINKERS: Final = ("anthropic", "google", "pydantic-ai", "pydantic_ai", "langfuse")
"""Parts of the names of instrumentations that record thinking both in the response and in the history."""

_SAMPLES: Final[tuple[tuple[tuple[str, ...], Mapping[str, Any]], ...]] = (
    (("anthropic", "claude"), {"messages": [], "system": ""}),
    (("gemini", "google", "vertex", "gcp"), {"contents": []}),
    (("responses",), {"input": [], "store": False}),
)
"""A sample request in the form of each provider, by the beginnings of words in the provider's names."""

_OTHERS: Final[Mapping[str, Any]] = {"messages": [{"role": "tool"}]}
"""A sample request in the form of all other providers."""

_MARKS: Final = tuple(mark for marks, _ in _SAMPLES for mark in marks)
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def partial_turn(span: TraceSpan, record: TraceSpan | None = None) -> PartialTurn | Gap:
    """What a span shows of a request; ``record`` is the log record with its content, if that is separate."""
    attributes = {**span.attributes, **(record.attributes if record else {})}
    recorded, answered, is_cut = _recorded_pair(attributes, span.dropped > 0)
    if is_cut or (recorded is None and span.dropped):
        return Gap("cut by the recorder")
    if HIDDEN in (recorded, answered) or _is_hidden(recorded):
        return Gap("hidden")
    if recorded is None:
        return Gap("content is not recorded", content_variable(span))
    try:
        return _turn(span, attributes, recorded, answered)
    except (RecursionError, ValueError):
        return Gap("no format that is known")


def _recorded_pair(attributes: Mapping[str, Any], dropped: bool) -> tuple[Any, Any, bool]:
    """The recorded input and output, from any known attributes, and whether the recorder cut them.

    ``dropped``: some attributes are missing, so a history with an attribute for each text may have gaps.
    """
    for request, response in _PAIRS:
        if request in attributes:
            recorded, cut_request = recorded_json(attributes[request])
            answered, cut_answer = recorded_json(attributes.get(response))
            return recorded, answered, cut_request or cut_answer
    for request, response in _LISTS:
        if recorded := nested(attributes, request):
            return recorded, nested(attributes, response), dropped
    return None, None, False


_PAIRS: Final = (
    ("gen_ai.input.messages", "gen_ai.output.messages"),
    ("langfuse.observation.input", "langfuse.observation.output"),
)
_LISTS: Final = (
    ("llm.input_messages", "llm.output_messages"),
    ("gen_ai.prompt", "gen_ai.completion"),
)


def _is_hidden(recorded: Any) -> bool:
    """Whether a text of the history is the placeholder for hidden content."""
    return isinstance(recorded, list) and f"'{HIDDEN}'" in repr(recorded)


def _turn(span: TraceSpan, attributes: Mapping[str, Any], recorded: Any, answered: Any) -> PartialTurn | Gap:
    history = _history(recorded)
    if not history:
        return Gap("no format that is known")
    system, _ = recorded_json(attributes.get("gen_ai.system_instructions"))
    if isinstance(system, list) and system:
        history = (*(Message("system", each.parts, "system") for each in messages_of(system)), *history)
    parts = parts_of(_output(answered)) if answered is not None else ()
    stop = _finish(attributes, answered, parts)
    facts: set[Fact] = {"ids"}
    notes: list[Why] = []
    if stop is not None:
        facts.add("finish")
    if any(name in span.scope.name.lower() for name in _THINKERS):
        facts.add("thinking")
    if _ids_of_two_kinds(history):
        facts.discard("ids")
        notes.append("ids of two kinds")
    if sent_by_framework(span):
        notes.append("what was sent is not recorded")
    route = _route(attributes, span)
    model = _model(attributes)
    conversation = Conversation(route.wire, model, False, history)
    turn = Turn(parts, stop or (FinishReason.TOOL_CALLS if _calls(parts) else FinishReason.END))
    reply = Reply(route.wire, response_id(span), model, (), turn) if parts else None
    return PartialTurn(conversation, reply, frozenset(facts), tuple(notes))


def _history(recorded: Any) -> tuple[Message, ...]:
    if isinstance(recorded, dict):
        recorded = recorded.get("messages") if isinstance(recorded.get("messages"), list) else [recorded]
    return messages_of(recorded)


def _output(answered: Any) -> Any:
    """The messages of a response, which a source may write without a role."""
    found = answered if isinstance(answered, list) else [answered]
    return [each if not isinstance(each, str) else {"role": "assistant", "content": each} for each in found]


def _finish(attributes: Mapping[str, Any], answered: Any, parts: Sequence[Part]) -> FinishReason | None:
    """Why the model stopped: the span's own attribute counts before its message."""
    of_span = attributes.get("gen_ai.response.finish_reasons") or attributes.get("llm.finish_reason")
    words = of_span if isinstance(of_span, list) else [of_span] if of_span else []
    if not words and isinstance(answered, list):
        words = [word for each in answered if isinstance(each, dict) if (word := each.get("finish_reason"))]
    return finish_of(words, bool(_calls(parts)))


def _calls(parts: Iterable[Any]) -> list[Call]:
    return [part for part in parts if isinstance(part, Call)]


def _ids_of_two_kinds(history: Sequence[Message]) -> bool:
    """Whether no result of a history has the id of a call, and results and calls have ids of different forms."""
    calls = {part.id for message in history for part in message.parts if isinstance(part, Call) and part.id}
    results = {part.id for message in history for part in message.parts if isinstance(part, Result) and part.id}
    if not calls or not results or calls & results:
        return False
    return {id.partition("_")[0] for id in calls}.isdisjoint({id.partition("_")[0] for id in results})


def _route(attributes: Mapping[str, Any], span: TraceSpan) -> Route:
    """The wire whose rules about calls and results apply to a span: its provider's, if the span names it."""
    names = ("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system", "openai.api.type")
    text = " ".join([*(str(attributes.get(name) or "") for name in names), _model(attributes), span.name])
    words = provider_words(text)
    if response_id(span).startswith("resp_"):
        words.append("responses")
    found = (sample for marks, sample in _SAMPLES if any(word.startswith(marks) for word in words))
    return Route(_wire(next(found, _OTHERS)))


def provider_words(name: str) -> list[str]:
    """The words of a name that identify the API of a request, in lower case: ``ChatAnthropic`` has one.

    Words are compared from their beginning, because three letters such as ``gcp`` occur in any random id.
    """
    return [word for word in map(str.lower, _WORD.findall(name)) if word.startswith(_MARKS)]


def _model(attributes: Mapping[str, Any]) -> str:
    names = ("gen_ai.request.model", "llm.model_name", "langfuse.observation.model.name")
    return next((str(attributes[name]) for name in names if attributes.get(name)), "")


def as_the_wire_says_it(name: WireName, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages in the form of the wire: the results of a turn in one message, or in one message each."""
    if _joins_results(name):
        return tuple(messages)
    return tuple(part for message in messages for part in _apart(message))


def _apart(message: Message) -> Sequence[Message]:
    if message.role != "tool":
        return [message]
    return [replace(message, parts=(part,)) for part in message.parts]


@cache
def _joins_results(name: WireName) -> bool:
    """Whether a message of the wire can have several results: written and read, none of them is lost."""
    calls = (Call("f", "{}", "call_1"), Call("f", "{}", "call_2"))
    results = (Result("call_1", "{}", "f"), Result("call_2", "{}", "f"))
    turn = (Message("user", (Text("a"),), ""), Message("assistant", calls, ""), Message("tool", results, ""))
    speaker = wire(name)
    model = speaker.default_model
    written = speaker.write(Conversation(name, model, False, turn))
    read = speaker.read(Route(name, model if speaker.model_in_path else None), written.body)
    return sum(len(message.results) for message in read.messages) == len(results)


def _wire(sample: Mapping[str, Any]) -> WireName:
    name = guess_wires(dict(sample), {})[0]
    return wire(name).name
