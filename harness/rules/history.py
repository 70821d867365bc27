"""What goes back to the model of what was said: everything, as it was said. The results of its calls: ``results``.

Requests that name earlier turns are compared with those turns put in front (``steps``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from harness.rules.evidence import difference, quote
from harness.rules.model import Breach, Rule
from harness.rules.reading import Reading
from harness.rules.steps import Step, canonical_arguments, canonical_signature
from harness.rules.turns import Ask
from harness.wire import Call, Opaque, Part, Refusal, Result, Text, Thinking
from harness.wire.characters import sendable
from harness.wire.json_text import strict

__all__ = ["RULES"]

_LOOP = "Agent Tool-Calling Flow, Provider-Specific Continuation"
_PHASE = "OpenAI's documentation of Responses: phase; survey of agent loops: sent back for some models only"
_SURVEY = "survey of agent loops: thinking and signatures dropped, text moved in front of calls"


def _steps(reading: Reading) -> Iterator[Step]:
    """The steps on which a turn can be followed back; a rewritten history is reported as that alone."""
    return (step for step in _own_steps(reading) if step.whole)


def _own_steps(reading: Reading) -> Iterator[Step]:
    """The steps that are the loop's own: what a caller makes of the history is the caller's affair."""
    return (step for step in reading.steps if not reading.edited(step.answered))


# --- the history so far -------------------------------------------------------------------------------------


def _append_only(reading: Reading) -> Iterator[Breach]:
    for step in _own_steps(reading):
        at = step.parting
        if at is None:
            continue
        message, part = step.before[at]
        if at >= len(step.after):
            yield Breach(step.ask.at, f"{message.at} as before: {quote(_words(part))}", "the history ends before it")
            continue
        got_message, got_part = step.after[at]
        if message.role != got_message.role:
            yield Breach(step.ask.at, f"{message.at} from the {message.role} as before", f"from the {got_message.role}")
            continue
        expected, got = difference(_words(part), _words(got_part))
        yield Breach(step.ask.at, f"as before: {expected}", got, f"{got_message.at}, part {at + 1} of the history")


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


def _tools(reading: Reading) -> Iterator[Breach]:
    for step in _own_steps(reading):
        before, after = _offered(step.answered), _offered(step.ask)
        if before != after:
            changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
            if changed:
                yield Breach(step.ask.at, "the same tools as before", f"changed: {', '.join(changed)}")
            else:
                yield Breach(step.ask.at, f"tools in the order {', '.join(before)}", ", ".join(after))


def _offered(ask: Ask) -> dict[str, Any]:
    return {tool.name: tool for tool in ask.full.tools} if ask.full is not None else {}


# --- the model's turn ---------------------------------------------------------------------------------------


def _model_text(reading: Reading) -> Iterator[Breach]:
    for step in _steps(reading):
        said, sent = _text(step.came), _text(step.went)
        if said != sent:
            expected, got = difference(said, sent)
            yield Breach(step.ask.at, f"the model's text {expected}", got)


def _text(parts: Sequence[Part]) -> str:
    """Blank text is left out: one provider refuses it, so loops must drop it."""
    texts = [part.text for part in parts if isinstance(part, Text | Refusal)]
    return sendable("".join([text for text in texts if not text.isspace()]))


def _model_phase(reading: Reading) -> Iterator[Breach]:
    for step in _steps(reading):
        sent: dict[str, list[str]] = {}
        for part in step.went:
            if isinstance(part, Text):
                sent.setdefault(sendable(part.text), []).append(part.phase)
        for part in step.came:
            if isinstance(part, Text) and part.phase:
                phases = sent.get(sendable(part.text), [part.phase])  # other words are another rule's business
                if part.phase not in phases:
                    yield Breach(step.ask.at, f"phase {part.phase} with {quote(part.text)}", phases[0] or "none")


def _model_calls(reading: Reading) -> Iterator[Breach]:
    for step in _steps(reading):
        made = [part for part in step.came if isinstance(part, Call)]
        sent = [part for part in step.went if isinstance(part, Call)]
        for place, call in enumerate(made):
            if place >= len(sent):
                yield Breach(step.ask.at, f"the call {quote(_words(call))}", "it did not go back")
            elif (why := _unlike(call, sent[place], reading.repeated_ids)) is not None:
                yield Breach(step.ask.at, why[0], why[1], f"call {place + 1} of {len(made)}")
            else:
                continue
            break
        else:
            for extra in sent[len(made) :]:
                yield Breach(step.ask.at, f"{len(made)} calls, as the model made", f"also {quote(_words(extra))}")


def _unlike(call: Call, sent: Call, repeated: frozenset[str]) -> tuple[str, str] | None:
    if call.name and call.name != sent.name:
        return f"a call of {call.name!r}", repr(sent.name)
    if call.id and call.id not in repeated and call.id != sent.id:
        return f"the call's id {call.id}", sent.id or "none"
    if call.arguments == sent.arguments:
        return None
    expected, got = canonical_arguments(call.arguments), canonical_arguments(sent.arguments)
    if expected == got or not _can_go_back(call.arguments):
        return None
    return difference(expected, got)


def _can_go_back(arguments: str) -> bool:
    """Whether every wire can say these arguments: an object, and without NaN and the like, which are no JSON."""
    try:
        return isinstance(strict(arguments.strip() or "{}"), dict)
    except (ValueError, RecursionError):
        return False


def _model_thinking(reading: Reading) -> Iterator[Breach]:
    for step in _steps(reading):
        signed, sent = _signed(step.came), _signed(step.went)
        for place, part in enumerate(signed):
            if place >= len(sent):
                yield Breach(step.ask.at, f"{part[0]} with its signature {quote(part[2])}", "it did not go back")
                break
            if sent[place] != part:
                expected, got = difference(" ".join(part), " ".join(sent[place]))
                yield Breach(step.ask.at, f"signed part {place + 1}: {expected}", got)
                break


def _signed(parts: Sequence[Part]) -> list[tuple[str, str, str]]:
    """(kind, text of a thinking part, signature) of every part that the model signed."""
    return [
        (
            type(part).__name__.lower(),
            part.text if isinstance(part, Thinking) else "",
            canonical_signature(part.signature),
        )
        for part in parts
        if not isinstance(part, Refusal) and part.signature
    ]


def _model_order(reading: Reading) -> Iterator[Breach]:
    for step in _steps(reading):
        came, sent = _kinds(step.came), _kinds(step.went)
        # Parts that are missing altogether are the business of the other rules.
        if came != sent and Counter(came) == Counter(sent):
            yield Breach(step.ask.at, f"the order {', '.join(came)}", ", ".join(sent))


def _kinds(parts: Sequence[Part]) -> list[str]:
    """What follows what: calls one by one, neighbouring text as one, thinking only where it is signed."""
    kinds: list[str] = []
    for part in parts:
        if isinstance(part, Call):
            kinds.append(f"call {part.name}")
        elif isinstance(part, Thinking):
            kinds += ["thinking"] if part.signature else []
        elif part.text.strip() and kinds[-1:] != ["text"]:
            kinds.append("text")
    return kinds


RULES = (
    Rule(
        "history/append-only",
        "MUST",
        "unsafe",
        "Every request begins with all that the request before it said: system prompt, messages, calls and results.",
        "A rewritten history makes the model answer to a conversation that did not take place; signatures that are "
        "bound to what was before them break, and so does every cache.",
        _LOOP + ": appended to the request history",
        _append_only,
        ("exchanges",),
    ),
    Rule(
        "history/tools",
        "SHOULD",
        "style",
        "The tools offered do not change within a run.",
        "A change empties the provider's cache, and newer models refuse thinking that was bound to other tools.",
        _SURVEY,
        _tools,
        ("exchanges",),
    ),
    Rule(
        "history/model-text",
        "MUST",
        "unsafe",
        "The text of the model's turn goes back as it came.",
        "A model that does not find its own words says them again or contradicts them.",
        _LOOP,
        _model_text,
        ("exchanges",),
    ),
    Rule(
        "history/model-phase",
        "SHOULD",
        "unsafe",
        "Where the model says of its text that it is commentary or the final answer, that goes back with it.",
        "A model that finds its commentary without the mark may take it for the answer, and stop too early.",
        _PHASE,
        _model_phase,
        ("exchanges",),
    ),
    Rule(
        "history/model-calls",
        "MUST",
        "unsafe",
        "The calls of the model's turn go back in order, each with its name, its id and equal arguments.",
        "Repaired or reordered calls make the model believe that it said what it did not.",
        _LOOP,
        _model_calls,
        ("exchanges",),
    ),
    Rule(
        "history/model-thinking",
        "MUST",
        "invalid",
        "Every signed part of the model's turn goes back with its signature, and signed thinking with its text.",
        "Providers refuse a turn whose thinking is missing or altered, or answer worse without saying so.",
        _LOOP + ": exact original model content",
        _model_thinking,
        ("exchanges",),
    ),
    Rule(
        "history/model-order",
        "MUST",
        "unsafe",
        "The parts of the model's turn go back in the order in which they came.",
        "Text that was said after a call and goes back before it was said in ignorance of the call.",
        _SURVEY,
        _model_order,
        ("exchanges",),
    ),
)
