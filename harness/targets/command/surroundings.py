"""The environment of a command: the user's own, but that every provider's SDK in it finds the case's endpoint.

No key of the user reaches a command that is tested, and whatever asks for a proxy is led to the endpoint, which refuses
to hand anything on. Node has proxies by environment since version 24 only, so a guard is loaded into its processes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from harness.targets.base import Assignment
from harness.targets.command.given import case_id
from harness.targets.environment import environment

__all__ = ["GUARDED", "surroundings"]

GUARDED: Final = b"harness-guard: "
"""How the guard begins its lines on standard error."""

_GUARD: Final = Path(__file__).resolve().parent.parent / "node" / "guard.cjs"

_KEYS: Final = re.compile(r"\w+_(?:API_KEY|API_TOKEN|AUTH_TOKEN)", re.IGNORECASE)
"""What providers, and the services that tools ask, call their keys."""

_ELSEWHERE: Final = frozenset({"GOOGLE_GENAI_USE_VERTEXAI", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"})
"""Variables that lead an official SDK to another endpoint, or say there whose the request is."""

_OURS: Final = frozenset({"HARNESS_MODEL_REASONS"})
"""Variables of ours that are there in some cases only: a value from outside means nothing."""

_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_LOOPBACK: Final = "127.0.0.1,localhost,::1"


def surroundings(assignment: Assignment, own: Mapping[str, str]) -> dict[str, str]:
    """The environment of the case's process; ``own`` is what it would have by itself."""
    key = assignment.api_key
    kept = {
        name: key if _KEYS.fullmatch(name) else value for name, value in own.items() if name not in _ELSEWHERE | _OURS
    }
    return {
        **kept,
        **_endpoints(assignment),
        **_proxies(assignment),
        "NODE_OPTIONS": f"{own.get('NODE_OPTIONS', '')} --require {json.dumps(str(_GUARD))}".strip(),
        **assignment.environment,
        "HARNESS_CASE_BASE_URL": assignment.base_url,
        "HARNESS_WIRE": assignment.wire,
        "HARNESS_MODEL": assignment.model,
        **({"HARNESS_MODEL_REASONS": "1"} if assignment.reasons else {}),
    }


def _endpoints(assignment: Assignment) -> dict[str, str]:
    """The variables of all providers, whichever of them the command asks, and older names of the same."""
    variables: dict[str, str] = {}
    for wire in ("openai-responses", "anthropic-messages", "gemini-generate"):
        variables |= environment(wire, assignment.base_url, assignment.api_key)
    return {
        **variables,
        "OPENAI_API_BASE": variables["OPENAI_BASE_URL"],
        "ANTHROPIC_API_URL": variables["ANTHROPIC_BASE_URL"],
    }


def _proxies(assignment: Assignment) -> dict[str, str]:
    """The case is the user's name; without a password many clients would not say it."""
    endpoint = urlsplit(assignment.base_url).netloc
    proxy = f"http://{case_id(assignment)}:harness@{endpoint}"
    spelt = [*_PROXIES, *map(str.lower, _PROXIES)]
    return (
        dict.fromkeys(spelt, proxy) | dict.fromkeys(("NO_PROXY", "no_proxy"), _LOOPBACK) | {"NODE_USE_ENV_PROXY": "1"}
    )
