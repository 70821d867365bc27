"""The loops of the gallery as targets: ``harness fuzz loop --target gallery:NAME``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from harness.endpoint import Endpoints
from harness.targets.base import Target
from harness.targets.extra import require_reference

if TYPE_CHECKING:
    from harness.fuzz.loop.stage import LoopSubject


class _Gallery:
    summary: Final = "the same with a published mistake, for 'harness fuzz loop' to find"

    def names(self) -> Sequence[str]:
        from harness_lab.gallery.loop import LOOPS

        return tuple(LOOPS)

    def open(self, name: str, endpoints: Endpoints) -> Target:
        require_reference(f"--target gallery:{name}")
        from harness.endpoint.transport import EndpointTransport
        from harness.targets.clients import Clients
        from harness.targets.reference import ReferenceTarget
        from harness_lab.gallery.loop import LOOPS

        return ReferenceTarget(Clients(EndpointTransport(endpoints)), name=f"gallery:{name}", seams=LOOPS[name])

    def subject(self, name: str) -> LoopSubject:
        from harness.fuzz.loop.stage import LoopSubject, Stage
        from harness.targets.wire_only import wire_only
        from harness_lab.gallery.loop import LOOPS

        def bare(endpoints: Endpoints) -> Target:
            return replace(wire_only(endpoints), name=f"gallery:{name}", seams=LOOPS[name])

        return LoopSubject(Stage(lambda endpoints: self.open(name, endpoints)), Stage(bare), ours=True)


GALLERY: Final = _Gallery()
