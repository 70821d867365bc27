"""The demands on every reading, and the oracle that objects to each mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from harness.fuzz.campaign import Falsified
from harness.fuzz.stream.example import StreamExample, delivered, sent
from harness.fuzz.stream.expected import Expected, expected, forms, same_arguments, same_values
from harness.fuzz.stream.stream_result import NotInForm, StreamReader, StreamResult
from harness.wire import wire
from harness.wire.characters import joined, sendable

ORACLES: Final[Mapping[str, str]] = {
    "raises": "A legal stream is read, and a broken one makes nobody raise what is not documented.",
    "form": "The reader answers in the form that is asked for.",
    "agreement": "What is read is what was sent: the text, every call, and why the model stopped.",
    "chunking": "How the bytes are cut changes nothing.",
    "variation": "Another legal spelling of the same events changes nothing.",
    "completion": "A stream that lacks its end, breaks or reports an error is never reported as a whole turn.",
    "prefix": "Of a stream that breaks off only the beginning is reported.",
    "live": "The pieces reported while the stream arrives are, joined, the final content.",
    "sdk": "The session says what the official SDK's own accumulation of the same bytes says.",
}


def hold(reader: StreamReader, example: StreamExample) -> StreamResult | None:
    """The reading of an example; None if the reader does not speak its wire. Raises ``Falsified``."""
    pieces = delivered(example)
    result = _result_of(reader, example, pieces)
    if result is None:
        return None
    objection = _objection(result, example)
    if objection is not None:
        raise _precise_objection(reader, example, objection)
    if example.fault is not None and len(pieces) > 1:
        whole = _result_of(reader, example, [sent(example).body])
        if whole != result:
            raise Falsified("chunking", f"as of one piece {whole}", str(result))
    return result


def hold_against_sdk(result: StreamResult, accumulated: StreamResult, example: StreamExample) -> None:
    """Raises ``Falsified`` if a session and the SDK's own accumulation differ for the same bytes."""
    for what, ours, theirs in _comparisons(result, accumulated, example):
        if ours != theirs:
            raise Falsified("sdk", f"{what} {theirs!r} as the SDK has it", f"{ours!r}")
    if accumulated.stop not in expected(example).stops:
        raise Falsified("sdk", f"one of {sorted(expected(example).stops)}", f"stop {accumulated.stop!r}")


def _comparisons(
    ours: StreamResult, theirs: StreamResult, example: StreamExample
) -> Iterator[tuple[str, object, object]]:
    wanted = expected(example)
    # Whether halves of a character meet where one part ends and the next begins, each may see in its own way.
    if not {ours.text, joined(theirs.text)} <= {*forms(wanted.text), *forms(wanted.spoken)}:
        yield "text", sendable(ours.text), sendable(theirs.text)
    for name, pieces in (("thinking", wanted.thinking), ("refusal", wanted.refusal)):
        mine, other = getattr(ours, name), getattr(theirs, name)
        if other is not None and not {mine, joined(other)} <= {*forms(pieces)}:
            yield name, mine, sendable(other)
    yield "calls", [call.name for call in ours.calls], [call.name for call in theirs.calls]
    for mine, other in zip(ours.calls, theirs.calls, strict=True):
        if not wire(example.wire).object_arguments:
            yield "arguments", sendable(mine.arguments), sendable(other.arguments)
        elif not same_values(mine.arguments, other.arguments) and _is_object(mine.arguments):
            yield "arguments", mine.arguments, other.arguments


# --- the readings ---------------------------------------------------------------------------------------------


def _result_of(reader: StreamReader, example: StreamExample, pieces: Sequence[bytes]) -> StreamResult | None:
    try:
        return reader.read(example.wire, pieces)
    except NotInForm as wrong:
        raise Falsified("form", wrong.expected, wrong.got) from None
    except Exception as error:
        raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error


def _precise_objection(reader: StreamReader, example: StreamExample, objection: Falsified) -> Falsified:
    """The objection. If the reader is right without the cutting or the spelling, it is an objection to that."""
    if _is_right(reader, example, sent(example).events):
        return _with_oracle(objection, "chunking")
    plain = replace(example, variations=())
    if example.variations and example.fault is None:
        if _is_right(reader, plain, delivered(plain)):
            return _with_oracle(objection, "variation")
        if _is_right(reader, plain, sent(plain).events):
            return _with_oracle(objection, "chunking")
    return objection


def _is_right(reader: StreamReader, example: StreamExample, pieces: Sequence[bytes]) -> bool:
    try:
        result = _result_of(reader, example, pieces)
    except Falsified:
        return False
    return result is not None and _objection(result, example) is None


def _with_oracle(objection: Falsified, oracle: str) -> Falsified:
    return Falsified(oracle, objection.expected, objection.got)


# --- the objections -------------------------------------------------------------------------------------------


def _objection(result: StreamResult, example: StreamExample) -> Falsified | None:
    wanted = expected(example)
    objections: Iterator[Falsified]
    if example.fault is None or example.fault.kind == "end twice":
        objections = _to_whole(result, example, wanted) if wanted.usable else iter(())
    else:
        objections = _to_broken(result, example, wanted)
    return next(objections, None)


def _to_whole(result: StreamResult, example: StreamExample, wanted: Expected) -> Iterator[Falsified]:
    if result.failure:
        yield Falsified("raises", "a turn", result.failure)
    elif not result.complete:
        yield Falsified("agreement", "a turn that is whole", "one that is not complete")
    else:
        yield from _differences(result, example, wanted)
        yield from _known_to_ours_alone(result, wanted)
        yield from _unlike_emitted(result)


def _differences(result: StreamResult, example: StreamExample, wanted: Expected) -> Iterator[Falsified]:
    if result.text not in (*forms(wanted.text), *(forms(wanted.spoken) if result.refusal is None else ())):
        yield Falsified("agreement", f"text {joined(wanted.turn.text)!r}", repr(result.text))
    if len(result.calls) != len(wanted.calls):
        yield Falsified("agreement", f"{len(wanted.calls)} calls", str(len(result.calls)))
    ids = Counter(call.id for call in wanted.calls)
    for got, sent_call in zip(result.calls, wanted.calls, strict=False):
        if got.name != sent_call.name:
            yield Falsified("agreement", f"a call of {sent_call.name!r}", repr(got.name))
        if not same_arguments(example.wire, got.arguments, sent_call.arguments):
            yield Falsified("agreement", f"arguments {joined(sent_call.arguments)!r}", repr(got.arguments))
        if sent_call.id and ids[sent_call.id] == 1 and wire(example.wire).call_ids != "none" and got.id != sent_call.id:
            yield Falsified("agreement", f"call id {sent_call.id!r}", repr(got.id))
    if result.stop is not None and result.stop not in wanted.stops:
        yield Falsified("agreement", f"stop {wanted.turn.stop.value!r}", repr(result.stop))


def _known_to_ours_alone(result: StreamResult, wanted: Expected) -> Iterator[Falsified]:
    if result.thinking is not None and result.thinking not in forms(wanted.thinking):
        yield Falsified("agreement", f"thinking {''.join(wanted.thinking)!r}", repr(result.thinking))
    if result.refusal is not None and result.refusal not in forms(wanted.refusal):
        yield Falsified("agreement", f"refusal {''.join(wanted.refusal)!r}", repr(result.refusal))
    if result.usage is not None and result.usage != wanted.turn.usage:
        yield Falsified("agreement", str(wanted.turn.usage), str(result.usage))


def _unlike_emitted(result: StreamResult) -> Iterator[Falsified]:
    emitted = result.emitted
    if emitted is None:
        return
    arguments = tuple(call.arguments for call in result.calls if call.arguments)
    for what, at_the_end, live in (
        ("text", result.text, emitted.text),
        ("thinking", result.thinking, emitted.thinking),
        ("arguments", arguments, tuple(filter(None, emitted.arguments))),
    ):
        if at_the_end != live:
            yield Falsified("live", f"{what} {at_the_end!r}", repr(live))


def _to_broken(result: StreamResult, example: StreamExample, wanted: Expected) -> Iterator[Falsified]:
    if result.complete and not _may_be_whole(example):
        yield Falsified("completion", "a turn that is not complete", "a whole one")
    elif result.complete and wanted.usable:
        lost = next(_differences(result, example, wanted), None)
        if lost is not None:
            yield Falsified("completion", f"a turn that is not complete, or {lost.expected}", lost.got)
    elif not result.complete and example.fault is not None and example.fault.kind != "broken JSON":
        yield from _beyond_the_beginning(result, example, wanted)


def _may_be_whole(example: StreamExample) -> bool:
    """Whether a stream with a fault may still be complete: the part that is cut off, or broken, may be unnecessary."""
    fault = example.fault
    if fault is None or fault.kind == "broken JSON":
        return True
    return fault.kind == "cut" and fault.at >= sent(example).unfinished


def _beyond_the_beginning(result: StreamResult, example: StreamExample, wanted: Expected) -> Iterator[Falsified]:
    """Objections to text beyond the sent beginning. On ``text-tags`` there are none: an incomplete call is text."""
    if not wire(example.wire).native:
        return
    if not _begins(wanted.text, result.text) and not _begins(wanted.spoken, result.text):
        yield Falsified("prefix", f"the beginning of {joined(wanted.turn.text)!r}", repr(result.text))
    if len(result.calls) > len(wanted.calls):
        yield Falsified("prefix", f"no more than {len(wanted.calls)} calls", str(len(result.calls)))
    for got, sent_call in zip(result.calls, wanted.calls, strict=False):
        whole = same_arguments(example.wire, got.arguments, sent_call.arguments)
        if got.name != sent_call.name or not (whole or _begins([sent_call.arguments], got.arguments)):
            yield Falsified("prefix", f"the beginning of {sent_call.arguments!r}", repr(got.arguments))


def _begins(pieces: Sequence[str], beginning: str) -> bool:
    """Whether a text has this beginning, whose last character may be the first half of one."""
    return any(form.startswith((beginning, beginning[:-1])) for form in forms(pieces))


def _is_object(arguments: str) -> bool:
    return same_values(arguments, arguments) and arguments.lstrip().startswith("{")
