"""Breakages of what the provider's own tools leave in a conversation: JSON of a request in, JSON out.

Each edit knows the pieces of one wire and leaves the requests of any other as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from harness_lab.mutants.declared import breaks, seen_in

_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
_OWN_ITEMS = ("message", "reasoning", "function_call", "function_call_output", "custom_tool_call", None)
_SERVER_PARTS = ("executableCode", "codeExecutionResult", "toolCall", "toolResponse")


def _messages(body: Any) -> list[Any]:
    """The messages that have a list of blocks."""
    return [message for message in body.get("messages", ()) if isinstance(message.get("content"), list)]


def _without(body: Any, is_out: Callable[[Any], bool]) -> Any:
    for message in _messages(body):
        message["content"] = [block for block in message["content"] if not is_out(block)]
    return body


def _is_server_result(block: Any) -> bool:
    return str(block.get("type")).endswith("_tool_result")


@breaks("edit", "server-results-dropped", "expect/sent")
@seen_in(
    *("search-by-the-provider", "page-fetched-by-the-provider", "shell-in-the-provider-s-container"),
    *("tool-of-a-remote-server", "advice-of-another-model", "tools-found-by-a-search"),
)
def drop_server_results(body: Any) -> Any:
    """Sends calls of the provider's tools back without their results."""
    return _without(body, _is_server_result)


@breaks("edit", "server-calls-dropped", "continuation/")
@seen_in(
    "search-by-the-provider",
    "fetch-paused-and-resumed",
    "search-still-running-beside-a-call",
    "program-that-calls-a-tool",
    "thinking-around-a-search",
)
def drop_server_calls(body: Any) -> Any:
    """Sends results of the provider's tools, and calls of its programs, back without what they belong to."""
    return _without(body, lambda block: block.get("type") in _SERVER_CALLS)


@breaks("edit", "compaction-dropped", "expect/sent")
@seen_in(
    "history-compacted-by-the-provider",
    "compaction-on-responses",
    "compaction-in-a-later-turn-on-responses",
    "compaction-and-then-overloaded",
    "summary-in-a-later-turn-of-the-provider",
)
def drop_compactions(body: Any) -> Any:
    """Forgets the summary that the provider has made of the conversation."""
    if isinstance(body.get("input"), list):
        body["input"] = [item for item in body["input"] if item.get("type") != "compaction"]
    return _without(body, lambda block: block.get("type") == "compaction")


@breaks("edit", "server-results-rewritten", "expect/sent")
@seen_in("search-by-the-provider", "search-that-failed", "tool-of-a-remote-server")
def change_server_results(body: Any) -> Any:
    """Sends results of the provider's tools back in words of its own."""
    for message in _messages(body):
        for block in filter(_is_server_result, message["content"]):
            block["content"] = []
    return body


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


@breaks("edit", "container-forgotten", "continuation/")
@seen_in("program-that-calls-a-tool", "program-that-calls-a-tool-not-streamed", "program-that-calls-two-tools-at-once")
def drop_the_container(body: Any) -> Any:
    """Goes on with a program without its container."""
    body.pop("container", None)
    return body


@breaks("edit", "callers-dropped", "continuation/")
@seen_in("program-that-calls-a-tool")
def drop_callers(body: Any) -> Any:
    """Sends calls of a program back as if the model had made them."""
    for item in _pieces(body):
        if item.get("type") in ("tool_use", "function_call"):
            item.pop("caller", None)
    return body


@breaks("edit", "citations-dropped", "expect/sent")
@seen_in("blocks-that-are-only-carried")
def drop_citations(body: Any) -> Any:
    """Sends texts back without their citations."""
    for item in _pieces(body):
        item.pop("citations", None)
    return body


def _pieces(body: Any) -> Iterator[Any]:
    for message in _messages(body):
        yield from message["content"]
    if isinstance(body.get("input"), list):
        yield from body["input"]


@breaks("edit", "server-items-dropped", "continuation/", "expect/sent")
@seen_in(
    "search-on-responses",
    "code-interpreted-on-responses",
    "files-searched-on-responses",
    "picture-drawn-on-responses",
    "shell-in-a-container-on-responses",
    "remote-tools-on-responses",
    "namespace-of-a-found-tool",
    "program-on-responses",
    "compaction-on-responses",
)
def drop_server_items(body: Any) -> Any:
    """Sends back only messages, thoughts and its own calls."""
    if isinstance(body.get("input"), list):
        body["input"] = [item for item in body["input"] if item.get("type") in _OWN_ITEMS]
    return body


@breaks("edit", "server-items-moved", "continuation/")
@seen_in("search-on-responses", "code-interpreted-on-responses")
def move_server_items(body: Any) -> Any:
    """Sends the provider's items back behind all others."""
    if isinstance(body.get("input"), list):
        body["input"].sort(key=lambda item: item.get("type") not in _OWN_ITEMS)
    return body


@breaks("edit", "namespace-dropped", "continuation/")
@seen_in("namespace-of-a-found-tool")
def drop_the_namespace(body: Any) -> Any:
    """Sends a call back without its namespace."""
    for item in _pieces(body):
        if item.get("type") == "function_call":
            item.pop("namespace", None)
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


def _parts(body: Any) -> Iterator[Any]:
    for content in body.get("contents", ()):
        yield from content.get("parts", ())


@breaks("edit", "server-parts-dropped", "expect/sent")
@seen_in("signed-code-on-gemini", "code-that-failed-on-gemini", "server-tools-on-gemini", "code-run-by-the-provider")
def drop_server_parts(body: Any) -> Any:
    """Sends back only texts, thoughts and its own calls."""
    for content in body.get("contents", ()):
        content["parts"] = [part for part in content["parts"] if not part.keys() & set(_SERVER_PARTS)]
    return body


@breaks("edit", "code-signatures-dropped", "expect/sent")
@seen_in("signed-code-on-gemini", "server-tools-on-gemini")
def drop_signatures_of_code(body: Any) -> Any:
    """Sends the provider's parts back without their signatures."""
    for part in _parts(body):
        if part.keys() & set(_SERVER_PARTS):
            part.pop("thoughtSignature", None)
    return body


@breaks("edit", "extra-content-dropped", "continuation/")
@seen_in("signed-call-on-chat")
def drop_extra_content(body: Any) -> Any:
    """Sends calls back without the signature that a server has added to them."""
    for message in body.get("messages", ()):
        for call in message.get("tool_calls") or ():
            call.pop("extra_content", None)
    return body


@breaks("edit", "reasoning-details-dropped", "expect/sent")
@seen_in("reasoning-details-on-chat")
def drop_reasoning_details(body: Any) -> Any:
    """Sends calls back without the thoughts that a router has sent as details."""
    for message in body.get("messages", ()):
        message.pop("reasoning_details", None)
    return body
