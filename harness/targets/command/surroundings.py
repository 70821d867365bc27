"""The environment of a command: the user's own, but every provider's SDK finds the case's endpoint in it.

No secret of the user reaches a command that is tested, unless its target file names the variable. A client that uses a
proxy reaches the endpoint, which refuses to forward anything. Node has proxies by environment since version 24 only,
so a guard is loaded into its processes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from harness.targets.base import CaseRun
from harness.targets.command.case_line import case_id
from harness.targets.environment import endpoints, proxies, wins_over_endpoints, without_own

GUARDED: Final = b"harness-guard: "
"""The guard begins its lines on standard error with this."""

_GUARD: Final = Path(__file__).resolve().parent.parent / "node" / "guard.cjs"

_OURS: Final = frozenset({"HARNESS_MODEL_REASONS", "HARNESS_PROVIDER_HOSTS"})
"""Variables of ours that are there in some cases only: a value from outside means nothing."""


_OF_THE_CASE: Final = frozenset({"HARNESS_CASE_BASE_URL", "HARNESS_MODEL", "HARNESS_MODEL_REASONS", "HARNESS_WIRE"})


def surroundings(case_run: CaseRun, own: Mapping[str, str], passes: Iterable[str] = ()) -> dict[str, str]:
    """The environment of the case's process. ``own`` is the environment that it would have otherwise.

    Secrets in ``own`` reach the process only if ``passes`` names their variables.
    """
    kept = {name: value for name, value in without_own(own, case_run.api_key, passes).items() if name not in _OURS}
    return {
        **kept,
        **_way(case_run),
        **wins_over_endpoints(own, passes),
        "NODE_OPTIONS": f"{own.get('NODE_OPTIONS', '')} --require {json.dumps(str(_GUARD))}".strip(),
        "HARNESS_CASE_BASE_URL": case_run.base_url,
        "HARNESS_WIRE": case_run.wire,
        "HARNESS_MODEL": case_run.model,
        **({"HARNESS_MODEL_REASONS": "1"} if case_run.reasons else {}),
    }


def lasting_surroundings(
    case_run: CaseRun, own: Mapping[str, str], address: str, passes: Iterable[str] = ()
) -> dict[str, str]:
    """The environment of a process that runs ``case_run`` and other cases. Nothing in it is of this case alone.

    The endpoint is at ``address`` there, and knows the process by that name (``CaseRun.alias``).
    """
    base_url = f"{case_run.base_url.rpartition('/')[0]}/{address}"
    case = replace(case_run, case=address, base_url=base_url if case_run.as_provider is None else case_run.base_url)
    return {name: value for name, value in surroundings(case, own, passes).items() if name not in _OF_THE_CASE}


def _way(case_run: CaseRun) -> Mapping[str, str]:
    """The variables by which the command reaches the endpoint: by a base URL, or under the provider's own host."""
    if case_run.as_provider is not None:
        return case_run.as_provider.environment(case_id(case_run), case_run.api_key)
    return {
        **endpoints(case_run.base_url, case_run.api_key),
        **proxies(case_run.base_url, case_id(case_run)),
        **case_run.environment,
    }
