"""``harness targets``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from textwrap import wrap

from harness.baseline.loader import load
from harness.baseline.places import find
from harness.errors import BadInput
from harness.gateway import Gateway
from harness.loop.policy import POLICIES
from harness.targets import CAPABILITIES, Declaration
from harness.targets.extra import INSTALL, REFERENCE, unfit
from harness.targets.shipped import SHIPPED, Shipped
from harness.targets.wire_only import wire_only
from harness.trace.kinds import EVENTS
from harness.wire import WIRES

__all__ = ["list_targets"]

_WIDTH = 100
_NAME = max(len(name) for name in ("package.module:function", *SHIPPED))
_OWN = {
    "package.module:function": "a loop of yours in Python: a function, or a class with a method 'run'",
    "cmd:COMMAND": "a loop of yours in any language: a command, started once for every case",
}


def list_targets() -> int:
    """Print every target: what it is, what of it is installed, and what it declares."""
    for line in _lines():
        print(line)
    return 0


def _lines() -> Iterator[str]:
    bare = wire_only(Gateway())
    loop = replace(bare, wires=frozenset(WIRES))  # the same loop; only its sessions are on the SDKs
    yield from _ours("reference", "the loop inside, by the policy of each scenario's profile", loop.declaration)
    yield from _named("reference:PRESET", f"the same by one policy, for its own profile: {', '.join(POLICIES)}")
    yield from _ours("wire-only", "the same without provider SDKs", bare.declaration, ("Pillow",))
    yield from _named("mutant:NAME", "the same with one thing broken, for a named rule to find")
    for shipped in SHIPPED.values():
        yield from _third_party(shipped.name, shipped)
    for name, summary in _OWN.items():
        yield from _named(name, summary)


def _ours(name: str, summary: str, declared: Declaration, packages: Iterable[str] = tuple(REFERENCE)) -> Iterator[str]:
    """The reference loop, and what of its extra is missing."""
    yield from _named(name, summary)
    if problem := unfit(packages):
        yield from _said("missing", [f"{problem}; {INSTALL}"])
    yield from _declared(declared)


def _third_party(name: str, shipped: Shipped) -> Iterator[str]:
    yield from _named(name, shipped.summary)
    yield from _said(*_installed(shipped))
    yield from _declared(shipped.declaration)
    if (file := find(name)) is not None:
        yield from _said("expected", [f"{len(load(file, drafts=True).entries)} entries in {file}"])


def _declared(declared: Declaration) -> Iterator[str]:
    yield from _said("wires", [wire for wire in WIRES if wire in declared.wires])
    yield from _said("profiles", sorted(declared.profiles))
    yield from _said("can", [_can(declared)])
    yield from _said("tells", _told(declared))
    yield from _said("declined", sorted(declared.declines))


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
