"""Tables beside the code, as YAML files: what is wrong in one is named with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import IO, Any

import yaml

from harness.errors import BadInput
from harness.ground.bounded_yaml import BoundedLoader


class Lined(dict[str, Any]):
    """A mapping that knows on which line of ``path`` each of its members is."""

    path: str
    lines: Mapping[str, int]

    @contextmanager
    def at(self, name: str) -> Iterator[None]:
        """Raises ``BadInput`` with the place of a member that cannot be used."""
        try:
            yield
        except (AttributeError, KeyError, TypeError, ValueError) as problem:
            raise BadInput(f"{self.path}, line {self.lines[name]}: {name}: {problem}") from problem


class LinedLoader(BoundedLoader):
    """Makes each mapping a ``Lined``."""

    def mapping(self, node: yaml.MappingNode) -> Iterator[Lined]:
        """A mapping with its lines; filled in later, as PyYAML has it of what may contain itself."""
        made = Lined()
        yield made
        made.path, made.lines = node.start_mark.name, {key.value: key.start_mark.line + 1 for key, _ in node.value}
        if len(made.lines) < len(node.value):
            problem = "a name is there twice in this mapping"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        made.update(self.construct_mapping(node))  # type: ignore[arg-type]


LinedLoader.add_constructor("tag:yaml.org,2002:map", LinedLoader.mapping)


def read_data(path: Path) -> Any:
    """What a file says, its mappings as ``Lined``. Raises ``BadInput`` if it is no YAML, or has a name twice."""
    with path.open("rb") as stream:
        return _read(stream)


def read_data_in(text: str, name: str) -> Any:
    """What a text says that is called ``name`` in messages. Raises ``BadInput`` as ``read_data`` does."""
    stream = StringIO(text)
    stream.name = name
    return _read(stream)


def _read(stream: IO[Any]) -> Any:
    try:
        return yaml.load(stream, Loader=LinedLoader)  # noqa: S506 - it is a safe loader
    except yaml.YAMLError as problem:
        raise BadInput(str(problem)) from problem


def with_tuples(members: Mapping[str, Any]) -> dict[str, Any]:
    """Members for a frozen class: what is a list in the file is a tuple."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in members.items()}
