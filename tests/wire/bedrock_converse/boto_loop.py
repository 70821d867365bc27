"""A loop on boto3, as people write it: the SDK's own message goes back, and all results in one message of the user."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
from botocore.config import Config

from harness.api import Assistant, Failure, Final, Thinking, ToolResult, ToolStart

_SECRET = "AKIAIOSFODNN7EXAMPLE"

Json = dict[str, Any]

_OUTCOMES = {"max_tokens": "truncated", "content_filtered": "refused", "guardrail_intervened": "refused"}


def client(url: str) -> Any:
    """A client whose requests reach the endpoint at ``url``, signed with credentials that nobody knows."""
    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=_SECRET,
        aws_secret_access_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        aws_session_token="IQoJb3JpZ2luX2VjEXAMPLETOKEN",
        config=Config(retries={"total_max_attempts": 1}),
    )


def run(case: Any) -> None:
    """A loop that makes no mistake in its requests."""
    _run(case)


def declining(case: Any) -> None:
    """Sends no result for the last of several calls."""
    _run(case, results=lambda results: results[:-1] if len(results) > 1 else results)


def empty_handed(case: Any) -> None:
    """Says of each tool that it has failed, and no more."""

    def failed(results: list[Json]) -> list[Json]:
        return [{**each, "content": [], "status": "error"} for each in results]

    _run(case, results=failed)


def without_tools_at_last(case: Any) -> None:
    """Declares its tools in the first request only."""
    _run(case, forgets_tools=True)


def _run(case: Any, results: Callable[[list[Json]], list[Json]] = list, *, forgets_tools: bool = False) -> None:
    service = client(case.base_url)
    tools = {tool.name: tool for tool in case.callables}
    asked = _first_request(case, tools)
    for number in range(case.turn_limit or 20):
        try:
            message, stop = _answer(service, asked, case, number)
        except service.exceptions.ClientError as error:
            case.emit(Failure("http", str(error)))
            return
        text = "".join(block.get("text", "") for block in message["content"])
        calls = [block["toolUse"] for block in message["content"] if "toolUse" in block]
        if stop in _OUTCOMES:
            case.emit(Final("", _OUTCOMES[stop], text))
            return
        if not calls:
            case.emit(Final("", "completed", text))
            return
        asked["messages"] += [message, _message(results([_called(case, tools, call) for call in calls]))]
        if forgets_tools:
            asked.pop("toolConfig", None)
    raise RuntimeError("too many turns")


def _first_request(case: Any, tools: dict[str, Any]) -> Json:
    said = [{"role": role, "content": [{"text": text}]} for role, text in case.prompt if role != "system"]
    asked: Json = {"modelId": case.model, "messages": said, "inferenceConfig": {"maxTokens": 1024}}
    if system := [{"text": text} for role, text in case.prompt if role == "system"]:
        asked["system"] = system
    if tools:
        asked["toolConfig"] = {"tools": [{"toolSpec": _spec(tool)} for tool in tools.values()]}
    return asked


def _spec(tool: Any) -> Json:
    return {"name": tool.name, "description": tool.description, "inputSchema": {"json": tool.parameters}}


def _message(results: list[Json]) -> Json:
    return {"role": "user", "content": [{"toolResult": each} for each in results]}


def _answer(service: Any, asked: Json, case: Any, number: int) -> tuple[Json, str]:
    if not case.stream:
        answer = service.converse(**asked)
        message = answer["output"]["message"]
        for block in message["content"]:
            _show(case, block, number)
        return message, answer["stopReason"]
    return _streamed(service.converse_stream(**asked)["stream"], case, number)


def _streamed(events: Iterator[Json], case: Any, number: int) -> tuple[Json, str]:
    blocks: dict[int, Json] = {}
    arguments: dict[int, str] = {}
    stop = ""
    for event in events:
        if "contentBlockStart" in event:
            started = event["contentBlockStart"]
            blocks[started["contentBlockIndex"]] = {"toolUse": dict(started["start"]["toolUse"])}
            arguments[started["contentBlockIndex"]] = ""
        elif "contentBlockDelta" in event:
            index, delta = event["contentBlockDelta"]["contentBlockIndex"], event["contentBlockDelta"]["delta"]
            if "toolUse" in delta:
                arguments[index] += delta["toolUse"]["input"]
            else:
                _add(blocks.setdefault(index, {}), delta)
                _show(case, delta, number)
        elif "messageStop" in event:
            stop = event["messageStop"]["stopReason"]
    for index, text in arguments.items():
        blocks[index]["toolUse"]["input"] = json.loads(text or "{}")
    if not stop:
        raise RuntimeError("the stream ended without messageStop")
    return {"role": "assistant", "content": [block for _, block in sorted(blocks.items())]}, stop


def _add(block: Json, delta: Json) -> None:
    if "text" in delta:
        block["text"] = block.get("text", "") + delta["text"]
    elif "redactedContent" in delta["reasoningContent"]:
        block["reasoningContent"] = {"redactedContent": delta["reasoningContent"]["redactedContent"]}
    else:
        text = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {"text": ""})
        for name, piece in delta["reasoningContent"].items():
            text[name] = text.get(name, "") + piece


def _show(case: Any, piece: Json, number: int) -> None:
    reasoning = piece.get("reasoningContent", {})
    thought = reasoning.get("text") or reasoning.get("reasoningText", {}).get("text")
    if piece.get("text"):
        case.emit(Assistant(piece["text"], f"text-{number}"))
    elif thought:
        case.emit(Thinking(thought, f"thought-{number}"))


def _called(case: Any, tools: dict[str, Any], call: Json) -> Json:
    case.emit(ToolStart(call["toolUseId"], call["name"], call["input"]))
    try:
        output = tools[call["name"]].now(call["input"], id=call["toolUseId"])
    except Exception as error:  # noqa: BLE001 - whatever a tool raises, the model is told
        case.emit(ToolResult(call["toolUseId"], call["name"], str(error), False))
        return {"toolUseId": call["toolUseId"], "content": [{"text": f"error: {error}"}], "status": "error"}
    case.emit(ToolResult(call["toolUseId"], call["name"], output, True))
    return {"toolUseId": call["toolUseId"], "content": [{"text": json.dumps(output)}], "status": "success"}
