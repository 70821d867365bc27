"""``[tool.harness]`` in pyproject.toml: a project's defaults of options.

The file is the nearest pyproject.toml at or above the working directory. Paths in it are relative to its folder. The
command line overrides it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from harness.cli.parser import Parser, near
from harness.errors import BadInput
from harness.wire import wire_names

if TYPE_CHECKING:
    import argparse

CONFIGURED: Final = frozenset(
    {"run", "serve", "doctor", "watch", "check", "lint-request", "record", "lint-cassette", "list"}
)
"""The commands that take defaults from the file, besides ``baseline update`` and ``baseline prune``."""

_FILE: Final = "pyproject.toml"


@dataclass(frozen=True)
class _Key:
    """A key: the option that it sets, by argparse's name, and a description of its value.

    ``read`` takes the key's value and the folder of the file. It returns the option's value or raises ``_Unfit``.
    """

    option: str
    expected: str | Callable[[], str]
    read: Callable[[Any, Path], Any]

    @property
    def values(self) -> str:
        """A description of the value. Names of what is installed are looked up only when they are needed."""
        return self.expected if isinstance(self.expected, str) else self.expected()


class _Unfit(Exception):
    """The value is not what was expected. Its text is a hint, or empty."""


# --- values ----------------------------------------------------------------------------------------------------


def _text(value: Any, folder: Path) -> str:  # noqa: ARG001 - every reader is given the folder
    if not isinstance(value, str) or not value:
        raise _Unfit
    return value


def _texts(value: Any, folder: Path) -> list[str]:
    """One text, or a list of them."""
    return [_text(each, folder) for each in (value if isinstance(value, list) else [value])]


def _wires(value: Any, folder: Path) -> list[str]:
    names = _texts(value, folder)
    for name in names:
        if name not in wire_names():
            raise _Unfit(near(name, wire_names()))
    return names


def _some_wires() -> str:
    return f"some of {', '.join(wire_names())}"


def _flag(value: Any, folder: Path) -> bool:  # noqa: ARG001 - every reader is given the folder
    if not isinstance(value, bool):
        raise _Unfit
    return value


def _sealing(value: Any, folder: Path) -> str:
    return "required" if _flag(value, folder) else "off"


def _number(least: int) -> Callable[[Any, Path], int]:
    def read(value: Any, folder: Path) -> int:  # noqa: ARG001 - every reader is given the folder
        if type(value) is not int or value < least:
            raise _Unfit
        return value

    return read


def _seconds(value: Any, folder: Path) -> float:  # noqa: ARG001 - every reader is given the folder
    if type(value) not in (int, float) or not 0 < value < float("inf"):
        raise _Unfit
    return float(value)


def _path(value: Any, folder: Path) -> Path:
    return Path(os.path.relpath(folder / _text(value, folder)))


def _paths(value: Any, folder: Path) -> list[Path]:
    return [_path(each, folder) for each in _texts(value, folder)]


def _target(value: Any, folder: Path) -> str:
    name = _text(value, folder)
    return str(_path(name, folder)) if name.endswith((".yaml", ".yml")) else name


def _baseline(value: Any, folder: Path) -> str:
    return "none" if value == "none" else str(_path(value, folder))


def _refuse(value: Any, folder: Path) -> str:
    if value not in ("must", "should", "info", "nothing"):
        raise _Unfit
    return _text(value, folder)


_LIST: Final = "a text, or a list of texts"

KEYS: Final[Mapping[str, _Key]] = {
    "target": _Key("target", "a target, as --target has it", _target),
    "paths": _Key("paths", "a path, or a list of paths", _paths),
    "suites": _Key("suites", _LIST, _texts),
    "wires": _Key("wires", _some_wires, _wires),
    "rules": _Key("rules", _LIST, _texts),
    "skip": _Key("without", _LIST, _texts),
    "info": _Key("info", "true or false", _flag),
    "refuse": _Key("refuse", "must, should, info or nothing", _refuse),
    "timeout": _Key("deadline", "a number of seconds above 0", _seconds),
    "jobs": _Key("jobs", "a whole number from 1 on", _number(1)),
    "seed": _Key("seed", "a whole number from 0 on", _number(0)),
    "baseline": _Key("baseline", "a path, or 'none'", _baseline),
    "cassettes": _Key("cassettes", "a path", _path),
    "out": _Key("out", "a path", _path),
    "max-findings": _Key("max_findings", "a whole number from 0 on", _number(0)),
    "fail-fast": _Key("fail_fast", "true or false", _flag),
    "isolate": _Key("sealing", "true or false", _sealing),
}
"""The keys of the table."""


# --- reading ---------------------------------------------------------------------------------------------------


def configure(command: Parser) -> None:
    """Take the defaults of a command's options from the file. Raises ``BadInput`` with every problem of the table."""
    file = _found(Path.cwd())
    if file is None:
        return
    values = _values(file)
    command.set_defaults(config=file)
    actions = {action.dest: action for action in command._actions}
    for option, value in values.items():
        if option in actions and _takes(actions[option], value):
            _default(actions[option], value)


def _found(start: Path) -> Path | None:
    """The nearest pyproject.toml with the table."""
    for folder in (start, *start.parents):
        file = folder / _FILE
        if file.is_file():
            return file if b"tool" in file.read_bytes() and _table(file) is not None else None
    return None


def _table(file: Path) -> Mapping[str, Any] | None:
    import tomllib

    content = file.read_bytes()
    try:
        tool = tomllib.loads(content.decode()).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        if b"tool.harness" not in content:
            return None  # whose file it is will say so
        raise BadInput(f"{_shown(file)}: cannot be read: {problem}; correct the file") from None
    table = tool.get("harness") if isinstance(tool, dict) else None
    if table is None or isinstance(table, dict):
        return table
    raise BadInput(f"{_place(file, 'harness')}: expected a table [tool.harness], got {table!r}")


def _values(file: Path) -> dict[str, Any]:
    """The table's values by the names that argparse has for their options."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in (_table(file) or {}).items():
        if name not in KEYS:
            hint = near(name, KEYS) or f"; known keys: {', '.join(KEYS)}"
            problems.append(f"{_place(file, name)}: [tool.harness] has an unknown key {name!r}{hint}")
            continue
        try:
            values[KEYS[name].option] = KEYS[name].read(value, file.parent)
        except _Unfit as hint:
            problems.append(f"{_place(file, name)}: {name}: expected {KEYS[name].values}, got {value!r}{hint}")
    if problems:
        raise BadInput(*problems)
    return values


def _takes(action: argparse.Action, value: Any) -> bool:
    """Whether the option has the same meaning in this command: it takes a list if the value is a list.

    Options that must be on the command line for safety (which scenarios are recorded, on which wires) are not taken.
    """
    if isinstance(value, list):
        return isinstance(action.default, list) and not action.required
    return True


def _default(action: argparse.Action, value: Any) -> None:
    action.default = value
    if not action.option_strings and action.nargs is None:  # TARGET of 'harness doctor'
        action.nargs, action.required = "?", False


# --- places ----------------------------------------------------------------------------------------------------


def _place(file: Path, key: str) -> str:
    """``FILE:LINE`` of a key, found by a search because tomllib does not keep the lines."""
    lines = file.read_text(encoding="utf-8").splitlines()
    headers = [number for number, line in enumerate(lines) if re.match(r"\s*\[\s*tool\s*\.\s*harness\s*\]", line)]
    named = re.compile(rf"""[^#]*?(?<![\w-])["']?{re.escape(key)}["']?\s*=""")
    for number in range(headers[0] if headers else 0, len(lines)):
        if named.match(lines[number]):
            return f"{_shown(file)}:{number + 1}"
    return f"{_shown(file)}:{headers[0] + 1}" if headers else _shown(file)


def _shown(file: Path) -> str:
    return os.path.relpath(file)
