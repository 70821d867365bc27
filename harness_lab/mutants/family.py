"""The mutants as targets: ``harness run --target mutant:NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from harness.endpoint import Endpoints
from harness.targets.base import Target
from harness.targets.extra import require_reference

if TYPE_CHECKING:
    from harness.fuzz.loop.stage import LoopSubject


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

    def subject(self, name: str) -> LoopSubject:
        from harness.endpoint.transport import EndpointTransport
        from harness.fuzz.loop.stage import LoopSubject, Stage
        from harness.wire import OWN_WIRES
        from harness_lab.mutants.loops import LOOPS

        mutant = LOOPS[name]
        sdk = Stage(lambda endpoints: mutant.build(EndpointTransport(endpoints)))
        blind = [each for each in OWN_WIRES if not mutant.needs(each) or each in mutant.unseen_on]
        return LoopSubject(sdk, Stage(mutant.build_wire_only), ours=True, blind=blind)


MUTANTS: Final = _Mutants()
