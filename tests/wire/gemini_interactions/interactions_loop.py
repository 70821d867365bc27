"""A loop on google-genai's ``client.interactions``, as documented: the id goes back, and the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from google import genai
from google.genai import types

from harness.api import Assistant, Failure, Final, Thinking, ToolResult, ToolStart

Json = dict[str, Any]


def run(case: Any) -> None:
    """A loop that makes no mistake in its requests."""
    _run(case)


def declining(case: Any) -> None:
    """Sends no result for the last of several calls."""
    _run(case, results=lambda results: results[:-1] if len(results) > 1 else results)


def nameless(case: Any) -> None:
    """Sends results without the names of their tools, which the types of the SDK allow."""
    _run(case, results=lambda results: [{n: v for n, v in each.items() if n != "name"} for each in results])


def forgetful(case: Any) -> None:
    """Sends its tools once."""
    _run(case, forgets_tools=True)


def thoughtless(case: Any) -> None:
    """Stores nothing, and sends the steps back that it knows: thoughts are none of them."""
    _run(case, stores=False)


def _client(case: Any) -> genai.Client:
    once = types.HttpRetryOptions(attempts=1)
    options = types.HttpOptions(base_url=case.base_url, retry_options=once)
    return genai.Client(vertexai=False, api_key=case.api_key, http_options=options)


def _run(
    case: Any,
    results: Callable[[list[Json]], list[Json]] = list,
    *,
    forgets_tools: bool = False,
    stores: bool = True,
) -> None:
    client = _client(case)
    tools = {tool.name: tool for tool in case.callables}
    asked = _first_request(case, tools)
    for number in range(case.turn_limit or 20):
        try:
            interaction = client.interactions.create(**asked, store=stores, stream=False)
        except Exception as error:  # noqa: BLE001 - the SDK's errors have no public base
            case.emit(Failure("http", str(error)))
            return
        steps = [step.model_dump(mode="json", exclude_none=True) for step in interaction.steps or ()]
        text = _shown(case, steps, number)
        calls = [step for step in steps if step["type"] == "function_call"]
        if interaction.status != "requires_action" or not calls:
            ended = {"incomplete": "truncated", "failed": "refused"}
            case.emit(Final("", ended.get(str(interaction.status), "completed"), text))
            return
        answers = results([_called(case, tools, call) for call in calls])
        if stores:
            asked |= {"previous_interaction_id": interaction.id, "input": answers}
        else:
            asked["input"] += [*calls, *answers]
        if forgets_tools:
            asked.pop("tools", None)
    raise RuntimeError("too many turns")


def _first_request(case: Any, tools: dict[str, Any]) -> Json:
    words = [{"type": "text", "text": text} for role, text in case.prompt if role != "system"]
    asked: Json = {"model": case.model, "input": [{"type": "user_input", "content": words}]}
    if system := [text for role, text in case.prompt if role == "system"]:
        asked["system_instruction"] = "\n\n".join(system)
    if tools:
        asked["tools"] = [
            {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in tools.values()
        ]
    return asked


def _shown(case: Any, steps: list[Json], number: int) -> str:
    """The text of an answer, emitted with its thoughts."""
    whole = ""
    for index, step in enumerate(steps):
        for content in step.get("content") or step.get("summary") or ():
            if not content.get("text"):
                continue
            if step["type"] == "thought":
                case.emit(Thinking(content["text"], f"thought-{number}-{index}"))
            else:
                case.emit(Assistant(content["text"], f"text-{number}-{index}"))
                whole += content["text"]
    return whole


def _called(case: Any, tools: dict[str, Any], call: Json) -> Json:
    answer = {"type": "function_result", "call_id": call["id"], "name": call["name"]}
    case.emit(ToolStart(call["id"], call["name"], call["arguments"]))
    try:
        output = tools[call["name"]].now(call["arguments"], id=call["id"])
    except Exception as error:  # noqa: BLE001 - whatever a tool raises, the model is to know
        case.emit(ToolResult(call["id"], call["name"], str(error), False))
        return {**answer, "result": f"error: {error}", "is_error": True}
    case.emit(ToolResult(call["id"], call["name"], output, True))
    return {**answer, "result": json.dumps(output)}
