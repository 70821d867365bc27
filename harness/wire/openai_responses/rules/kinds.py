"""The kinds of calls that somebody must answer, their outputs, and the provider's words for both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from harness.wire.lenient import string


@dataclass(frozen=True, slots=True)
class CallKind:
    """A kind of call: the types of its item and of its output, and what the provider calls them when one is missing.

    ``built_in``: the provider knows the tool. A plain ``function_call_output`` may answer its call, too: Codex answers
    local shells so, and the recording test_tool_availability_portability_matrix[R5-T3-native-search] a search.
    """

    call: str
    output: str
    words: str
    output_words: str
    built_in: bool = True


_KINDS: Final = (
    CallKind("function_call", "function_call_output", "function call", "function call output", built_in=False),
    CallKind(
        "custom_tool_call",
        "custom_tool_call_output",
        "custom tool call",
        "custom tool call output",
        built_in=False,
    ),
    CallKind("shell_call", "shell_call_output", "shell call", "shell call output"),
    CallKind("local_shell_call", "local_shell_call_output", "local shell call", "local shell call output"),
    CallKind("apply_patch_call", "apply_patch_call_output", "apply patch call", "apply patch call output"),
    CallKind("computer_call", "computer_call_output", "computer call", "computer call output"),
    CallKind("tool_search_call", "tool_search_output", "tool search call", "tool search output"),
)

CALL_KINDS: Final[Mapping[str, CallKind]] = {kind.call: kind for kind in _KINDS}
"""By the type of the call."""

OUTPUT_KINDS: Final[Mapping[str, CallKind]] = {kind.output: kind for kind in _KINDS}
"""By the type of the output."""

PAIR_KINDS: Final[Mapping[str, tuple[str, bool]]] = {
    **{kind.call: (kind.call, True) for kind in _KINDS},
    **{kind.output: (kind.call, False) for kind in _KINDS},
}
"""The call that an item of a type makes (True) or answers."""

FUNCTION: Final = "function_call"
"""The kind of call whose output may answer one of a built-in tool, too."""

APPROVAL: Final = "mcp_approval_request"
APPROVED: Final = "mcp_approval_response"
"""What the user is asked before a tool of an MCP server runs, and the answer, which names the item by its id."""


DECLARING: Final = frozenset(("additional_tools", "tool_search_output", "mcp_list_tools"))
"""Items that bring tools of their own."""


def call_id_of(item: Mapping[str, Any]) -> str:
    """The id that joins a call and its output; ``""`` if it has no readable one."""
    return string(item.get("call_id"))


def request_of(item: Mapping[str, Any]) -> str:
    """The id of the request for an approval that this answer or this call belongs to."""
    return string(item.get("approval_request_id"))


def is_for_the_client(item: Mapping[str, Any]) -> bool:
    """Whether the client runs a call. The provider itself may run a search, or a shell in a container.

    Azure gives a local shell no environment at all.
    """
    if "execution" in item or item.get("type") in ("tool_search_call", "tool_search_output"):
        return item.get("execution") == "client"
    environment = item.get("environment")
    return not (isinstance(environment, dict) and string(environment.get("type")).startswith("container"))
