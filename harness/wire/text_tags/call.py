"""The content of one call block: a call with its name, and its arguments, which are emitted while they arrive.

Two forms, whatever the tags around them:

    {"name": NAME, "args": {...}}       other members are ignored; without ``args`` they are a mistake
    call:NAME{...}

A call is emitted with the first character of its arguments if its name is known by then, otherwise at the end of the
block. The bracket that closes the arguments is emitted only when the end tag has come, so the arguments of a call that
is not whole are never a JSON object and no runtime can take them for one.
"""

from __future__ import annotations

import json
import re

from harness.wire.characters import sendable
from harness.wire.text_tags.repaired_json import Part, RepairedJson
from harness.wire.text_tags.tags import END_OF, Tag

UNNAMED = "unknown_tool"
"""The name of a call whose name cannot be read."""

_COLON_FORM = "call:"
_COLON_NAME = re.compile(r'[^{"\\]*')  # without quotes, so that all readers of a text agree on where strings are


class TextCall:
    """A call in text while it arrives.

    ``arguments`` is strict JSON, emitted piece by piece. If the block is no call, ``problem`` says why; then
    ``arguments`` is not empty and no JSON object, so that no runtime can run it.
    """

    __slots__ = ("name", "pieces", "problem")

    def __init__(self, name: str) -> None:
        self.name = name
        self.pieces: list[str] = []
        self.problem = ""

    @property
    def arguments(self) -> str:
        """All arguments that have been read by now."""
        return "".join(self.pieces)

    def grow(self, arguments: str) -> tuple[TextCall, str]:
        """Add a piece of the arguments. Returns the call with that piece."""
        self.pieces.append(arguments)
        return self, arguments


NewArguments = list[tuple[TextCall, str]]
"""Pieces of arguments, each with its call. A call begins with its first piece."""


class BlockReader:
    """Reads the text between the two tags of a call.

    ``call`` is the call in the block, or None until it is emitted. ``problem`` is not empty once the block can be no
    call.
    """

    def __init__(self, tag: Tag) -> None:
        self.call: TextCall | None = None
        self.problem = ""
        self._tag = tag
        self._raw: list[str] = [tag]
        self._sealed = False
        self._head = ""  # what may become the beginning of the colon form
        self._colon_name: list[str] | None = None
        self._json: RepairedJson | None = None
        self._name: list[str] = []  # of the JSON form, as JSON text
        self._args: list[str] | None = None
        self._bracket = ""  # that closes the arguments
        self._emitted = 0  # how many parts of the arguments have been emitted
        self._other: str | None = None  # a member that is neither name nor args
        self._again = ""  # one of these two, which came again when the call had been emitted
        self._current = 0  # the number of the value that is being read, and where its parts go
        self._parts: list[str] | None = None

    @property
    def in_string(self) -> bool:
        """Whether the next text belongs to a string: a tag is then only text."""
        return self._json is not None and self._json.in_string

    @property
    def whole(self) -> bool:
        """Whether the text so far is whole JSON, so that everything that looked like a string was one."""
        return self._json is not None and self._json.whole

    def feed(self, text: str) -> NewArguments:
        """Take text from inside the block."""
        if self._json is None:
            text = self._read_head(text)
        if self._json is None:
            return []
        return self._read_json(text, self._json)

    def keep(self, text: str) -> None:
        """Note text of the block as written. It becomes the arguments if the block is no call and none were emitted."""
        if not self._sealed:
            self._raw.append(text)

    def seal(self) -> None:
        """If the block is no call it ends here."""
        self._sealed = True

    def close(self, tag: Tag) -> NewArguments:
        """The block ends with ``tag``; it contains a call unless there is now a ``problem``."""
        name = self._read_name()
        self.problem = self._problem_at_end(tag, name)
        if self.problem:
            return []
        self.call = self.call or TextCall(name)
        rest = "{}" if self._args is None else "".join(self._args[self._emitted :]) + self._bracket
        return [self.call.grow(rest)] if rest else []

    def give_up(self) -> NewArguments:
        """The block has ended and was no call. It becomes one all the same, so that the model gets an answer."""
        emitted = []
        if self.call is None:
            self.call = TextCall(self._read_name() or UNNAMED)
            emitted.append(self.call.grow("".join(self._raw)))
        self.call.problem = self.problem or "it never ends"
        return emitted

    def _problem_at_end(self, tag: Tag, name: str) -> str:
        if not self.whole:
            return "it ends too early"
        if tag is not (end := END_OF[self._tag]):
            return f"{tag} stands where {end} is expected"
        if self._args is None and self._other is not None:
            return f'it has {json.dumps(self._other)} where "args" is expected'
        if self._again:
            return f'it has "{self._again}" twice'
        return "" if name else "it has no name"

    # --- the forms --------------------------------------------------------------------------------------

    def _read_head(self, text: str) -> str:
        """Read until the JSON begins; returns the text that belongs to the JSON."""
        if self._colon_name is None:
            text, self._head = (self._head + text).lstrip(), ""
            if text.startswith("{"):
                self._json = RepairedJson(depth=1)
                return text
            if _COLON_FORM.startswith(text):
                self._head = text
                return ""
            if not text.startswith(_COLON_FORM):
                self.problem = "it is neither {...} nor call:NAME{...}"
                return ""
            self._colon_name = []
            text = text.removeprefix(_COLON_FORM)
        return self._read_colon_name(self._colon_name, text)

    def _read_colon_name(self, pieces: list[str], text: str) -> str:
        name, rest = text[: (end := _COLON_NAME.match(text).end())], text[end:]  # type: ignore[union-attr]
        pieces.append(name)
        if rest.startswith("{"):
            self._json = RepairedJson(depth=0)
        elif rest:
            self.problem = f"{rest[0]!r} is no part of a name"
        return rest

    def _read_json(self, text: str, machine: RepairedJson) -> NewArguments:
        for part in machine.feed(text):
            if part.value > self._current:
                self._current = part.value
                self._begin_value("args" if self._colon_name is not None else machine.keys[part.value - 1])
            if part.value and self._parts is not None:
                self._take(part, self._parts)
        self.problem = machine.problem
        return self._emit()

    def _take(self, part: Part, parts: list[str]) -> None:
        if part.closes and parts is self._args:
            self._bracket = part.text
        else:
            parts.append(part.text)

    def _begin_value(self, key: str) -> None:
        """A value begins. If a member comes twice the last counts, but emitted pieces cannot be taken back."""
        if key not in ("name", "args"):
            self._other, self._parts = key, None
        elif self.call is not None:
            self._again, self._parts = key, None
        elif key == "name":
            self._name = self._parts = []
        else:
            self._args = self._parts = []
            self._bracket = ""
            if name := self._read_name():
                self.call = TextCall(name)

    def _read_name(self) -> str:
        """The name, or ``""`` if there is none; a value that is no text is returned, too."""
        if self._colon_name is not None:
            return "".join(self._colon_name).strip()
        text = "".join(self._name)
        if not text.startswith('"'):
            return ""
        try:
            return sendable(json.loads(text))
        except ValueError:
            return ""

    def _emit(self) -> NewArguments:
        """The new pieces of the arguments."""
        if self.call is None or self._args is None or self._emitted == len(self._args):
            return []
        text = "".join(self._args[self._emitted :])
        self._emitted = len(self._args)
        return [self.call.grow(text)]
