"""What must hold of every reading, and which oracle objects where it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from harness.wire.characters import joined, sendable
from harness_lab.fuzz.campaign import Falsified
from harness_lab.fuzz.stream.example import StreamExample, delivered, sent
from harness_lab.fuzz.stream.expected import Expected, expected, forms, same_arguments
from harness_lab.fuzz.stream.reading import NotInForm, Reader, Reading

__all__ = ["ORACLES", "hold", "hold_against_sdk"]

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


def hold(reader: Reader, example: StreamExample) -> Reading | None:
    """The reading of an example; None where the reader does not speak its wire. Raises ``Falsified``."""
    pieces = delivered(example)
    reading = _reading(reader, example, pieces)
    if reading is None:
        return None
    objection = _objection(reading, example)
    if objection is not None:
        raise _blamed(reader, example, objection)
    if example.fault is not None and len(pieces) > 1:
        whole = _reading(reader, example, [sent(example).body])
        if whole != reading:
            raise Falsified("chunking", f"as of one piece {whole}", str(reading))
    return reading


def hold_against_sdk(reading: Reading, accumulated: Reading, example: StreamExample) -> None:
    """Raises ``Falsified`` where a session and the SDK's own accumulation say different things of the same bytes."""
    for what, ours, theirs in _compared(reading, accumulated, example):
        if ours != theirs:
            raise Falsified("sdk", f"{what} {theirs!r} as the SDK has it", f"{ours!r}")
    if accumulated.stop not in expected(example).stops:
        raise Falsified("sdk", f"one of {sorted(expected(example).stops)}", f"stop {accumulated.stop!r}")


def _compared(ours: Reading, theirs: Reading, example: StreamExample) -> Iterator[tuple[str, object, object]]:
    said = expected(example)
    # Whether halves of a character meet where one part ends and the next begins, each may see in its own way.
    if not {ours.text, joined(theirs.text)} <= {*forms(said.text), *forms(said.spoken)}:
        yield "text", sendable(ours.text), sendable(theirs.text)
    yield "calls", [call.name for call in ours.calls], [call.name for call in theirs.calls]
    for mine, other in zip(ours.calls, theirs.calls, strict=True):
        if example.wire not in ("anthropic-messages", "gemini-generate"):
            yield "arguments", sendable(mine.arguments), sendable(other.arguments)
        elif not same_arguments("gemini-generate", mine.arguments, other.arguments) and _is_object(mine.arguments):
            yield "arguments", mine.arguments, other.arguments


# --- the readings ---------------------------------------------------------------------------------------------


def _reading(reader: Reader, example: StreamExample, pieces: Sequence[bytes]) -> Reading | None:
    try:
        return reader.read(example.wire, pieces)
    except NotInForm as wrong:
        raise Falsified("form", wrong.expected, wrong.got) from None
    except Exception as error:
        raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error


def _blamed(reader: Reader, example: StreamExample, objection: Falsified) -> Falsified:
    """The objection, or that to the cutting or to the spelling where without these the reader is right."""
    if _is_right(reader, example, sent(example).events):
        return _renamed(objection, "chunking")
    plain = replace(example, variations=())
    if example.variations and example.fault is None:
        if _is_right(reader, plain, delivered(plain)):
            return _renamed(objection, "variation")
        if _is_right(reader, plain, sent(plain).events):
            return _renamed(objection, "chunking")
    return objection


def _is_right(reader: Reader, example: StreamExample, pieces: Sequence[bytes]) -> bool:
    try:
        reading = _reading(reader, example, pieces)
    except Falsified:
        return False
    return reading is not None and _objection(reading, example) is None


def _renamed(objection: Falsified, oracle: str) -> Falsified:
    return Falsified(oracle, objection.expected, objection.got)


# --- the objections -------------------------------------------------------------------------------------------


def _objection(reading: Reading, example: StreamExample) -> Falsified | None:
    said = expected(example)
    objections: Iterator[Falsified]
    if example.fault is None or example.fault.kind == "end twice":
        objections = _to_whole(reading, example, said) if said.usable else iter(())
    else:
        objections = _to_broken(reading, example, said)
    return next(objections, None)


def _to_whole(reading: Reading, example: StreamExample, said: Expected) -> Iterator[Falsified]:
    if reading.failure:
        yield Falsified("raises", "a turn", reading.failure)
    elif not reading.complete:
        yield Falsified("agreement", "a turn that is whole", "one that is not complete")
    else:
        yield from _differences(reading, example, said)
        yield from _told_by_ours_alone(reading, said)
        yield from _unlike_told(reading)


def _differences(reading: Reading, example: StreamExample, said: Expected) -> Iterator[Falsified]:
    if reading.text not in (*forms(said.text), *(forms(said.spoken) if reading.refusal is None else ())):
        yield Falsified("agreement", f"text {joined(said.turn.text)!r}", repr(reading.text))
    if len(reading.calls) != len(said.calls):
        yield Falsified("agreement", f"{len(said.calls)} calls", str(len(reading.calls)))
    ids = Counter(call.id for call in said.calls)
    for got, sent_call in zip(reading.calls, said.calls, strict=False):
        if got.name != sent_call.name:
            yield Falsified("agreement", f"a call of {sent_call.name!r}", repr(got.name))
        if not same_arguments(example.wire, got.arguments, sent_call.arguments):
            yield Falsified("agreement", f"arguments {joined(sent_call.arguments)!r}", repr(got.arguments))
        if sent_call.id and ids[sent_call.id] == 1 and example.wire != "text-tags" and got.id != sent_call.id:
            yield Falsified("agreement", f"call id {sent_call.id!r}", repr(got.id))
    if reading.stop is not None and reading.stop not in said.stops:
        yield Falsified("agreement", f"stop {said.turn.stop.value!r}", repr(reading.stop))


def _told_by_ours_alone(reading: Reading, said: Expected) -> Iterator[Falsified]:
    if reading.thinking is not None and reading.thinking not in forms(said.thinking):
        yield Falsified("agreement", f"thinking {''.join(said.thinking)!r}", repr(reading.thinking))
    if reading.refusal is not None and reading.refusal not in forms(said.refusal):
        yield Falsified("agreement", f"refusal {''.join(said.refusal)!r}", repr(reading.refusal))
    if reading.usage is not None and reading.usage != said.turn.usage:
        yield Falsified("agreement", str(said.turn.usage), str(reading.usage))


def _unlike_told(reading: Reading) -> Iterator[Falsified]:
    told = reading.told
    if told is None:
        return
    arguments = tuple(call.arguments for call in reading.calls)
    for what, at_the_end, live in (
        ("text", reading.text, told.text),
        ("thinking", reading.thinking, told.thinking),
        ("arguments", arguments, told.arguments),
    ):
        if at_the_end != live:
            yield Falsified("live", f"{what} {at_the_end!r}", repr(live))


def _to_broken(reading: Reading, example: StreamExample, said: Expected) -> Iterator[Falsified]:
    if reading.complete and not _may_be_whole(example):
        yield Falsified("completion", "a turn that is not complete", "a whole one")
    elif reading.complete and said.usable:
        lost = next(_differences(reading, example, said), None)
        if lost is not None:
            yield Falsified("completion", f"a turn that is not complete, or {lost.expected}", lost.got)
    elif not reading.complete and example.fault is not None and example.fault.kind != "broken JSON":
        yield from _beyond_the_beginning(reading, example, said)


def _may_be_whole(example: StreamExample) -> bool:
    """Whether a stream with a fault may say all that it has to: what is cut off, or broken, may not be missed."""
    fault = example.fault
    if fault is None or fault.kind == "broken JSON":
        return True
    return fault.kind == "cut" and fault.at >= sent(example).unfinished


def _beyond_the_beginning(reading: Reading, example: StreamExample, said: Expected) -> Iterator[Falsified]:
    """Calls written as text are text until they are whole, so of ``text-tags`` the beginning says nothing."""
    if example.wire == "text-tags":
        return
    if not _begins(said.text, reading.text) and not _begins(said.spoken, reading.text):
        yield Falsified("prefix", f"the beginning of {joined(said.turn.text)!r}", repr(reading.text))
    if len(reading.calls) > len(said.calls):
        yield Falsified("prefix", f"no more than {len(said.calls)} calls", str(len(reading.calls)))
    for got, sent_call in zip(reading.calls, said.calls, strict=False):
        whole = same_arguments(example.wire, got.arguments, sent_call.arguments)
        if got.name != sent_call.name or not (whole or _begins([sent_call.arguments], got.arguments)):
            yield Falsified("prefix", f"the beginning of {sent_call.arguments!r}", repr(got.arguments))


def _begins(pieces: Sequence[str], beginning: str) -> bool:
    """Whether a text begins so; the last character may be half of one, whose other half did not come."""
    return any(form.startswith((beginning, beginning[:-1])) for form in forms(pieces))


def _is_object(arguments: str) -> bool:
    return same_arguments("gemini-generate", arguments, arguments) and arguments.lstrip().startswith("{")
