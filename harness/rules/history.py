"""The history goes back to the model complete and unchanged. ``results`` is about the results of calls.

Requests that name earlier turns are compared with those turns put in front (``steps``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from harness.finding import Finding, Impact, Level, broken
from harness.rules.evidence import difference, quote
from harness.rules.model import rule
from harness.rules.pressure import under_pressure
from harness.rules.returned import followed, own_steps, pairs_by_its_own_id, sent_once, went_without_ids
from harness.rules.steps import (
    Step,
    can_go_back,
    canonical_arguments,
    canonical_signature,
    entries_of,
    is_question,
    letters,
    parts_of_the_model,
)
from harness.rules.trace_view import TraceView
from harness.rules.turns import Ask
from harness.wire import Call, FinishReason, Opaque, Part, Refusal, Result, Text, ThinkingPart, subjects_of
from harness.wire.characters import sendable

_LOOP = "Agent Tool-Calling Flow, Provider-Specific Continuation"
_PHASE = "OpenAI's documentation of Responses: phase; survey of agent loops: sent back for some models only"
_COSTS: Final[Impact] = "style"
"""What nobody refuses, and what makes the provider read the whole history anew, for its price."""

_WHOLE = "a request that starts with the whole previous request, unchanged"

_SURVEY = "survey of agent loops: thinking and signatures dropped, text moved in front of calls"


# --- the history so far -------------------------------------------------------------------------------------


@rule(
    "history/append-only",
    "MUST",
    "unsafe",
    "A request must start with the whole previous request, unchanged. That is its system prompt, messages, calls and "
    "results. A system prompt that changes is a SHOULD if it still has what the loop was given. After an error that "
    "says that the input is too long, or a turn that used 100,000 tokens, a request may have less.",
    why="A rewritten history makes the model answer to a conversation that did not take place; signatures that are "
    "bound to what was before them break, and so does every cache.",
    source=_LOOP + ": appended to the request history",
    needs=("exchanges",),
    facts=("ids",),
    proof="""
    wires: [openai-chat]
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right:
      image-as-before: [An image is the same., {with_image: 0, url: 'data:,a'}, {with_image: 1, url: 'data:,a'}]
    wrong:
      image-of-another: [An image is another., {with_image: 0, url: 'data:,a'}, {with_image: 1, url: 'data:,b'}]
    """,
)
def _append_only(view: TraceView) -> Iterator[Finding]:
    for step in own_steps(view):
        at = step.parting
        if (at is None and step.orders is None) or under_pressure(view, step):
            continue
        yield from _same_orders(view, step)
        if at is None:
            continue
        message, part = step.before[at]
        level: Level | None = "INFO" if _may_be_meant(view, step, at) else None
        if at >= len(step.after):
            yield broken(step.ask.at, _WHOLE, f"{message.at} is missing: {quote(_words(part))}", level=level)
            continue
        got_message, got_part = step.after[at]
        if message.role != got_message.role:
            got = f"{message.at}: role was {message.role}, is now {got_message.role}"
            yield broken(step.ask.at, _WHOLE, got, level=level)
            continue
        old, new = difference(_words(part), _words(got_part))
        got, place = f"{got_message.at}: was {old}, is now {new}", f"part {at + 1} of the history"
        is_order = message.role == "system"
        level, impact = level or ("SHOULD" if is_order else None), _COSTS if is_order else None
        yield broken(step.ask.at, _WHOLE, got, place, level=level, impact=impact)


def _same_orders(view: TraceView, step: Step) -> Iterator[Finding]:
    """Providers accept another system prompt: programs write the time into it, or the number of the step. But it may
    not lose what the harness has handed over."""
    if step.orders is None:
        return
    before, after = map(letters, step.orders)
    handed = letters("".join([text for role, text in view.case.prompt if role == "system"]))
    old, new = difference(*step.orders)
    got = f"the system prompt was {old}, is now {new}"
    if handed and handed in before and handed not in after:
        yield broken(step.ask.at, _WHOLE, got)
        return
    level: Level = "SHOULD" if view.case.is_handed else "INFO"  # else a program may mean it
    detail = "the provider accepts another one, and reads the whole request anew"
    yield broken(step.ask.at, _WHOLE, got, detail, level=level, impact=_COSTS)


def _may_be_meant(view: TraceView, step: Step, at: int) -> bool:
    """Whether a program whose prompt nobody knows may have changed the history here on purpose.

    Programs change the orders between its turns. Of what was said before the latest question they keep a window, a
    summary, the texts alone, or stubs of old results. Providers accept all of it. The question itself they keep.
    """
    if view.case.is_handed:
        return False
    message, part = step.before[at]
    other, other_part = step.after[at] if at < len(step.after) else (None, None)
    if message.role == "system":
        return other is not None and other.role == "system"
    if not _is_old(step, at) or _lost_the_question(step):
        return False
    if isinstance(part, Result | Opaque) or len(step.after) < len(step.before) + len(step.came):
        return True
    return isinstance(part, Text) and isinstance(other_part, Text) and other_part.text in part.text


def _is_old(step: Step, at: int) -> bool:
    """Whether this part of the history was said before the latest question."""
    if not step.answered.calls:
        return True  # the run is over, and another question is asked now
    asked = [number for number, (each, _) in enumerate(step.before) if is_question(each)]
    return bool(asked) and step.before[asked[-1]][0] is not step.before[at][0] and at < asked[-1]


def _lost_the_question(step: Step) -> bool:
    """Whether a request in the middle of a run is without the question that is being answered."""
    if not step.answered.calls:
        return False
    asked = [part.text for message, part in step.before if isinstance(part, Text) and is_question(message)]
    return bool(asked) and not any(asked[-1] in part.text for _, part in step.after if isinstance(part, Text))


def _words(part: Part | Result | Opaque) -> str:
    match part:
        case Call():
            return f"{part.name}({part.arguments}) {part.id or ''}".rstrip()
        case Result():
            return f"result of {part.id or part.name}: {part.output}"
        case Opaque():
            return f"{part.kind}: {json.dumps(part.native, ensure_ascii=False, default=repr)}"
        case _:
            return part.text


@rule(
    "history/tools",
    "SHOULD",
    "style",
    "A run offers the same tools in every request.",
    why="A model cannot call a tool that is offered no more, and does without. Any other change empties the provider's "
    "cache, and newer models refuse thinking that was bound to other tools.",
    source=_SURVEY,
    needs=("exchanges",),
    proof="""
    run: {turns: [[Let me look., {call: depth, with: {basin: n}}, {call: tide, with: {basin: s}}], Yes.]}
    right: {tools-in-another-order: [The tools are offered in another order., {offers_tools: [enter, tide, depth]}]}
    wrong: {tool-gone: [A tool is offered no more., {offers_tools: [tide, enter]}]}
    """,
)
def _tools(view: TraceView) -> Iterator[Finding]:
    for step in own_steps(view):
        if not view.case.is_handed and not step.answered.calls:
            continue  # nobody knows what the program is for: the user's next question may be asked with other tools
        before, after = _tools_by_name(step.answered), _tools_by_name(step.ask)
        named = {
            "no longer offered": [name for name in before if name not in after],
            "offered only now": [name for name in after if name not in before],
            "declared in another way": [name for name in before if name in after and before[name] != after[name]],
        }
        if any(named.values()):
            got = "; ".join(f"{_are(names)} {what}" for what, names in named.items() if names)
            got += "" if after else f" (request {step.ask.number + 1} has no tools)"
            impact: Impact = "unsafe" if named["no longer offered"] else "style"
            yield broken(step.ask.at, "the same tools as in the request before", got, impact=impact)


def _are(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'are' if names[1:] else 'is'}"


def _tools_by_name(ask: Ask) -> dict[str, Any]:
    return {tool.name: tool for tool in ask.full.tools} if ask.full is not None else {}


# --- the model's turn ---------------------------------------------------------------------------------------


@rule(
    "history/model-text",
    "MUST",
    "unsafe",
    "The text of the model's turn goes back as it came.",
    why="A model that does not find its own words says them again or contradicts them.",
    source=_LOOP,
    needs=("exchanges",),
    facts=("ids",),
    proof="""
    run: {turns: [[One., {call: depth, with: {basin: n}}, Two., {call: tide, with: {basin: s}}], Yes.]}
    right:
      text-sent-edited: [The caller has edited the turn., &same {part: Text, become: {text: Zwei.},
          role: assistant}, {case: {edits: [1]}}]
    wrong: {text-sent-other: [The text goes back in other words., *same]}
    """,
)
def _model_text(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        received, sent = _text(step.came), _text(step.went)
        if received != sent and _text(step.came, blank=True) != _text(step.went, blank=True):
            expected, got = difference(received, sent)
            yield broken(step.ask.at, f"the model's text {expected}", got)


def _text(parts: Sequence[Part], *, blank: bool = False) -> str:
    """Blank text may be left out: one provider refuses it, so loops must drop it. But a loop may send a text in the
    pieces in which it came, and one of these may be blank."""
    texts = [part.text for part in parts if isinstance(part, Text | Refusal)]
    return sendable("".join([text for text in texts if blank or not text.isspace()]))


@rule(
    "history/model-phase",
    "SHOULD",
    "unsafe",
    "Where the model says of its text that it is commentary or the final answer, that goes back with it.",
    why="A model that finds its commentary without the mark may take it for the answer, and stop too early.",
    source=_PHASE,
    needs=("exchanges",),
    proof="""
    wires: [openai-responses]
    run: {turns: [[{Text: Let me look., phase: commentary}, {call: depth, with: {basin: n}}], Yes.], model: gpt-5.4}
    right: {commentary-sent-whole: The commentary goes back as such.}
    wrong:
      commentary-sent-without: [It goes back without its mark., {part: Text, become: {phase: ''}, role: assistant}]
    """,
)
def _model_phase(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        sent: dict[str, list[str]] = {}
        for part in step.went:
            if isinstance(part, Text):
                sent.setdefault(sendable(part.text), []).append(part.phase)
        for part in step.came:
            if isinstance(part, Text) and part.phase:
                phases = sent.get(sendable(part.text), [part.phase])  # other words are another rule's business
                if part.phase not in phases:
                    level: Level | None = "INFO" if _is_of_an_ended_turn(view, step) else None
                    expected, got = f"phase {part.phase} with {quote(part.text)}", phases[0] or "none"
                    yield broken(step.ask.at, expected, got, level=level)


@rule(
    "history/model-calls",
    "MUST",
    "unsafe",
    "The calls of the model's turn go back in order, each with its name, its id and equal arguments. Ids of the "
    "loop's own, or none on Gemini, are information only where calls and results still pair.",
    why="Repaired or reordered calls make the model believe that it said what it did not.",
    source=_LOOP,
    needs=("exchanges",),
    facts=("ids", "finish"),
    proof="""
    wires: [openai-chat]
    run: {turns: [[{call: depth, arguments: ''}], Yes.]}
    right:
      empty-arguments-sent: [An empty text and an empty object are the same.,
          {part: Call, become: {arguments: '{}'}}]
    wrong:
      empty-arguments-filled: [An empty text is not another object., {part: Call,
          become: {arguments: '{"basin": "n"}'}}]
    """,
)
def _model_calls(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        sent = [part for part in step.went if isinstance(part, Call)]
        made = _distinct_calls(step, sent)
        yield from _other_ids(view, step, made, sent)
        for place, call in enumerate(made):
            if place >= len(sent):
                yield broken(step.ask.at, f"the call {quote(_words(call))}", "it was not sent back")
            elif (why := _unlike(view, step, call, sent[place])) is not None:
                yield broken(step.ask.at, why[0], why[1], f"call {place + 1} of {len(made)}")
            else:
                continue
            break
        else:
            for extra in sent[len(made) :]:
                yield broken(step.ask.at, f"{len(made)} calls, as the model made", f"also {quote(_words(extra))}")


def _distinct_calls(step: Step, sent: Sequence[Call]) -> list[Call]:
    """The calls of the turn; of those with one id that went back as one, only the one that did, else the first."""
    once = sent_once(step)
    made: list[Call] = []
    for call in step.answered.calls:
        before = next((at for at, other in enumerate(made) if call.id in once and other.id == call.id), None)
        if before is None:
            made.append(call)
        elif any(_same(call, other) for other in sent):
            made[before] = call
    return made


def _same(call: Call, other: Call) -> bool:
    arguments = canonical_arguments(call.arguments), canonical_arguments(other.arguments)
    return (call.id, call.name) == (other.id, other.name) and arguments[0] == arguments[1]


def _unlike(view: TraceView, step: Step, call: Call, sent: Call) -> tuple[str, str] | None:
    if call.name and call.name != sent.name:
        return f"a call of {call.name!r}", repr(sent.name)
    if _has_another_id(view, call, sent) and not _is_paired(view, step, sent):
        return f"the call's id {call.id}", sent.id or "none"
    if call.arguments == sent.arguments:
        return None  # nearly always, and to write a page of code anew takes long
    expected, got = canonical_arguments(call.arguments), canonical_arguments(sent.arguments)
    if expected == got or not can_go_back(call.arguments):
        return None
    return difference(expected, got)


def _has_another_id(view: TraceView, call: Call, sent: Call) -> bool:
    return bool(call.id) and call.id not in view.repeated_ids and call.id != sent.id


def _is_paired(view: TraceView, step: Step, sent: Call) -> bool:
    """Whether a call that went back under another id, or none, is still paired with its result."""
    return pairs_by_its_own_id(step, sent) or went_without_ids(view, step)


def _other_ids(view: TraceView, step: Step, made: Sequence[Call], sent: Sequence[Call]) -> Iterator[Finding]:
    """For information: providers accept ids that a loop makes up or leaves out, as long as calls and results pair."""
    for call, other in zip(made, sent, strict=False):
        if _has_another_id(view, call, other) and _is_paired(view, step, other):
            got = f"{other.id}, with its result" if other.id else "none, and none with its result"
            yield broken(step.ask.at, f"the call's id {call.id}", got, level="INFO")
            return


@rule(
    "history/model-thinking",
    "MUST",
    "invalid",
    "Every signed part of the model's turn goes back with its signature, and signed thinking with its text: MUST "
    "where the provider is certain to refuse the request, else SHOULD. A turn of thoughts alone may be left "
    "out when it has ended.",
    why="Providers refuse a turn whose thinking is missing or altered, or answer worse without saying so.",
    source=_LOOP + ": exact original model content",
    needs=("exchanges",),
    facts=("thinking", "signatures"),
    proof="""
    wires: [openai-responses, anthropic-messages, gemini-generate]
    run: {turns: [[{ThinkingPart: First I look at the chart.}, Let me look., {call: depth, with: {basin: n}},
        {call: tide, with: {basin: s}}], Yes.]}
    right: {thinking-sent-whole: Thinking goes back.}
    wrong: {thinking-sent-not: [Thinking does not go back., drop_thinking]}
    """,
)
def _model_thinking(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        signed, sent = _signed_parts(step.came), _signed_parts(step.went)
        if not sent and _ended_with_thoughts_alone(step):
            continue
        for place, part in enumerate(signed):
            if place >= len(sent):
                expected, got = f"{part[0]} with its signature {quote(part[2])}", "it was not sent back"
            elif sent[place] != part:
                expected, got = difference(" ".join(part), " ".join(sent[place]))
                expected = f"signed part {place + 1}: {expected}"
            else:
                continue
            level = _level_of_thinking(view, step.ask)
            if level == "SHOULD" and not sent and _is_of_an_ended_turn(view, step):
                level = "INFO"
            yield broken(step.ask.at, expected, got, level=level)
            break


def _is_of_an_ended_turn(view: TraceView, step: Step) -> bool:
    """Whether a program whose prompt nobody knows keeps the texts of its chat alone, which providers take: the turn has
    no calls, and the user has said more. (Anthropic: thinking blocks of earlier turns may be left out whole.)"""
    return not view.case.is_handed and not step.answered.calls


def _ended_with_thoughts_alone(step: Step) -> bool:
    """Then providers refuse it, as nothing is behind the thoughts (ANT-LAST, OAI-14), so a loop may leave it out."""
    ended = step.answered.turn.stop is FinishReason.END
    return ended and all(isinstance(part, ThinkingPart) for part in step.came)


def _level_of_thinking(view: TraceView, ask: Ask) -> Level:
    """MUST where the provider is certain to refuse the request for its thinking, which its own table says."""
    refused = any(
        finding.level == "MUST" and "thinking" in subjects_of(finding.reference)
        for judged, finding in view.violations
        if judged is ask
    )
    return "MUST" if refused else "SHOULD"


def _signed_parts(parts: Sequence[Part]) -> list[tuple[str, str, str]]:
    """(kind, text of a thinking part, signature) of every part that the model signed."""
    return [
        (
            "thinking" if isinstance(part, ThinkingPart) else type(part).__name__.lower(),
            part.text if isinstance(part, ThinkingPart) else "",
            canonical_signature(part.signature),
        )
        for part in parts
        if not isinstance(part, Refusal) and part.signature
    ]


@rule(
    "history/model-order",
    "MUST",
    "unsafe",
    "The parts of the model's turn go back in the order in which they came, as far as the wire can say it. Text "
    "that goes in front of the calls is information only.",
    why="Text that was said after a call and goes back before it was said in ignorance of the call.",
    source=_SURVEY,
    needs=("exchanges",),
    facts=("part-order", "thinking"),
    proof="""
    wires: [openai-responses, anthropic-messages, gemini-generate]
    run: {turns: [[{call: depth, with: {basin: n}}, And., {call: tide, with: {basin: s}}], Yes.]}
    right: {text-first-of-all: ['A text between two calls goes first: for information.', say_text_first]}
    wrong: {text-last-of-all: [It goes last., text_behind_calls]}
    """,
)
def _model_order(view: TraceView) -> Iterator[Finding]:
    for step in followed(view):
        came, sent = _kinds(step.came), _kinds(step.went)
        # Parts that are missing altogether are the business of the other rules.
        if came != sent and Counter(came) == Counter(sent) and sent != _kinds(_as_the_wire_says_it(view, step)):
            level: Level | None = "INFO" if _is_text_first(came, sent) else None
            yield broken(step.ask.at, f"the order {', '.join(came)}", ", ".join(sent), level=level)


def _as_the_wire_says_it(view: TraceView, step: Step) -> Sequence[Part]:
    """The turn as it can be said in a request of the wire: a message of Chat has one text, in front of its calls."""
    assert step.answered.reply is not None  # noqa: S101 - the step follows a sound turn
    any_ids = [call.name for call in step.answered.calls]  # which ids calls have says nothing of the order
    turn = view.wire.returned(step.answered.reply, any_ids)
    request = step.ask.exchange.request
    route = view.wire.route(request.method, request.path)
    assert route is not None  # noqa: S101 - the request has been read
    assert step.ask.conversation is not None  # noqa: S101
    written = view.wire.write(replace(step.ask.conversation, messages=turn))
    return parts_of_the_model(entries_of(view.wire.read(route, written.body, request.headers)))


def _is_text_first(came: Sequence[str], sent: Sequence[str]) -> bool:
    """Whether the only change is that text went in front of the calls: providers accept it, and many loops keep turns
    in such a form, with one text and a list of calls."""
    calls = [kind for kind in sent if kind != "text"]
    first = next((at for at, kind in enumerate(sent) if kind.startswith("call ")), len(sent))
    return calls == [kind for kind in came if kind != "text"] and "text" not in sent[first:]


def _kinds(parts: Sequence[Part]) -> list[str]:
    """What follows what: calls one by one, neighbouring text as one, thinking only where it is signed."""
    kinds: list[str] = []
    for part in parts:
        if isinstance(part, Call):
            kinds.append(f"call {part.name}")
        elif isinstance(part, ThinkingPart):
            kinds += ["thinking"] if part.signature else []
        elif part.text.strip() and kinds[-1:] != ["text"]:
            kinds.append("text")
    return kinds
