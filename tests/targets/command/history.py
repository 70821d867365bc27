"""The history of a loop on Messages that keeps it from run to run, for loops in and outside of this process."""

from __future__ import annotations

from typing import Any

PENDING = {"content": "cancelled by the user", "is_error": True}


def conversation(case: Any) -> list[Any]:
    messages: list[Any] = case.state.setdefault("messages", [])
    messages.append({"role": "user", "content": "\n".join(text for _, text in case.prompt)})
    return messages


def asking(case: Any, messages: list[Any]) -> dict[str, Any]:
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters} for tool in case.callables
    ]
    return {"model": case.model, "max_tokens": 99, "messages": messages, "tools": tools}


def connected(case: Any) -> dict[str, Any]:
    return {"base_url": case.base_url, "api_key": case.api_key, "max_retries": 0}


def calls_of(message: Any, messages: list[Any]) -> list[Any]:
    messages.append({"role": "assistant", "content": [block.to_dict() for block in message.content]})
    return [block for block in message.content if block.type == "tool_use"]


def answered(messages: list[Any], results: dict[str, dict[str, Any]], said: list[str]) -> None:
    answers = [{"type": "tool_result", "tool_use_id": id, **result} for id, result in results.items()]
    messages.append({"role": "user", "content": [*answers, *({"type": "text", "text": text} for text in said)]})
    said.clear()


def text_of(message: Any) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


async def asked_in_turn(case: Any, client: Any, messages: list[Any]) -> Any:
    """The answer of an asynchronous client."""
    if not case.stream:
        return await client.messages.create(**asking(case, messages))
    async with client.messages.stream(**asking(case, messages)) as stream:
        return await stream.get_final_message()
