"""Reads a YAML or JSON file as plain values, with the lines on which the elements of its lists begin.

Nothing in the file is executed: tags for objects of a language are refused, except the two that recorders write for
text. Nor can a file cause excessive memory use: aliases that expand to too much, and too deep nesting, are refused.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from harness.errors import BadInput
from harness.ground.bounded_yaml import BoundedLoader
from harness.ground.disk import problem
from harness.ground.encoding import MOST_BYTES
from harness.ground.json_places import line_starts, members, offset, repeated

_MOST_VALUES: Final = 5_000_000
"""Most values in a YAML file, with every alias counted as the values that it names."""


@dataclass(frozen=True, slots=True)
class CassetteDocument:
    """A value with lines, counted from 1. ``lines(*path)``: where the elements of the list at the path of names begin.

    ``line(name)`` is the line on which the value of the top-level member ``name`` begins, ``first`` the first line.
    """

    value: Any
    lines: Callable[..., Sequence[int]]
    line: Callable[[str], int]
    first: int = 1


def read_document(path: Path, content: bytes | None = None) -> CassetteDocument:
    """Read a file, or ``content`` if it has been read. Raises ``BadInput`` with the place of the mistake."""
    text = text_of(path, content)
    if text.startswith(("event:", "data:")):
        raise BadInput(f"{path}:1: expected a cassette, got the events of one response")
    return read_documents(path, text, single=True)[0]


def read_documents(path: Path, text: str, *, single: bool = False) -> list[CassetteDocument]:
    """The one value of JSON text, or the documents of YAML text; with ``single`` there may be only one.

    Raises ``BadInput`` with the place of the mistake, and if there is no document.
    """
    if not text.strip():
        raise BadInput(f"{path}: is empty; expected a cassette")
    try:
        return [_json(path, text)] if text.lstrip()[0] in "{[" else _yaml(path, text, single=single)
    except RecursionError as error:
        raise BadInput(f"{path}: is nested too deeply to be a cassette") from error


def text_of(path: Path, content: bytes | None = None) -> str:
    """The text of a cassette file, or of ``content``. Raises ``BadInput`` if it is no text, or too long."""
    try:
        return (bytes_of(path) if content is None else _short(path, content)).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise BadInput(f"{path}:{line}: expected a cassette in UTF-8, got the byte 0x{byte:02x}") from error


def bytes_of(path: Path) -> bytes:
    """The bytes of a file. Raises ``BadInput`` if it cannot be read or is too long.

    A file without a length (a pipe, a device) may never end.
    """
    try:
        with path.open("rb") as file:
            too_long = os.fstat(file.fileno()).st_size > MOST_BYTES
            return _short(path, None if too_long else file.read(MOST_BYTES + 1))
    except OSError as error:
        raise problem(error, f"{path}: cannot be read") from error


def _short(path: Path, content: bytes | None) -> bytes:
    if content is None or len(content) > MOST_BYTES:
        raise BadInput(f"{path}: is too long; cassettes of up to {MOST_BYTES >> 20} MB are read")
    return content


# --- JSON ---------------------------------------------------------------------------------------------------


def _json(path: Path, text: str) -> CassetteDocument:
    try:
        value = json.loads(text, object_pairs_hook=_plain_object)
    except _StandsTwice as error:
        line_number = bisect_right(line_starts(text), repeated(text) or 0)
        raise BadInput(f"{path}:{line_number}: expected a cassette in JSON: {str(error)!r} is here twice") from error
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}:{error.colno}: expected JSON: {error.msg}") from error
    except ValueError as error:  # a number of thousands of digits
        raise BadInput(f"{path}: expected JSON: {error}") from error

    def lines(*names: str) -> list[int]:
        starts, at = line_starts(text), offset(text, names)
        return [] if at is None else [bisect_right(starts, place) for _, place in members(text, at)]

    def line(name: str) -> int:
        return bisect_right(line_starts(text), offset(text, [name]) or 0)

    return CassetteDocument(value, lines, line)


class _StandsTwice(Exception):
    """A duplicate member name: one of the two members would be lost silently."""


def _plain_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _StandsTwice(next(name for name in names if names.count(name) > 1))
    return found


# --- YAML ---------------------------------------------------------------------------------------------------


class _PlainLoader(BoundedLoader):
    """Loads plain values only. Dates stay text: a cassette needs none, and Python cannot represent some."""


def _text_as_it_is(loader: _PlainLoader, node: yaml.ScalarNode) -> str:
    return str(loader.construct_scalar(node))


def _binary(loader: _PlainLoader, node: yaml.ScalarNode) -> bytes:
    return loader.construct_yaml_binary(node)


def _first_text(loader: _PlainLoader, node: yaml.SequenceNode) -> Any:
    """The text of the object that vcrpy writes for header names of aiohttp."""
    (text,) = loader.construct_sequence(node)
    return text


def _plain_mapping(loader: _PlainLoader, node: yaml.MappingNode) -> Any:
    """A mapping. Duplicate names are refused: one of the two members would be lost silently."""
    seen: set[str] = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode):
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} is here twice", key.start_mark)
            seen.add(key.value)
    return loader.construct_mapping(node, deep=True)


_PlainLoader.add_constructor("!binary", _binary)
_PlainLoader.add_constructor("tag:yaml.org,2002:timestamp", _text_as_it_is)
_PlainLoader.add_constructor("tag:yaml.org,2002:map", _plain_mapping)
_PlainLoader.add_constructor("tag:yaml.org,2002:python/object/apply:multidict._multidict.istr", _first_text)


def _yaml(path: Path, text: str, *, single: bool) -> list[CassetteDocument]:
    loader = _PlainLoader(text)
    found: list[CassetteDocument] = []
    size = 0
    try:
        for root in _roots(loader, single=single):
            size += _size(root)
            if size > _MOST_VALUES:
                raise BadInput(
                    f"{path}: its aliases expand to more than {_MOST_VALUES} values; no recorder writes that"
                )
            found.append(_yaml_document(loader.construct_document(root), root))
    except yaml.MarkedYAMLError as error:
        raise BadInput(_yaml_problem(path, error)) from error
    except yaml.reader.ReaderError as error:
        line_number = text.encode()[: error.position].count(b"\n") + 1
        raise BadInput(f"{path}:{line_number}: expected text, got the character U+{error.character:04X}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise BadInput(f"{path}: expected a cassette in YAML: {' '.join(str(error).split())}") from error
    finally:
        loader.dispose()
    if not found:
        raise BadInput(f"{path}: is empty; expected a cassette")
    return found


def _roots(loader: _PlainLoader, *, single: bool) -> Iterator[yaml.Node]:
    if single:
        only = loader.get_single_node()
        yield from () if only is None else (only,)
        return
    while loader.check_node():
        if (node := loader.get_node()) is not None:
            yield node


def _yaml_document(value: Any, root: yaml.Node) -> CassetteDocument:
    def member(name: str, node: yaml.Node = root) -> yaml.Node:
        found: yaml.Node = next(node for key, node in node.value if key.value == name)
        return found

    def lines(*names: str) -> list[int]:
        node = root
        for name in names:
            node = member(name, node)
        return [element.start_mark.line + 1 for element in node.value]

    def line(name: str) -> int:
        return member(name).start_mark.line + 1

    return CassetteDocument(value, lines, line, root.start_mark.line + 1)


def _yaml_problem(path: Path, error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
    if error.problem and error.problem.startswith("could not determine a constructor"):
        tag = error.problem.rsplit(" ", 1)[-1]
        return f"{place}: the tag {tag} asks for an object; cassettes are read as plain values only"
    if error.problem and "expected a single document" in f"{error.context} {error.problem}":
        return f"{place}: expected one YAML document, got a second one; a recording of httpmock has several"
    return f"{place}: expected a cassette in YAML: {error.problem or error.context}"


def _size(root: yaml.Node) -> int:
    """How many values a node expands to. Raises ``RecursionError`` for one that contains itself."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(node: yaml.Node) -> int:
        if isinstance(node, yaml.ScalarNode):
            return 1
        if id(node) in sizes:
            return sizes[id(node)]
        if id(node) in open_nodes:
            raise RecursionError
        open_nodes.add(id(node))
        pairs = isinstance(node, yaml.MappingNode)
        inner = (each for pair in node.value for each in pair) if pairs else node.value
        sizes[id(node)] = total = 1 + sum(map(size, inner))
        return total

    return size(root)
