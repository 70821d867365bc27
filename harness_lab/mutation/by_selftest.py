"""The judge of the checks of requests: the parts of the self-test that break requests and loops, wire by wire.

Its traces judge the same checks only incidentally, and are left out.

The statements about small changes are one digest per rule, which needs all requests of a wire. Here every judgement is
compared with that of the same request without a mutant. The first difference ends it, because then a digest differs,
too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING
from zlib import crc32

from harness.errors import HarnessError
from harness_lab.mutation.forking import Limits, in_forks
from harness_lab.mutation.judging import Done, Fault

if TYPE_CHECKING:
    from harness_lab.selftest import Family
    from harness_lab.selftest.stated import Judgement

BELOW = (
    "openai",
    "anthropic",
    "google.genai",
    "httpx2",
    "PIL.Image",
    "pydantic",
    "jsonschema",
    "jsonschema_rs",
    "yaml",
)
"""Libraries that everything needs, and that import no rule."""


_STATED = "stated "
_LOOPS = "loops "


class Selftest:
    """Items are wires, ``stated WIRE`` for the statements about its requests, and ``loops WIRE`` for the broken loops
    and all scenarios of the sound one. The first failure ends it."""

    command = "harness lab selftest"

    def __init__(self) -> None:
        self._known: Mapping[str, Sequence[int]] = {}

    def preload(self) -> None:
        """Import the SDKs and the libraries that everything needs; nearly everything else imports rules. A fork, which
        may import rules, judges the requests."""
        for name in BELOW:
            import_module(name)
        (fork,) = in_forks(["all wires"], lambda _: _known(), lambda _: Limits(600, 3000), 1)
        if not fork.result or "crash" in fork.result:
            raise HarnessError(f"the requests of the selftest cannot be judged: {fork.result or fork.died}")
        self._known = fork.result

    def items(self) -> Sequence[str]:
        """The wires of the harness. The requests of each come twice: the statements about them end with the first
        fault.

        Loops take longest, and come last.
        """
        from harness.wire import OWN_WIRES, wire, wire_rules

        for name in OWN_WIRES:
            wire(name)
        wire_rules()  # what is made once is made before the first item
        return _items(OWN_WIRES)

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them: each takes a few seconds."""
        return items

    def about(self, module: str) -> Sequence[str]:
        """The items of the wire that the module belongs to."""
        from harness.wire import OWN_WIRES

        names = [name for name in OWN_WIRES if f".wire.{name.replace('-', '_')}." in module]
        return _items(names or OWN_WIRES)

    def run(self, items: Sequence[str], done: Done) -> None:
        """Run the parts in this process."""
        from harness_lab.selftest.requests import requests_of
        from harness_lab.selftest.scope import scope

        for item in items:
            kind, _, name = item.rpartition(" ")
            if kind == _STATED.strip():
                done(item, self._otherwise(name))
            elif kind == _LOOPS.strip():
                done(item, _fault(_loops_on(name)))
            else:
                done(item, _fault(requests_of(name, scope(), stated=False)))

    def _otherwise(self, name: str) -> Fault | None:
        """The first request of a wire that is judged otherwise than without a mutant."""
        from harness_lab.selftest.stated_requests import judgements, otherwise_when_remembered

        for known, found in zip(self._known[name], judgements(name), strict=True):
            if known != _digest(found):
                return "finding", f"{found.kind}, {found.on}: found otherwise: {(found.words or ('nothing',))[0]}"
        remembered = next(otherwise_when_remembered(name), None)
        return None if remembered is None else ("finding", remembered)


def _items(names: Sequence[str]) -> list[str]:
    return [*(f"{_STATED}{name}" for name in names), *names, *(f"{_LOOPS}{name}" for name in names)]


def _loops_on(name: str) -> Family:
    from harness_lab.selftest.loops import loops
    from harness_lab.selftest.scope import scope

    return asyncio.run(loops(scope(wires=[name])))


def _known() -> Mapping[str, Sequence[int]]:
    """The digests of all judgements of each wire, without a mutant."""
    from harness.wire import OWN_WIRES
    from harness_lab.selftest.stated_requests import judgements

    return {name: [_digest(each) for each in judgements(name)] for name in OWN_WIRES}


def _digest(judgement: Judgement) -> int:
    return crc32("\n".join(judgement.words).encode("utf-8", "backslashreplace"))


def _fault(family: Family) -> Fault | None:
    from harness_lab.selftest import SelftestSummary

    failures = SelftestSummary.of([family]).failures
    if not failures:
        return None
    return ("error" if all(failure.crash for failure in failures) else "finding"), failures[0].what
