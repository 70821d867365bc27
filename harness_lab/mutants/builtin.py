"""Breakages of what the provider's own tools leave in a conversation: JSON of a request in, JSON out.

Each answers what is not its own to answer, and leaves the requests of any other wire as they are. What only leaves
something out, or writes something else, is in ``loops.yaml``.
"""

from __future__ import annotations

from typing import Any

from harness_lab.mutants.declared import breaks, seen_in
from harness_lab.mutants.json_edits import matches

_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
_SERVER_STEP_CALL = {"type": {"like": "(?!function_).*_(call|result)"}, "call_id": "absent"}


@breaks("edit", "server-calls-answered", "continuation/")
@seen_in(
    "search-by-the-provider",
    "fetch-paused-and-resumed",
    "tool-of-a-remote-server",
    "tools-found-by-a-search",
    "paused-twice-with-thinking-before-a-call",
    "overloaded-after-a-paused-turn",
)
def answer_server_calls(body: Any) -> Any:
    """Answers calls of the provider's tools itself."""
    messages = body.get("messages", [])
    for at, message in enumerate(messages):
        blocks = message["content"] if isinstance(message.get("content"), list) else []
        calls = [block["id"] for block in blocks if block.get("type") in _SERVER_CALLS]
        answers = [{"type": "tool_result", "tool_use_id": id, "content": "unknown tool"} for id in calls]
        if not answers:
            continue
        if at + 1 == len(messages):
            messages.append({"role": "user", "content": answers})
            break
        messages[at + 1]["content"] += answers
    return body


@breaks("edit", "text-beside-a-program", "continuation/")
@seen_in("program-that-calls-a-tool", "program-that-calls-two-tools-at-once")
def speak_beside_results(body: Any) -> Any:
    """Says something beside the answers that a program waits for."""
    last = body.get("messages", [{}])[-1]
    if isinstance(last.get("content"), list) and any(block.get("type") == "tool_result" for block in last["content"]):
        last["content"].append({"type": "text", "text": "Go on."})
    return body


@breaks("edit", "shell-answered-again", "continuation/")
@seen_in("shell-in-a-container-on-responses")
def answer_the_shell_again(body: Any) -> Any:
    """Answers commands that the provider has run itself."""
    if isinstance(body.get("input"), list):
        calls = [item["call_id"] for item in body["input"] if item.get("type") == "shell_call"]
        output = {"stdout": "", "stderr": "no shell", "outcome": {"type": "exit", "exit_code": 1}}
        body["input"] += [{"type": "shell_call_output", "call_id": id, "output": [output]} for id in calls]
    return body


@breaks("edit", "server-steps-answered", "continuation/")
@seen_in(
    "search-on-interactions",
    "code-on-interactions",
    "server-tools-on-interactions",
    "search-resumed-on-interactions",
)
def answer_server_steps(body: Any) -> Any:
    """Takes each step with an id for a call, and answers those of the provider's tools, too."""
    if isinstance(steps := body.get("input"), list):
        calls = [step["id"] for step in steps if matches(step, _SERVER_STEP_CALL)]
        named = {"type": "function_result", "name": "unknown", "result": "unknown tool", "is_error": True}
        steps += [{**named, "call_id": id} for id in calls]
    return body
