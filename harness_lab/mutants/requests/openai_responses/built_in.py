"""Mistakes with the calls of built-in tools, with approvals, and with what a declaration says of its calls."""

from __future__ import annotations

from copy import deepcopy

from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.mutant import RequestMutant
from harness_lab.mutants.requests.openai_responses.base_requests import BUILT_IN, DECLARED, NAMED, PLAIN
from harness_lab.mutants.requests.openai_responses.making import mutant
from harness_lab.mutants.requests.openai_responses.places import items, last, names_its_history, places

_KINDS = {
    "shell": ("shell_call", "shell_call_output"),
    "local-shell": ("local_shell_call", "local_shell_call_output"),
    "patch": ("apply_patch_call", "apply_patch_call_output"),
    "computer": ("computer_call", "computer_call_output"),
    "search": ("tool_search_call", "tool_search_output"),
}


def _without(kind: str, other: str) -> Edit:
    """The last item of a kind is not sent, the one that it belongs to is."""

    def edit(posted: Posted) -> bool:
        found = places(posted, kind) if places(posted, other) and not names_its_history(posted) else []
        if found:
            del items(posted)[found[-1]]
        return bool(found)

    return edit


def answer_under_the_items_id(posted: Posted) -> bool:
    """Send the output of a local shell under ``id``, as the SDK's type has it, in place of ``call_id``."""
    output = last(posted, "local_shell_call_output")
    if output is None:
        return False
    output["id"] = output.pop("call_id")
    return True


def answer_a_shell_by_another_name(posted: Posted) -> bool:
    """Give the output of a shell an id that no call has."""
    output = last(posted, "shell_call_output")
    if output is None:
        return False
    output["call_id"] = "call_of_nobody"
    return True


def report_a_failure_of_the_only_tool(posted: Posted) -> bool:
    """The namespace's function is declared without it, and alone."""
    inner = [
        each for tool in posted.body.get("tools") or () if tool.get("type") == "namespace" for each in tool["tools"]
    ]
    if not inner or not report_a_failure_as_text(posted):
        return False
    posted.body["tools"] = inner
    for place in places(posted, "function_call"):
        items(posted)[place].pop("namespace", None)
    return True


def ask_again(posted: Posted) -> bool:
    """Send a request for an approval that an earlier request had."""
    if not posted.body.get("previous_response_id"):
        return False
    items(posted).append({"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "server_label": "wiki"})
    return True


def ask_twice(posted: Posted) -> bool:
    """Send a request for an approval twice."""
    for place in places(posted, "mcp_approval_request"):
        items(posted).insert(place, deepcopy(items(posted)[place]))
        return True
    return False


def approve_what_nobody_asked(posted: Posted) -> bool:
    """Answer another request than the one that was made."""
    answer = last(posted, "mcp_approval_response")
    if answer is None:
        return False
    answer["approval_request_id"] = "mcpr_of_nobody"
    return True


def drop_the_namespace(posted: Posted) -> bool:
    """Send a call back with its name and arguments only."""
    found = [items(posted)[place] for place in places(posted, "function_call")]
    dropped = [item.pop("namespace") for item in found if item.get("namespace")]
    return bool(dropped)


def report_a_failure_as_text(posted: Posted) -> bool:
    """Send what a tool with an output schema failed with as plain text."""
    called = {items(posted)[place]["call_id"] for place in places(posted, "function_call") if _is_widget(posted, place)}
    for place in places(posted, "function_call_output"):
        if items(posted)[place].get("call_id") in called:
            items(posted)[place]["output"] = "Error: the shop is closed."
            return True
    return False


def _is_widget(posted: Posted, place: int) -> bool:
    item = items(posted)[place]
    return (item.get("namespace"), item.get("name")) == ("shop", "create_widget")


MUTANTS: tuple[RequestMutant, ...] = (
    *(
        mutant(f"{name}-unanswered", f"A {call} has no output.", ("OAI-10",), _without(output, call), BUILT_IN)
        for name, (call, output) in _KINDS.items()
    ),
    *(
        mutant(
            f"{name}-call-forgotten",
            f"The {call} of an output is not sent.",
            ("OAI-11",),
            _without(call, output),
            BUILT_IN,
        )
        for name, (call, output) in _KINDS.items()
    ),
    mutant(
        "local-shell-answered-by-id",
        "The output of a local shell names its call in id.",
        ("OAI-10",),
        answer_under_the_items_id,
        BUILT_IN,
    ),
    mutant(
        "shell-output-renamed",
        "The output of a shell names a call that was never made.",
        ("OAI-10", "OAI-11"),
        answer_a_shell_by_another_name,
        BUILT_IN,
    ),
    mutant(
        "approval-unanswered",
        "A request for an approval is not answered.",
        ("OAI-10",),
        _without("mcp_approval_response", "mcp_approval_request"),
        BUILT_IN,
    ),
    mutant(
        "approval-request-forgotten",
        "The request that an approval answers is not sent.",
        ("OAI-11",),
        _without("mcp_approval_request", "mcp_approval_response"),
        BUILT_IN,
    ),
    mutant(
        "approval-of-nobody",
        "An approval answers a request that was never made.",
        ("OAI-11", "OAI-10"),
        approve_what_nobody_asked,
        BUILT_IN,
    ),
    mutant("approval-asked-twice", "A request for an approval is sent twice.", ("OAI-09",), ask_twice, BUILT_IN),
    mutant(
        "approval-asked-again",
        "A request for an approval is sent again, though the response that is named stands for it.",
        ("OAI-09", "OAI-10"),
        ask_again,
        NAMED,
    ),
    mutant("namespace-dropped", "A call loses its namespace.", ("OAI-NS",), drop_the_namespace, DECLARED, PLAIN),
    mutant(
        "schema-output-as-text-alone",
        "The output of the only tool, which has an output schema, is plain text.",
        ("OAI-OUTSCHEMA",),
        report_a_failure_of_the_only_tool,
        DECLARED,
    ),
    mutant(
        "schema-output-as-text",
        "The output of a tool with an output schema is plain text.",
        ("OAI-OUTSCHEMA",),
        report_a_failure_as_text,
        DECLARED,
    ),
)
