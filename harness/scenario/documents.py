"""A YAML file as plain data, with the place of every value: the subset of YAML 1.2 that scenarios are written in.

PyYAML's C parser reads the syntax. This module decides what the words mean:

- ``null ~ true false`` and JSON's numbers have their meaning in JSON. All other plain words are text, so ``no``,
  ``on``, ``012``, ``1:30`` and ``2026-07-28`` are texts (PyYAML by itself reads YAML 1.1).
- A key that comes twice is refused (PyYAML keeps the last one silently).
- Tags are refused except ``!include FILE``: the text of a file of the same tree.
- Aliases work, but their expansion is limited, so a small file cannot become a huge one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, Protocol

import yaml

from harness.errors import BadInput
from harness.ground.bounded_yaml import BoundedLoader
from harness.ground.disk import problem
from harness.scenario.words import first_problems, shown

MAX_BYTES = 1_000_000
"""How large a scenario or an included file may be."""

MAX_VALUES = 20_000
"""How many values a file may hold once its aliases are expanded."""

MAX_DEPTH = 50
"""How deep values may be nested."""

_STR = "tag:yaml.org,2002:str"
_CONSTANTS = {"null": None, "Null": None, "NULL": None, "~": None, "": None}
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class _Loader(BoundedLoader):
    """PyYAML's C parser with the scalars of YAML 1.2 instead of YAML 1.1."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - PyYAML's own protocol

    most_levels = MAX_DEPTH


_IMPLICIT = (
    ("null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""]),
    ("bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF")),
    ("int", re.compile(r"-?(?:0|[1-9][0-9]*)\Z"), list("-0123456789")),
    ("float", re.compile(r"-?(?:0|[1-9][0-9]*)(?=[.eE])(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z"), list("-0123456789")),
)
for _name, _pattern, _first in _IMPLICIT:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", _pattern, _first)


@dataclass(frozen=True, slots=True)
class Key:
    """The last element of a location that means the key itself and not its value."""

    name: str


Location = Sequence[str | int | Key]
"""The way from the top of a file to a value: keys and indices. Elements that lead nowhere are passed over."""


class Problem(Protocol):
    """Notes a problem at a place of a file."""

    def __call__(self, location: Location, expected: str, got: str, remedy: str) -> None: ...


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file; line and column count from 1."""

    path: Path
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


class Document:
    """A file that has been read: its ``data``, and the place of each value."""

    def __init__(self, path: Path, text: str, node: yaml.Node, data: Any) -> None:
        self.path = path
        self.data = data
        self._text = text
        self._node = node

    def place(self, location: Location = ()) -> FilePlace:
        """The place of the value, or of the last existing element on the way to it."""
        return self._at(self._find(location))

    def place_inside(self, location: Location, offset: int) -> FilePlace:
        """Where the character ``offset`` of the text at ``location`` stands in the file.

        It is exact for block texts (``|``) and for texts on one line without escapes; otherwise the place of the text.
        """
        node = self._find(location)
        place = self._at(node)
        if not isinstance(node, yaml.ScalarNode):
            return place
        if node.style == "|":
            return self._inside_block(node, offset)
        quote = 1 if node.style in ("'", '"') else 0
        width = node.end_mark.index - node.start_mark.index
        exact = node.style != ">" and width == len(node.value) + 2 * quote
        return FilePlace(self.path, place.line, place.column + quote + offset) if exact else place

    def _inside_block(self, node: yaml.ScalarNode, offset: int) -> FilePlace:
        before = node.value[:offset]
        row = before.count("\n")
        line = node.start_mark.line + 1 + row
        in_value = node.value.split("\n")[row]
        in_file = self._text.splitlines()[line] if line < len(self._text.splitlines()) else ""
        indent = max(len(in_file) - len(in_value), 0)
        return FilePlace(self.path, line + 1, indent + offset - (before.rfind("\n") + 1) + 1)

    def _at(self, node: yaml.Node) -> FilePlace:
        return FilePlace(self.path, node.start_mark.line + 1, node.start_mark.column + 1)

    def _find(self, location: Location) -> yaml.Node:
        node = self._node
        for element in location:
            if isinstance(element, Key):
                return next((key for key, _ in _pairs(node) if key.value == element.name), node)
            if isinstance(element, int):
                items = node.value if isinstance(node, yaml.SequenceNode) else []
                node = items[element] if element < len(items) else node
            else:
                node = next((value for key, value in _pairs(node) if key.value == element), node)
        return node


def _pairs(node: yaml.Node) -> list[tuple[yaml.Node, yaml.Node]]:
    return node.value if isinstance(node, yaml.MappingNode) else []


def read(path: Path, root: Path, kind: str = "scenario") -> Document:
    """Read one file. ``!include`` may name files below ``root`` only. Raises ``BadInput``.

    ``kind`` is what the file should be, and its first key.
    """
    text = _text_of(path, f"{path}:1:1")
    node = _compose(path, text, kind)
    builder = _Builder(path, root)
    data = builder.build(node, ())
    if builder.problems:
        raise BadInput(*first_problems(path, builder.problems, len(builder.problems)))
    return Document(path, text, node, data)


def read_head(path: Path) -> dict[str, str]:
    """Only the texts at the top of a file, by key. Raises ``BadInput``."""
    node = _compose(path, _text_of(path, f"{path}:1:1"))
    return {key.value: value.value for key, value in _pairs(node) if value.tag == _STR}


def _text_of(path: Path, place: str) -> str:
    try:
        status = path.stat()
        if not (S_ISREG(status.st_mode) or S_ISDIR(status.st_mode)):  # a pipe would be waited for
            raise BadInput(f"{place}: expected a file, {path} is a pipe or a device; correct the path")
        if status.st_size > MAX_BYTES:
            raise BadInput(f"{place}: expected at most {MAX_BYTES:,} bytes, {path} has more; use a smaller file")
        return path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{place}: expected UTF-8, {path} is not (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        found = problem(error, f"{place}: expected a readable file, {path}")
        raise BadInput(f"{found}; correct the path") if isinstance(found, BadInput) else found from None


def _compose(path: Path, text: str, kind: str = "scenario") -> yaml.Node:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        context = f" {error.context}" if error.context else ""
        source = text.splitlines()[line - 1].strip() if line <= len(text.splitlines()) else ""
        raise BadInput(
            f"{path}:{line}:{column}: expected YAML, got {shown(source)}: {error.problem}{context}; correct the syntax"
        ) from None
    except yaml.reader.ReaderError as error:
        # The C parser counts the bytes of UTF-8.
        before = text.encode()[: error.position].decode(errors="ignore")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise BadInput(
            f"{path}:{line}:{column}: expected printable text, got U+{error.character:04X}; write it as an escape"
        ) from None
    finally:
        loader.dispose()
    if node is None:
        raise BadInput(f"{path}:1:1: expected a {kind}, got an empty file; begin with '{kind}: NAME'")
    return node


class _Builder:
    """Turns nodes into plain data and collects everything that is wrong on the way."""

    def __init__(self, path: Path, root: Path) -> None:
        self.problems: list[str] = []
        self._path = path
        self._root = root
        self._values = 0

    def build(self, node: yaml.Node, above: tuple[yaml.Node, ...]) -> Any:
        self._values += 1
        if self._values == MAX_VALUES:
            self._problem(node, f"expected at most {MAX_VALUES:,} values, got more", "use fewer aliases")
        if self._values >= MAX_VALUES:
            return None
        if len(above) > MAX_DEPTH:
            return self._problem(
                node, f"expected values nested at most {MAX_DEPTH} deep, got more", "use fewer aliases"
            )
        if any(node is outer for outer in above):
            return self._problem(node, "expected a value, got an alias of its own parent", "write the value out")
        match node:
            case yaml.MappingNode(tag="tag:yaml.org,2002:map"):
                return self._mapping(node, (*above, node))
            case yaml.SequenceNode(tag="tag:yaml.org,2002:seq"):
                return [self.build(item, (*above, node)) for item in node.value]
            case yaml.ScalarNode():
                return self._scalar(node)
            case _:
                return self._problem(node, f"expected plain YAML, got the tag {node.tag}", "remove the tag")

    def _mapping(self, node: yaml.MappingNode, above: tuple[yaml.Node, ...]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag != _STR:
                what = shown(key.value) if isinstance(key, yaml.ScalarNode) else "a list or mapping"
                self._problem(key, f"expected a text as key, got {what}", "put it in quotes")
            elif key.value in data:
                self._problem(key, f"expected every key once, got {shown(key.value)} again", "remove one of them")
            else:
                data[key.value] = self.build(value, above)
        return data

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        match node.tag:
            case "tag:yaml.org,2002:str":
                return node.value
            case "tag:yaml.org,2002:null" if node.value in _CONSTANTS:
                return None
            case "tag:yaml.org,2002:bool" if node.value in _BOOLEANS:
                return _BOOLEANS[node.value]
            case "tag:yaml.org,2002:int" if _IMPLICIT[2][1].match(node.value):
                return self._integer(node)
            case "tag:yaml.org,2002:float" if _IMPLICIT[3][1].match(node.value):
                return self._float(node)
            case "!include":
                return self._include(node)
            case _:
                return self._problem(
                    node, f"expected plain YAML, got the tag {node.tag}", "remove it; the only tag is !include FILE"
                )

    def _integer(self, node: yaml.ScalarNode) -> Any:
        if len(node.value) > 20:
            return self._problem(node, f"expected a number, got {len(node.value)} digits", "put it in quotes")
        return int(node.value)

    def _float(self, node: yaml.ScalarNode) -> Any:
        value = float(node.value)
        if isinf(value):
            return self._problem(node, f"expected a number, got {shown(node.value)}, which is too large", "correct it")
        return value

    def _include(self, node: yaml.ScalarNode) -> Any:
        place = f"{self._path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"
        target = self._path.parent / node.value
        if "\0" in node.value or not target.resolve().is_relative_to(self._root.resolve()):
            return self._problem(
                node,
                f"expected a file inside {self._root}, got {shown(node.value)}",
                "move the file, or give the folder that contains both",
            )
        try:
            return _text_of(target.resolve(), place)
        except BadInput as error:
            self.problems.extend(error.problems)
            return ""

    def _problem(self, node: yaml.Node, what: str, remedy: str) -> None:
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        self.problems.append(f"{self._path}:{line}:{column}: {what}; {remedy}")
