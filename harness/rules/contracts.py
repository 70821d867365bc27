"""The contracts of profiles where they differ, as data, each with its source.

Rules know no scenario and no loop; they know what a family of loops has promised. The reference loop states the same
in its policies, and a test holds the two statements against each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

AtLimit = Literal["raise", "stop", "answer-now", "any"]

Execution = Literal["in-order", "parallel", "any"]


@dataclass(frozen=True, slots=True)
class Contract:
    """What a family of loops promises.

    ``turn_limit``: how many model turns a run may take; None if the contract names no limit. ``at_limit``: what happens
    when the last allowed turn still calls tools: they run and the run ends in an error (``raise``), it ends without
    running them (``stop``), or they run and one more request demands an answer (``answer-now``).
    ``execution``: whether the calls of a turn run one after another or all at once; with ``any`` the loop decides.
    ``tool_retries``: in how many consecutive turns a tool may fail for a reason that the model can correct; None: in
    any number. ``request_retries``: how often a request that got no usable answer is sent again. ``compact_at``: a
    conversation whose last request had at least so many tokens is compacted before its next run; None: only when the
    caller asks for it.
    """

    profile: str
    source: str
    turn_limit: int | None = None
    at_limit: AtLimit = "any"
    execution: Execution = "any"
    tool_retries: int | None = None
    request_retries: int = 2
    compact_at: int | None = None


_SDK_RETRIES = "retries of requests: the default of the OpenAI and Anthropic SDKs"

_ALL = (
    Contract("universal", f"what every loop keeps to; {_SDK_RETRIES}"),
    Contract(
        "screenshot-to-code",
        f"Agent Tool-Calling Flow, Core Tool-Calling Loop, step 5, and Tool Execution; {_SDK_RETRIES}",
        turn_limit=20,
        at_limit="raise",
        execution="in-order",
    ),
    Contract(
        "pydantic-ai",
        "Tool Call Flow Diagrams, Tool Execution Parallelism; request limit and retries: pydantic-ai 2's defaults; "
        + _SDK_RETRIES,
        turn_limit=50,
        at_limit="raise",
        execution="parallel",
        tool_retries=1,
    ),
    Contract(
        "tool-runner",
        f"How the Tool Runner Works; max_iterations has no default; {_SDK_RETRIES}",
        at_limit="stop",
        execution="in-order",
    ),
    Contract(
        "hugind",
        f"Hugind Tool Calling Flow, Tool Execution and Loop Termination; {_SDK_RETRIES}",
        turn_limit=10,
        at_limit="answer-now",
        execution="in-order",
    ),
    Contract(
        "resilient",
        "public reports of coding agents that ask without a stream where one broke (claude-code #38569, "
        "zeroclaw #3811) and compact by themselves (opencode #27594, gemini-cli #4105)",
        turn_limit=20,
        at_limit="raise",
        execution="in-order",
        tool_retries=3,
        request_retries=6,
        compact_at=100_000,
    ),
)

CONTRACTS: Mapping[str, Contract] = {contract.profile: contract for contract in _ALL}
"""The contracts by the names of their profiles."""


def contract_of(profile: str) -> Contract:
    """The contract of a profile; if it has none, the contract of every loop."""
    return CONTRACTS.get(profile, CONTRACTS["universal"])
