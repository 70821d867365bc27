"""Breakages of what the provider's own tools leave in a conversation: JSON of a request in, JSON out.

Each edit knows the pieces of one wire and leaves the requests of any other as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

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


def drop_server_results(body: Any) -> Any:
    """Without the results of the provider's tools."""
    return _without(body, _is_server_result)


def drop_server_calls(body: Any) -> Any:
    """Without the calls of the provider's tools, whose results stay."""
    return _without(body, lambda block: block.get("type") in _SERVER_CALLS)


def drop_compactions(body: Any) -> Any:
    """Without the provider's summaries."""
    if isinstance(body.get("input"), list):
        body["input"] = [item for item in body["input"] if item.get("type") != "compaction"]
    return _without(body, lambda block: block.get("type") == "compaction")


def change_server_results(body: Any) -> Any:
    """With the results of the provider's tools in the loop's own words."""
    for message in _messages(body):
        for block in filter(_is_server_result, message["content"]):
            block["content"] = []
    return body


def answer_server_calls(body: Any) -> Any:
    """With a result of the client's for each call of the provider's tools."""
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


def speak_beside_results(body: Any) -> Any:
    """With a text behind the results of a program's calls."""
    last = body.get("messages", [{}])[-1]
    if isinstance(last.get("content"), list) and any(block.get("type") == "tool_result" for block in last["content"]):
        last["content"].append({"type": "text", "text": "Go on."})
    return body


def drop_the_container(body: Any) -> Any:
    """Without the container in which the provider runs code."""
    body.pop("container", None)
    return body


def drop_callers(body: Any) -> Any:
    """Without what says that a program has made a call."""
    for item in _pieces(body):
        if item.get("type") in ("tool_use", "function_call"):
            item.pop("caller", None)
    return body


def drop_citations(body: Any) -> Any:
    """Without the citations of texts."""
    for item in _pieces(body):
        item.pop("citations", None)
    return body


def _pieces(body: Any) -> Iterator[Any]:
    for message in _messages(body):
        yield from message["content"]
    if isinstance(body.get("input"), list):
        yield from body["input"]


def drop_server_items(body: Any) -> Any:
    """Without items of the kinds that only the provider makes."""
    if isinstance(body.get("input"), list):
        body["input"] = [item for item in body["input"] if item.get("type") in _OWN_ITEMS]
    return body


def move_server_items(body: Any) -> Any:
    """With the provider's items behind all others of the history."""
    if isinstance(body.get("input"), list):
        body["input"].sort(key=lambda item: item.get("type") not in _OWN_ITEMS)
    return body


def drop_the_namespace(body: Any) -> Any:
    """Without the namespaces of calls."""
    for item in _pieces(body):
        if item.get("type") == "function_call":
            item.pop("namespace", None)
    return body


def answer_the_shell_again(body: Any) -> Any:
    """With an output of the client's for each command that the provider has run itself."""
    if isinstance(body.get("input"), list):
        calls = [item["call_id"] for item in body["input"] if item.get("type") == "shell_call"]
        output = {"stdout": "", "stderr": "no shell", "outcome": {"type": "exit", "exit_code": 1}}
        body["input"] += [{"type": "shell_call_output", "call_id": id, "output": [output]} for id in calls]
    return body


def _parts(body: Any) -> Iterator[Any]:
    for content in body.get("contents", ()):
        yield from content.get("parts", ())


def drop_server_parts(body: Any) -> Any:
    """Without code that the provider has run, its results, and its tools."""
    for content in body.get("contents", ()):
        content["parts"] = [part for part in content["parts"] if not part.keys() & set(_SERVER_PARTS)]
    return body


def drop_signatures_of_code(body: Any) -> Any:
    """Without the signatures of the provider's parts; those of calls stay."""
    for part in _parts(body):
        if part.keys() & set(_SERVER_PARTS):
            part.pop("thoughtSignature", None)
    return body


def drop_extra_content(body: Any) -> Any:
    """Without what a server adds to a call beside its function."""
    for message in body.get("messages", ()):
        for call in message.get("tool_calls") or ():
            call.pop("extra_content", None)
    return body


def drop_reasoning_details(body: Any) -> Any:
    """Without the thoughts that a router sends as details."""
    for message in body.get("messages", ()):
        message.pop("reasoning_details", None)
    return body
