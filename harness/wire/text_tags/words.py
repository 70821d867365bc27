"""A turn as one text, and back: the parts of an assistant message, written with the protocol's tags and read again.

    Thinking    <think>...</think>
    Call        <tool_call>{"name":NAME,"args":ARGUMENTS}</tool_call>
    Text        as it is; without the white space around the whole of it when it is read

A call has no id: this wire reads ``Call.id`` as ``""``, and results are distinguished by order and name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from json.encoder import encode_basestring as quoted
from typing import TypeVar

from harness.wire.base import Opaque, Result
from harness.wire.characters import joined, sendable
from harness.wire.json_text import strict
from harness.wire.text_tags.call import TextCall
from harness.wire.text_tags.reader import Reader
from harness.wire.text_tags.stream import Trimmed
from harness.wire.text_tags.tags import Tag, TagLexer
from harness.wire.turn import Call, FinishReason, Part, Refusal, Text, ThinkingPart

_BLANK = " \t\n\r"

_STOPPED = frozenset({FinishReason.MAX_TOKENS, FinishReason.REFUSAL, FinishReason.CONTENT_FILTER})


# --- written ------------------------------------------------------------------------------------------------


def written(parts: Iterable[Part], stop: FinishReason = FinishReason.END) -> str:
    """The text of ``parts``. Arguments are written as the model wrote them, valid or not; without arguments there is no
    ``args``.

    A model that was stopped inside its last call never writes the end of it. Parts without a form in the protocol
    (redacted thinking, refusals) are left out.
    """
    wanted = [part for part in parts if not isinstance(part, Refusal)]
    texts = [_written(part) for part in wanted]
    if (last := _broken_off(wanted, stop)) is not None:
        texts[-1] = _begun(last)
    return joined("".join(texts))


def _broken_off(wanted: Sequence[Part], stop: FinishReason) -> Call | None:
    """The last part, if it is a call inside which the model was stopped."""
    last = wanted[-1] if wanted and stop in _STOPPED else None
    return last if isinstance(last, Call) and not _is_value(last.arguments) else None


def _written(part: Part) -> str:
    if isinstance(part, Call):
        return f"{_begun(part)}}}{Tag.CALL_END}"
    if isinstance(part, ThinkingPart):
        return f"{Tag.THINK}{part.text}{Tag.THINK_END}" if part.text and part.form == "plain" else ""
    return part.text


def _begun(call: Call) -> str:
    arguments = f',"args":{call.arguments}' if call.arguments.strip(_BLANK) else ""
    return f'{Tag.CALL}{{"name":{quoted(sendable(call.name))}{arguments}'


def meant(parts: Iterable[Part], stop: FinishReason = FinishReason.END) -> tuple[Part, ...] | None:
    """What a reader of ``written(parts, stop)`` must find, known without reading it.

    None if only reading can show it: a tag is in the text, or a call has something that this protocol repairs or
    refuses.
    """
    wanted = [part for part in parts if not isinstance(part, Refusal)]
    expected = list(_merged_parts([_as_read(part) for part in wanted if _written(part)]))
    sure = all(_is_sure(part) for part in expected) and _broken_off(wanted, stop) is None
    return tuple(_trimmed_parts(expected)) if sure else None


def _as_read(part: Text | ThinkingPart | Call) -> Text | ThinkingPart | Call:
    """The part without an id and a signature; a call without arguments has an empty object."""
    if isinstance(part, Call):
        return Call(sendable(part.name), joined(part.arguments).strip(_BLANK) or "{}", "")
    return type(part)(part.text)


def _is_sure(part: Text | ThinkingPart | Call) -> bool:
    match part:
        case Call():
            return bool(part.name) and _is_value(part.arguments)
        case ThinkingPart():
            return Tag.THINK_END not in part.text
        case Text():
            return not any(tag in part.text for tag in Tag)


def _is_value(arguments: str) -> bool:
    """Whether this is JSON that no reader has to repair."""
    try:
        strict(joined(arguments))
    except (ValueError, RecursionError):
        return False
    return True


def _merged_parts(parts: Iterable[Text | ThinkingPart | Call]) -> Iterator[Text | ThinkingPart | Call]:
    """The parts, with adjacent texts joined and adjacent thoughts joined."""
    for kind, group in groupby(parts, key=type):
        if kind is Call:
            yield from group
        else:
            yield kind(joined("".join([part.text for part in group if not isinstance(part, Call)])))


# --- read ---------------------------------------------------------------------------------------------------


_P = TypeVar("_P", bound=Part | Result | Opaque)


def read_message(parts: Sequence[_P]) -> tuple[_P | Text | ThinkingPart | Call, ...]:
    """The parts of a Chat message or a reply, in the form of this protocol and in the order of a message.

    Thinking with its own member comes first, then the parts of the content, then a refusal and native calls, which do
    not belong to this protocol.
    """
    content = "".join([part.text for part in parts if isinstance(part, Text)])
    thoughts = [part for part in parts if isinstance(part, ThinkingPart)]
    others = [part for part in parts if not isinstance(part, Text | ThinkingPart)]
    return (*thoughts, *read_text(content), *others)


def read_text(text: str) -> tuple[Text | ThinkingPart | Call, ...]:
    """The parts of an assistant's whole text. A bad call block becomes a call whose arguments are no JSON object."""
    if "<" not in text:
        shown = joined(text).strip()
        return (Text(shown),) if shown else ()
    reader, lexer = Reader(), TagLexer()
    for token in lexer.feed(text):
        reader = reader.take(token)
    if rest := lexer.end():
        reader = reader.take(rest)
    reader = reader.end()
    return tuple(_trimmed_parts(_merged_parts(_parts_of(reader))))


def _parts_of(reader: Reader) -> Iterator[Text | ThinkingPart | Call]:
    seen: set[TextCall] = set()
    for what, piece in reader.pieces:
        if isinstance(what, TextCall):
            if what not in seen:
                seen.add(what)
                yield Call(what.name, what.arguments, "")
        else:
            yield ThinkingPart(piece) if what == "thinking" else Text(piece)


def _trimmed_parts(parts: Iterable[Text | ThinkingPart | Call]) -> Iterator[Text | ThinkingPart | Call]:
    """The parts without the white space around the whole text, and without texts of only white space."""
    shown = Trimmed()
    for part in parts:
        if not isinstance(part, Text):
            yield part
        elif text := shown.push(part.text):
            yield Text(text)
