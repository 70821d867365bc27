"""The environment of a command: the user's own, but that every provider's SDK in it finds the case's endpoint.

No key of the user reaches a command that is tested, and whatever asks for a proxy is led to the endpoint, which refuses
to hand anything on. Node has proxies by environment since version 24 only, so a guard is loaded into its processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from harness.targets.base import CaseRun
from harness.targets.command.given import case_id
from harness.targets.environment import endpoints, proxies, without_own

__all__ = ["GUARDED", "lasting_surroundings", "surroundings"]

GUARDED: Final = b"harness-guard: "
"""How the guard begins its lines on standard error."""

_GUARD: Final = Path(__file__).resolve().parent.parent / "node" / "guard.cjs"

_OURS: Final = frozenset({"HARNESS_MODEL_REASONS", "HARNESS_PROVIDER_HOSTS"})
"""Variables of ours that are there in some cases only: a value from outside means nothing."""


_OF_THE_CASE: Final = frozenset({"HARNESS_CASE_BASE_URL", "HARNESS_MODEL", "HARNESS_MODEL_REASONS", "HARNESS_WIRE"})


def surroundings(assignment: CaseRun, own: Mapping[str, str]) -> dict[str, str]:
    """The environment of the case's process; ``own`` is what it would have by itself."""
    kept = {name: value for name, value in without_own(own, assignment.api_key).items() if name not in _OURS}
    return {
        **kept,
        **_way(assignment),
        "NODE_OPTIONS": f"{own.get('NODE_OPTIONS', '')} --require {json.dumps(str(_GUARD))}".strip(),
        "HARNESS_CASE_BASE_URL": assignment.base_url,
        "HARNESS_WIRE": assignment.wire,
        "HARNESS_MODEL": assignment.model,
        **({"HARNESS_MODEL_REASONS": "1"} if assignment.reasons else {}),
    }


def lasting_surroundings(assignment: CaseRun, own: Mapping[str, str], address: str) -> dict[str, str]:
    """The environment of a process that runs ``assignment`` and other cases: it holds nothing of this case alone.

    The endpoint is at ``address`` there, as which the process is known to it (``CaseRun.alias``).
    """
    base_url = f"{assignment.base_url.rpartition('/')[0]}/{address}"
    case = replace(
        assignment, case=address, base_url=base_url if assignment.as_provider is None else assignment.base_url
    )
    return {name: value for name, value in surroundings(case, own).items() if name not in _OF_THE_CASE}


def _way(assignment: CaseRun) -> Mapping[str, str]:
    """How the command reaches the endpoint: by a base URL, or under the provider's own host."""
    if assignment.as_provider is not None:
        return assignment.as_provider.environment(case_id(assignment), assignment.api_key)
    return {
        **endpoints(assignment.base_url, assignment.api_key),
        **proxies(assignment.base_url, case_id(assignment)),
        **assignment.environment,
    }
