"""The texts of a JSON value, and how often they say something."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from harness.ground.bounded_json import SHALLOW, loads
from harness.ground.cached import cached_property
from harness.trace import JsonValue


class ReadText:
    """A text that is searched for words, and what it means where it is JSON: that is read once, when it is asked for.

    Serialisers differ: ``json.dumps`` escapes whatever is not ASCII, others do not, and the model reads the same.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _meant(self) -> tuple[str, ...]:
        """If the text is JSON the same with all characters as they are, and the texts in it."""
        value = _with_parsed_texts(self.text)
        if value is not self.text:
            return json.dumps(value, ensure_ascii=False), "\n".join(texts_in(value))
        return (_ESCAPES.sub(_unescaped_text, self.text),) if "\\u" in self.text else ()  # JSON inside other words

    def times(self, part: str) -> int:
        """How often ``part`` stands in the text, or in what the text means, however that is spelled."""
        return self.text.count(part) or next((times for form in self._meant if (times := form.count(part))), 0)

    def place(self, part: str) -> int:
        """Where ``part`` first stands in the text, which has it, or in what the text means."""
        return next(form.index(part) for form in (self.text, *self._meant) if part in form)


def times_in(text: str, part: str) -> int:
    """How often ``part`` stands in a text, or in what the text means where it is JSON, however that is spelled."""
    return ReadText(text).times(part)


def _with_parsed_texts(value: JsonValue) -> JsonValue:
    """A JSON value in which every text that is JSON, too, is replaced by what it means."""
    if isinstance(value, str):
        inner = read_json(value) if value.lstrip()[:1] in _OPENING else None
        return _with_parsed_texts(inner) if isinstance(inner, str | dict | list) else value
    if isinstance(value, dict):
        return {name: _with_parsed_texts(each) for name, each in value.items()}
    return [_with_parsed_texts(each) for each in value] if isinstance(value, list) else value


_OPENING = frozenset('{["')
"""The first characters of JSON that is an object, a list or a text."""

_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")


def _unescaped_text(found: re.Match[str]) -> str:
    return str(json.loads(f'"{found.group()}"'))


def read_json(body: bytes | str) -> JsonValue:
    """The value that a text is as JSON; None where it is no JSON."""
    try:
        value: JsonValue = loads(body, SHALLOW)
    except ValueError:
        return None
    return value


def texts_in(value: JsonValue) -> Iterator[str]:
    """Every text that stands somewhere in a JSON value, keys left out, each once and in its order.

    Neighbouring text parts are one text: Gemini's history has every streamed piece as a part of its own, and some
    clients send each of them as a content of its own.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for kind, run in groupby(_whole_turns(value), _kind_of_text):
            parts = list(run)
            if kind is not None:
                texts = [dict(part) for part in parts if isinstance(part, dict)]
                yield "".join(str(part.pop("text")) for part in texts)
                parts = [*texts]
            for part in parts:
                yield from texts_in(part)


def _whole_turns(values: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """The values, neighbouring contents of Gemini's model made one."""
    for is_model, run in groupby(values, _is_models):
        if is_model:
            parts = [part for content in run if isinstance(content, dict) for part in _list(content["parts"])]
            yield {"role": "model", "parts": parts}
        else:
            yield from run


def _is_models(value: JsonValue) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"role", "parts"}
        and value["role"] == "model"
        and isinstance(value["parts"], list)
    )


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def members_in(value: JsonValue) -> Iterator[str]:
    """The name of every member of every object in a JSON value."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from members_in(inner)


def _kind_of_text(part: JsonValue) -> str | None:
    """What a part of a message says as text: an answer or a thought; None where it is no text."""
    if not isinstance(part, dict) or not isinstance(part.get("text"), str):
        return None
    return "thought" if part.get("thought") else "answer"
