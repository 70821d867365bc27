"""Systems under test, each behind a small driver."""

from __future__ import annotations

import difflib

from harness.errors import BadInput
from harness.gateway import Gateway
from harness.targets.base import MODELS, Assignment, Target

__all__ = ["MODELS", "Assignment", "Target", "open_target"]


def open_target(name: str, gateway: Gateway) -> Target:
    """The target with this name, its requests led to ``gateway``. Raises ``BadInput`` for an unknown name."""
    from harness.gateway.transport import GatewayTransport
    from harness.loop import POLICIES
    from harness.mutants import LOOPS
    from harness.targets.clients import Clients
    from harness.targets.reference import ReferenceTarget

    transport = GatewayTransport(gateway)
    if name == "reference":
        return ReferenceTarget(Clients(transport))
    match name.split(":", 1):
        case ["reference", preset] if preset in POLICIES:
            return ReferenceTarget(Clients(transport), preset, name)
        case ["mutant", mutant] if mutant in LOOPS:
            return LOOPS[mutant].build(transport)
    known = ["reference", *(f"reference:{each}" for each in POLICIES), *(f"mutant:{each}" for each in LOOPS)]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise BadInput(f"--target {name!r} is unknown{hint} Known: {', '.join(known)}")
