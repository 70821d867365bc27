"""What ``harness.api`` looks like from outside: every name with its signature, its fields and its methods.

``python tests/api/surface.py`` writes it to ``tests/api/surface.txt``. A change there is a change for other packages:
docs/compatibility.md says what may change, and a file in changes/ must name it.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.ground.cached import cached_property

FILE = Path(__file__).with_name("surface.txt")
PLAIN = (type(None), str, int, float, bool)


def surface(module: ModuleType) -> str:
    """The names of a module in ``__all__``, one paragraph each."""
    return "\n".join("\n".join(described(name, getattr(module, name))) + "\n" for name in module.__all__)


def described(name: str, value: object) -> Iterator[str]:
    """A name, and below it the members of a class that is ours."""
    if inspect.isclass(value) and value.__module__.startswith("harness"):
        yield f"class {name}({', '.join(base.__name__ for base in value.__bases__ if base is not object)})"
        yield from sorted(f"    {member}" for member in members(value))
    elif inspect.isfunction(value := inspect.unwrap(value)):
        yield f"def {name}{signature(value)}"
    elif name.isupper():
        yield f"{name}: {type(value).__name__}"
    else:
        yield f"{name} = {str(value).replace('typing.', '')}"


SPECIAL = ("__init__", "__call__", "__aiter__")


def members(value: type) -> Iterator[str]:
    """The fields, properties and public methods of a class and its bases; no fields that the constructor takes."""
    seen: set[str] = set()
    taken = set(inspect.signature(value).parameters) if dataclasses.is_dataclass(value) else set()
    for each in (each for each in value.__mro__ if each.__module__.startswith("harness")):
        fields = inspect.get_annotations(each)
        own = {**fields, **{name: found for name, found in vars(each).items() if name not in fields}}
        for name, found in own.items():
            if name in seen or (name.startswith("_") and name not in SPECIAL):
                continue
            seen.add(name)
            if name in fields:
                if name not in taken:
                    yield f"{name}: {found}"
            elif isinstance(found, property | cached_property):
                read = found.fget if isinstance(found, property) else found.func
                yield f"{name}: {inspect.get_annotations(read).get('return')} (property)"
            elif function := unwrapped(found):
                yield f"{name}{signature(function)}"


def unwrapped(found: object) -> Any:
    """The function of a method; None for anything else."""
    inner = getattr(found, "__func__", found)
    return inner if inspect.isfunction(inner) else None


def signature(function: Any) -> str:
    """With the defaults that are plain values; ``...`` for any other."""
    found = inspect.signature(function)
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown: list[str] = []
    before = None
    for parameter in found.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and before not in (parameter.kind, "*"):
            shown.append("*")
        if before is inspect.Parameter.POSITIONAL_ONLY and parameter.kind is not before:
            shown.append("/")
        before = "*" if parameter.kind is inspect.Parameter.VAR_POSITIONAL else parameter.kind
        shown.append(stars.get(parameter.kind, "") + one(parameter))
    if before is inspect.Parameter.POSITIONAL_ONLY:
        shown.append("/")
    result = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    return f"({', '.join(shown)}){result}"


def one(parameter: inspect.Parameter) -> str:
    """A parameter with its type and its default."""
    kind = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
    if parameter.default is parameter.empty:
        return f"{parameter.name}{kind}"
    default = repr(parameter.default) if isinstance(parameter.default, PLAIN) else "..."
    return f"{parameter.name}{kind} = {default}"


if __name__ == "__main__":
    import harness.api

    FILE.write_text(surface(harness.api), encoding="utf-8")
    sys.stdout.write(f"{FILE} is written\n")
