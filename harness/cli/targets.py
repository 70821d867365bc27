"""``harness targets``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from textwrap import wrap

from harness.baseline.loader import load
from harness.baseline.places import find
from harness.errors import BadInput
from harness.gateway import Gateway
from harness.loop.policy import POLICIES
from harness.report.json_output import ListedTarget, TargetList, as_json
from harness.runner.opening import open_target
from harness.targets import CAPABILITIES, Declaration
from harness.targets.shipped import SHIPPED, Shipped
from harness.trace.kinds import EVENTS
from harness.wire import WIRES

__all__ = ["list_targets"]

_WIDTH = 100
_NAME = max(len(name) for name in ("package.module:function", *SHIPPED))
_OWN = {
    "package.module:function": "a loop of yours in Python: a function, or a class with a method 'run'",
    "cmd:COMMAND": "a loop of yours in any language: a command, started once for every case",
}

_REFERENCE = "the loop inside, by the policy of each scenario's profile"
_WIRE_ONLY = "the same without provider SDKs"


def list_targets(*, format: str = "terminal") -> int:
    """Print every target: what it is, what of it is installed, and what it declares.

    ``format``: ``terminal``, or ``json`` (``report.json_output.TargetList``).
    """
    if format == "json":
        print(as_json(TargetList(tuple(_listed()))))
        return 0
    for line in _lines():
        print(line)
    return 0


def _lines() -> Iterator[str]:
    yield from _entry("reference", _REFERENCE, _declared("reference"))
    yield from _named("reference:PRESET", f"the same by one policy, for its own profile: {', '.join(POLICIES)}")
    yield from _entry("wire-only", _WIRE_ONLY, _declared("wire-only"))
    yield from _named("mutant:NAME", "the same with one thing broken, for a named rule to find")
    for shipped in SHIPPED.values():
        yield from _entry(shipped.name, shipped.summary, shipped.declaration, shipped)
    for name, summary in _OWN.items():
        yield from _named(name, summary)


def _listed() -> Iterator[ListedTarget]:
    yield _target("reference", _REFERENCE, _declared("reference"))
    for preset in POLICIES:
        name = f"reference:{preset}"
        yield _target(name, "the loop inside, by this one policy", _declared(name))
    yield _target("wire-only", _WIRE_ONLY, _declared("wire-only"))
    for shipped in SHIPPED.values():
        yield _with_packages(_target(shipped.name, shipped.summary, shipped.declaration), shipped)


def _target(name: str, summary: str, declared: Declaration) -> ListedTarget:
    file = find(name)
    return ListedTarget(
        name,
        summary,
        tuple(wire for wire in WIRES if wire in declared.wires),
        tuple(sorted(declared.profiles)),
        tuple(each for each in CAPABILITIES if each in declared.capabilities),
        None if declared.tells is None else tuple(each for each in EVENTS if each in declared.tells),
        tuple(sorted(declared.declines)),
        baseline=None if file is None else str(file),
        expected=0 if file is None else len(load(file, drafts=True).entries),
    )


def _with_packages(target: ListedTarget, shipped: Shipped) -> ListedTarget:
    state, said = _installed(shipped)
    versions = {package: found for package, found in shipped.versions.items() if found is not None}
    missing = tuple(said) if state == "missing" else ()
    return replace(target, installed=not missing, versions=versions, missing=missing)


def _declared(name: str) -> Declaration:
    target = open_target(name, Gateway())
    try:
        return target.declaration
    finally:
        asyncio.run(target.close())


def _entry(name: str, summary: str, declared: Declaration, shipped: Shipped | None = None) -> Iterator[str]:
    yield from _named(name, summary)
    if shipped is not None:
        yield from _said(*_installed(shipped))
    yield from _said("wires", [wire for wire in WIRES if wire in declared.wires])
    yield from _said("profiles", sorted(declared.profiles))
    yield from _said("can", [_can(declared)])
    yield from _said("tells", _told(declared))
    yield from _said("declined", sorted(declared.declines))
    if shipped is not None and (file := find(name)) is not None:
        yield from _said("expected", [f"{len(load(file, drafts=True).entries)} entries in {file}"])


def _can(declared: Declaration) -> str:
    lacking = [each for each in CAPABILITIES if each not in declared.capabilities]
    return f"everything but {', '.join(lacking)}" if lacking else "everything"


def _told(declared: Declaration) -> list[str]:
    if declared.tells is None:
        return ["what comes"]
    return ["everything"] if declared.tells >= set(EVENTS) else [each for each in EVENTS if each in declared.tells]


def _installed(shipped: Shipped) -> tuple[str, list[str]]:
    """What of a target is installed, or what there is to do."""
    missing = [package for package, found in shipped.versions.items() if found is None]
    if missing:
        return "missing", [f"{', '.join(missing)}; {shipped.install}"]
    try:
        shipped.open()
    except BadInput as why:
        return "missing", list(why.problems)
    return "versions", [f"{package} {found}" for package, found in shipped.versions.items()]


def _named(name: str, summary: str) -> Iterator[str]:
    yield from _beside(f"{name:<{_NAME}}", summary)


def _said(key: str, words: list[str]) -> Iterator[str]:
    yield from _beside(f"  {key:<9}", ", ".join(words))


def _beside(left: str, text: str) -> Iterator[str]:
    """The text to the right of ``left``, on as many lines as it takes."""
    lines = wrap(text, _WIDTH - len(left) - 1, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        yield f"{left if number == 0 else ' ' * len(left)} {line}"
