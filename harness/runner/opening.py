"""Targets by the names that people give them on the command line."""

from __future__ import annotations

import difflib

from harness.errors import BadInput
from harness.gateway import Gateway
from harness.loop.policy import POLICIES
from harness.targets import Target

__all__ = ["open_target"]


def open_target(name: str, gateway: Gateway) -> Target:
    """The target with this name, its requests led to ``gateway``. Raises ``BadInput`` for an unknown name.

    Imports no more than that target needs: ``wire-only`` takes no SDK, no HTTP client and no mutant with it.
    """
    match name.split(":", 1):
        case ["reference"]:
            return _reference(gateway, None, name)
        case ["reference", preset] if preset in POLICIES:
            return _reference(gateway, preset, name)
        case ["wire-only"]:
            from harness.targets.wire_only import wire_only

            return wire_only(gateway)
        case ["mutant", mutant]:
            from harness.gateway.transport import GatewayTransport
            from harness.mutants.loops import LOOPS

            if mutant in LOOPS:
                return LOOPS[mutant].build(GatewayTransport(gateway))
    raise BadInput(_unknown(name))


def _reference(gateway: Gateway, preset: str | None, name: str) -> Target:
    from harness.gateway.transport import GatewayTransport
    from harness.targets.clients import Clients
    from harness.targets.reference import ReferenceTarget

    return ReferenceTarget(Clients(GatewayTransport(gateway)), preset, name)


def _unknown(name: str) -> str:
    from harness.mutants.loops import LOOPS

    loops = ["reference", *(f"reference:{preset}" for preset in POLICIES), "wire-only"]
    known = [*loops, *(f"mutant:{mutant}" for mutant in LOOPS)]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"--target {name!r} is unknown{hint} Known: {', '.join(known)}"
