"""The mutants as targets: ``harness run --target mutant:NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.endpoint import Endpoints
from harness.targets.base import Target
from harness.targets.extra import require_reference


class _Mutants:
    summary: Final = "the same with one thing broken, for a named rule to find"

    def names(self) -> Sequence[str]:
        from harness_lab.mutants.loops import LOOPS

        return tuple(LOOPS)

    def open(self, name: str, endpoints: Endpoints) -> Target:
        require_reference(f"--target mutant:{name}")
        from harness.endpoint.transport import EndpointTransport
        from harness_lab.mutants.loops import LOOPS

        return LOOPS[name].build(EndpointTransport(endpoints))


MUTANTS: Final = _Mutants()
