"""What one side of a gateway has sent beside what has arrived on the other, in neutral words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.finding import Finding, Level
from harness.ground.bounded_json import loads
from harness.servers.rules import table as rules
from harness.servers.rules.losses import inevitable
from harness.wire import Conversation, FinishReason, Refusal, Reply, Text, ThinkingPart, Turn, WireName, wire
from harness.wire.json_text import compact
from harness.wire.lenient import Json
from harness.wire.response_rule import Content
from harness.wire.strict import repeated_ids, shown
from harness.wire.turn import Call, Part, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSide:
    """An answer on one side of a gateway: what an upstream has sent, or what has arrived at a client.

    ``reply`` is what was read of it, None where it was an HTTP error or could not be read. ``request`` is the body that
    asked for it, None where nobody knows it. ``streamed`` says whether it came as a stream. ``body`` are its bytes,
    where they are known: what no item of the answer has may be elsewhere in them.
    """

    wire: WireName
    reply: Reply | None
    status: int = 200
    request: Json | None = None
    streamed: bool = True
    body: bytes = b""

    @property
    def refused(self) -> bool:
        """Whether it is an HTTP error."""
        return self.status >= 400

    @property
    def is_whole(self) -> bool:
        """Whether it is an answer to its end, without an error."""
        return self.reply is not None and self.reply.complete and self.reply.turn.error is None


def compare(sent: AnswerSide, got: AnswerSide) -> list[Finding]:
    """What the upstream has ``sent`` beside what the client ``got``: every loss that the client's wire could avoid.

    In each finding the rule is ``server/loss``, the reference is the id of a rule of ``TRANSFER_RULES``, ``expected``
    is what was sent, and ``got`` is what arrived.
    """
    return list(_differences(sent, got))


def compare_forms(streamed: AnswerSide, whole: AnswerSide) -> list[Finding]:
    """The streamed answer of a server beside its whole answer to the same request, both on one wire."""
    if streamed.reply is None or whole.reply is None:
        return []
    cut_as: Json | None = {} if wire(streamed.wire).documents_need_valid_arguments else None
    one, other = _shapes(streamed.reply.turn, whole.reply.turn, cut_as)
    if one == other:
        return []
    lost = [shown(each) for each in other if each not in one]
    added = [shown(each) for each in one if each not in other]
    return [rules.SAME.broken("the stream", expected="; ".join(lost) or "no more", got="; ".join(added) or "not there")]


def unsigned(sent: AnswerSide) -> frozenset[Content]:
    """The contents of an answer that have no signature: a gateway cannot sign what the model did not sign."""
    parts = sent.reply.turn.parts if sent.reply is not None else ()
    signed = {type(part) for part in parts if _signature(part)}
    return frozenset(_SIGNED[kind] for kind in map(type, parts) if kind in _SIGNED and kind not in signed)


def thinking_is_lost(sent: Sequence[Reply], client: WireName) -> bool:
    """Whether a client of this wire cannot be sent any of the proofs of thinking that answers of a model have."""
    proofs = {
        (reply.wire, _content(part))
        for reply in sent
        for part in reply.turn.parts
        if isinstance(part, ThinkingPart) and part.signature
    }
    lost = {(name, each.content) for name in {name for name, _ in proofs} for each in inevitable(name, client)}
    return bool(proofs) and proofs <= lost


def same_forms(streamed: AnswerSide, whole: AnswerSide) -> bool:
    """Whether both say the same, with arguments that were cut as they came; what cannot be read says nothing else."""
    if streamed.reply is None or whole.reply is None:
        return True
    one, other = _shapes(streamed.reply.turn, whole.reply.turn, None)
    return one == other


def compare_returned(sent: Reply, asked: Conversation, following: Conversation) -> list[Finding]:
    """What the upstream has ``sent`` in answer to ``asked`` beside what ``following``, its next request, has of it.

    What the wire's own rules see (``Wire.violations``) is not repeated here.
    """
    return list(_differences_back(sent, asked, following))


# --- from the upstream to the client ------------------------------------------------------------------------------


def _differences(sent: AnswerSide, got: AnswerSide) -> Iterator[Finding]:
    if sent.refused or got.refused or sent.reply is None or got.reply is None:
        if sent.refused or sent.is_whole:
            yield from _statuses(sent, got)
        return
    lost = frozenset(each.content for each in inevitable(sent.wire, got.wire))
    if sent.is_whole != got.is_whole:
        yield rules.END.broken("the end", expected=_ending(sent.reply), got=_ending(got.reply))
    yield from _cut(sent.reply.turn, got.reply.turn, sayable=_can_say_cut(got))
    yield from _inventions(sent.reply, got.reply)
    yield from _calls(sent.reply.turn, got.reply.turn, lost, has_ids=wire(got.wire).call_ids == "required")
    yield from _signatures(sent.reply, got.reply, lost, got.body)
    if not sent.is_whole:
        return  # how much of a cut answer arrives is a matter of time
    yield from _texts(sent.reply.turn, got.reply.turn, lost)
    yield from _order(sent.reply.turn.parts, got.reply.turn.parts, lost)
    yield from _stop(sent.reply.turn, got.reply.turn, lost)
    if got.request is None or wire(got.wire).asks_for_usage(got.request):
        yield from _usage(sent.reply.turn.usage, got.reply.turn.usage, lost)


def _statuses(sent: AnswerSide, got: AnswerSide) -> Iterator[Finding]:
    """Clients ask again by the status, so that an HTTP error may become nothing else.

    A stream that breaks off, or has an error, may become one as long as nothing has been passed on: it is not compared.
    """
    if sent.status == got.status:
        return
    same_class = sent.status // 100 == got.status // 100 and 429 not in (sent.status, got.status)
    yield rules.STATUS.broken(
        "the status",
        expected=f"HTTP {sent.status}",
        got=f"HTTP {got.status}",
        level="SHOULD" if same_class else None,
    )


def _ending(reply: Reply) -> str:
    if reply.turn.error is not None:
        return f"an error: {shown(reply.turn.error.message)}"
    return f"a whole answer ({reply.turn.stop.value})" if reply.complete else "an answer without its end"


def _can_say_cut(got: AnswerSide) -> bool:
    """Whether a client can be sent arguments that were cut; some documents can have an object only."""
    return got.streamed or not wire(got.wire).documents_need_valid_arguments


def _cut(sent: Turn, got: Turn, *, sayable: bool) -> Iterator[Finding]:
    for call in (call for call in sent.calls if not _is_object(call.arguments)):
        same = next((each for each in got.calls if each.name == call.name), None)
        if same is not None and _is_object(same.arguments):
            # A document without another way to say it has an empty object; any other is made up.
            level: Level | None = None if sayable or _value(same.arguments) else "INFO"
            yield rules.CUT.broken(call.name, expected=shown(call.arguments), got=shown(same.arguments), level=level)


def _calls(sent: Turn, got: Turn, lost: frozenset[Content], *, has_ids: bool) -> Iterator[Finding]:
    whole = [call for call in sent.calls if _is_object(call.arguments)]
    came = [call for call in got.calls if _is_object(call.arguments)]
    if len(whole) == len(sent.calls) and sent.ending == "complete" and sent.error is None:
        names, arrived = [call.name for call in whole], [call.name for call in got.calls]
        if _more_calls(sent, got):
            return
        if names != arrived:
            yield rules.CALLS.broken("the calls", expected=", ".join(names) or "none", got=", ".join(arrived) or "none")
            return
        yield from _arguments(whole, list(got.calls))
    elif "cut arguments" not in lost and len(got.calls) > len(sent.calls) and not _more_calls(sent, got):
        yield rules.CALLS.broken("the calls", expected=str(len(sent.calls)), got=str(len(got.calls)))
    yield from _ids(whole, came, has_ids=has_ids)


def _arguments(sent: list[Call], got: list[Call]) -> Iterator[Finding]:
    for call, came in zip(sent, got, strict=True):
        if not _is_object(came.arguments) or _value(call.arguments) != _value(came.arguments):
            yield rules.ARGUMENTS.broken(call.name, expected=shown(call.arguments), got=shown(came.arguments))


def _ids(sent: list[Call], got: list[Call], *, has_ids: bool) -> Iterator[Finding]:
    ids = [call.id or "" for call in got]
    for each in repeated_ids([each for each in ids if each]):
        yield rules.IDS.broken("the calls", expected="an id for each call", got=f"{each} more than once")
    if has_ids and not all(ids):
        yield rules.IDS.broken("the calls", expected="an id for each call", got="a call without one")
    for call, came in zip(sent, got, strict=False):
        if call.id and came.id and call.id != came.id:
            yield rules.IDS.broken(call.name, expected=call.id, got=came.id, level="INFO")


# --- what nobody has sent -------------------------------------------------------------------------------------------


def _inventions(sent: Reply, got: Reply) -> Iterator[Finding]:
    """Findings about content that arrived but was never sent. Other rules handle moved or changed content."""
    one, other = sent.turn, got.turn
    if _more_calls(one, other):
        names = [call.name for call in one.calls], [call.name for call in other.calls]
        yield _is_more("the calls", ", ".join(names[0]) or "no call", ", ".join(names[1]))
    if _more_text(one, other):
        yield _is_more("the text", "no text", shown(_spoken(other)))
    if _more_thinking(one, other):
        yield _is_more("the thinking", "no thinking", shown(_thought(other.parts)))
    if not _beyond(sent) and (more := _beyond(got)):
        yield _is_more("the parts", "nothing but text, thinking and calls", ", ".join(more))


def _is_more(place: str, expected: str, got: str) -> Finding:
    return rules.INVENTED.broken(place, expected=expected, got=got)


def _more_calls(sent: Turn, got: Turn) -> bool:
    """Whether all calls have come, and more."""
    names, arrived = Counter(call.name for call in sent.calls), Counter(call.name for call in got.calls)
    return names <= arrived and names != arrived


def _more_text(sent: Turn, got: Turn) -> bool:
    """Whether text arrived although none was sent; thinking, calls or refusals sent as text do not count."""
    came = "" if sent.stop in _DECLINED else _spoken(got).strip()
    sources = [_thought(sent.parts), *(call.arguments for call in sent.calls)]
    return bool(came) and not _spoken(sent) and not any(each and (came in each or each in came) for each in sources)


def _more_thinking(sent: Turn, got: Turn) -> bool:
    """Whether thinking arrived although none was sent; text that arrives as thinking does not count."""
    came, text = _thought(got.parts).strip(), _spoken(sent)
    hidden = any(isinstance(part, ThinkingPart) for part in sent.parts)
    return bool(came) and not hidden and not (text and (came in text or text in came))


def _beyond(reply: Reply) -> list[str]:
    return [each for item in reply.items for each in wire(reply.wire).beyond_parts(item)]


# --- signatures ----------------------------------------------------------------------------------------------------

_SIGNED: dict[type[Part], Content] = {
    ThinkingPart: "thinking signature",
    Call: "call signature",
    Text: "text signature",
}


def _signatures(sent: Reply, got: Reply, lost: frozenset[Content], body: bytes) -> Iterator[Finding]:
    """A signature has arrived where it is anywhere in what goes back: gateways hide it in members of their own.

    Where it is elsewhere in the bytes alone, some clients find it, and others do not.
    """
    everything = compact(list(got.items))
    for number, part in enumerate(sent.turn.parts):
        signature = "" if isinstance(part, Refusal) else part.signature
        content = _content(part)
        kept = [each for each in got.turn.parts if type(each) is type(part) and _signature(each)]
        if not signature or content is None or content in lost or compact(signature)[1:-1] in everything:
            continue
        if signature in map(_signature, kept):
            continue
        if kept:
            yield rules.SIGNATURE.broken(
                f"part {number}", expected=shown(signature), got=shown(_signature(kept[0])), level="INFO"
            )
        elif signature.encode() in body:
            where = "elsewhere in the answer, and not in the item that is done"
            yield rules.SIGNATURE.broken(
                f"part {number}: {content}", expected=shown(signature), got=where, level="SHOULD"
            )
        else:
            yield rules.SIGNATURE.broken(f"part {number}: {content}", expected=shown(signature), got="none")


def _content(part: Part) -> Content | None:
    """What the signature of a part is to the table of losses."""
    if isinstance(part, ThinkingPart) and part.form == "redacted":
        return "redacted thinking"
    return _SIGNED.get(type(part))


def _signature(part: Part) -> str:
    return "" if isinstance(part, Refusal) else part.signature


# --- text, order, stop, usage ---------------------------------------------------------------------------------------


def _texts(sent: Turn, got: Turn, lost: frozenset[Content]) -> Iterator[Finding]:
    text, came = _spoken(sent), _spoken(got)
    if text != came and not _more_text(sent, got):
        yield rules.TEXT.broken("the text", expected=shown(text), got=shown(came))
    phases, kept = _phases(sent), _phases(got)
    if any(phases) and phases != kept and "phase" not in lost:
        yield rules.PHASE.broken("the text", expected=", ".join(phases), got=", ".join(kept) or "none")
    thought, arrived = _thought(sent.parts), _thought(got.parts)
    if not _alike(thought, arrived) and "thinking" not in lost and not _more_thinking(sent, got):
        yield rules.THINKING.broken("the thinking", expected=shown(thought), got=shown(arrived))


def _spoken(turn: Turn) -> str:
    return "".join(part.text for part in turn.parts if isinstance(part, Text | Refusal))


def _phases(turn: Turn) -> list[str]:
    return [part.phase for part in turn.parts if isinstance(part, Text)]


def _thought(parts: tuple[Part, ...]) -> str:
    """Joined for the whole turn: one wire streams a thought in many parts, another has it in one."""
    return "".join(part.text for part in parts if isinstance(part, ThinkingPart))


def _order(sent: tuple[Part, ...], got: tuple[Part, ...], lost: frozenset[Content]) -> Iterator[Finding]:
    if "order" in lost:
        return
    kinds, came = _kinds(sent), _kinds(got)
    if kinds != came and sorted(kinds) == sorted(came):
        yield rules.ORDER.broken("the parts", expected=", ".join(kinds), got=", ".join(came))


def _kinds(parts: tuple[Part, ...]) -> list[str]:
    """The kinds of parts in their order, neighbours of one kind as one."""
    kinds: list[str] = []
    for part in parts:
        kind = f"call of {part.name}" if isinstance(part, Call) else _KIND[type(part)]
        if isinstance(part, Call) or not kinds or kinds[-1] != kind:
            kinds.append(kind)
    return kinds


_KIND: dict[type[Part], str] = {Text: "text", Refusal: "text", ThinkingPart: "thinking"}

_NEAR: dict[FinishReason, tuple[Content, frozenset[FinishReason]]] = {
    FinishReason.PAUSE: ("pause", frozenset({FinishReason.END, FinishReason.MAX_TOKENS})),
    FinishReason.REFUSAL: ("refusal", frozenset({FinishReason.END, FinishReason.CONTENT_FILTER})),
    FinishReason.CONTENT_FILTER: ("content filter", frozenset({FinishReason.REFUSAL})),
}
"""The stops that not every wire can say, with what comes nearest."""

_DECLINED = frozenset({FinishReason.REFUSAL, FinishReason.CONTENT_FILTER})
"""A client that must be sent words is sent some for these."""

_MUCH_THE_SAME = frozenset({FinishReason.CONTENT_FILTER, FinishReason.END})
"""What is near to a refusal."""


def _stop(sent: Turn, got: Turn, lost: frozenset[Content]) -> Iterator[Finding]:
    if sent.stop is got.stop:
        return
    content, near = _NEAR.get(sent.stop, (None, frozenset()))
    if content in lost and got.stop in near:
        return
    # The model has declined in words, which the client gets; a filter is much the same to it.
    declined = {sent.stop, got.stop}
    harmless = FinishReason.REFUSAL in declined and declined - {FinishReason.REFUSAL} <= _MUCH_THE_SAME
    level: Level | None = "INFO" if declined == _DECLINED else "SHOULD" if harmless else None
    yield rules.STOP.broken("the stop", expected=sent.stop.value, got=got.stop.value, level=level)


def _usage(sent: Usage, got: Usage, lost: frozenset[Content]) -> Iterator[Finding]:
    figures = [("input", sent.input, got.input), ("output", sent.output, got.output)]
    if "reasoning tokens" not in lost:
        figures.append(("reasoning", sent.reasoning, got.reasoning))
    if "cached tokens" not in lost:
        figures.append(("cached", sent.cached, got.cached))
    wrong = [(name, one, other) for name, one, other in figures if one and one != other]
    if wrong:
        expected = ", ".join(f"{name} {one}" for name, one, _ in wrong)
        yield rules.USAGE.broken("the usage", expected=expected, got=", ".join(f"{name} {n}" for name, _, n in wrong))


def _alike(one: str, other: str) -> bool:
    """Whether two texts are the same but for blanks: two thoughts may be joined with one, or with a line."""
    return "".join(one.split()) == "".join(other.split())


def _shapes(one: Turn, other: Turn, cut_as: Json | None) -> tuple[list[str], list[str]]:
    """What must be the same in both forms of an answer: kinds, texts, arguments, and what is signed.

    ``cut_as`` is what documents have in the place of arguments that were cut; None: these as they are.
    """
    thoughts = _thought(one.parts), _thought(other.parts)
    if _alike(*thoughts):
        thoughts = thoughts[0], thoughts[0]
    return _shape(one, cut_as, thoughts[0]), _shape(other, cut_as, thoughts[1])


def _shape(turn: Turn, cut_as: Json | None, thought: str) -> list[str]:
    shape: list[str] = []
    signed = {type(part) for part in turn.parts if _signature(part)}
    if thought:
        shape.append(f"thinking: {thought}")
    shape += [f"{_KIND.get(kind, 'call')} signed" for kind in (ThinkingPart, Text, Call) if kind in signed]
    if text := _spoken(turn):
        shape.append(f"text: {text}")
    for call in turn.calls:
        as_it_came = cut_as is None or _is_object(call.arguments)
        shape.append(f"{call.name}({compact(_value(call.arguments) if as_it_came else cut_as)})")
    return [*shape, f"stop {turn.stop.value}"]


# --- from the upstream back to it -----------------------------------------------------------------------------------


def _differences_back(sent: Reply, asked: Conversation, following: Conversation) -> Iterator[Finding]:
    messages = following.messages[len(asked.messages) :]
    parts = tuple(
        part for message in messages if message.role == "assistant" for part in message.parts if isinstance(part, Part)
    )
    for call in (call for call in sent.turn.calls if not _is_object(call.arguments)):
        same = next((part for part in parts if isinstance(part, Call) and part.name == call.name), None)
        if same is not None and _is_object(same.arguments):
            yield rules.CUT.broken(call.name, expected=shown(call.arguments), got=shown(same.arguments))
    yield from _calls_back(sent.turn, asked, following)
    lost = frozenset(wire(asked.wire).lacks)
    yield from _order(sent.turn.parts, parts, lost)


def _calls_back(sent: Turn, asked: Conversation, following: Conversation) -> Iterator[Finding]:
    """Calls that are in no message of a request that goes on. A gateway may ask something of its own in between."""
    if len(following.messages) <= len(asked.messages):
        return
    names = Counter(call.name for call in sent.calls if _is_object(call.arguments))
    came = Counter(_names_of_calls(following)) - Counter(_names_of_calls(asked))
    if missing := names - came:
        got = ", ".join(came.elements()) or "no call"
        yield rules.HISTORY.broken("the history", expected=", ".join(missing.elements()), got=got)


def _names_of_calls(conversation: Conversation) -> list[str]:
    return [call.name for message in conversation.messages for call in message.calls]


# --- JSON -----------------------------------------------------------------------------------------------------------


def _value(text: str) -> object:
    """The value of a JSON text: no text at all is an empty object, what is no JSON is the text itself."""
    try:
        return loads(text) if text.strip() else {}
    except ValueError:
        return text


def _is_object(text: str) -> bool:
    return isinstance(_value(text), dict)
