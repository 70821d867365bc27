"""Breakages of interactions: the steps of the provider's own tools, and long answers that go on.

JSON of a request in, JSON out. The requests of any other wire stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_OWN = ("function_call", "function_result")
_GOES_ON = "continuation_token"


def _steps(body: Any) -> list[Any]:
    """The steps of a request, or what else its ``input`` lists."""
    found = body.get("input")
    return found if isinstance(found, list) else []


def _is_server_step(step: Any) -> bool:
    kind = str(step.get("type"))
    return kind not in _OWN and kind.endswith(("_call", "_result"))


def _without(body: Any, is_out: Callable[[Any], bool]) -> Any:
    if isinstance(body.get("input"), list):
        body["input"] = [step for step in body["input"] if not is_out(step)]
    return body


def drop_server_steps(body: Any) -> Any:
    """Without what the provider's tools have done."""
    return _without(body, _is_server_step)


def drop_server_step_results(body: Any) -> Any:
    """Without what the provider's tools have found; that they were called stays."""
    return _without(body, lambda step: _is_server_step(step) and str(step["type"]).endswith("_result"))


def drop_signatures_of_server_steps(body: Any) -> Any:
    """Without the signatures under what the provider's tools have done."""
    for step in filter(_is_server_step, _steps(body)):
        step.pop("signature", None)
    return body


def forge_signatures_of_server_steps(body: Any) -> Any:
    """With other signatures under what the provider's tools have done."""
    for step in filter(_is_server_step, _steps(body)):
        if step.get("signature"):
            step["signature"] = step["signature"][::-1]
    return body


def answer_server_steps(body: Any) -> Any:
    """With a result of the client's for each call of the provider's tools."""
    calls = [step for step in filter(_is_server_step, _steps(body)) if "call_id" not in step]
    named = {"type": "function_result", "name": "unknown", "result": "unknown tool", "is_error": True}
    _steps(body).extend({**named, "call_id": step["id"]} for step in calls)
    return body


def continue_without_the_token(body: Any) -> Any:
    """Without the token by which a long answer goes on: it is asked for once more."""
    body.pop(_GOES_ON, None)
    return body


def send_another_token(body: Any) -> Any:
    """With a token that no answer has ended with."""
    if _GOES_ON in body:
        body[_GOES_ON] = body[_GOES_ON][::-1]
    return body


def repeat_the_answer_beside_the_token(body: Any) -> Any:
    """With a piece of the answer in the input, beside the token that says it."""
    if _GOES_ON in body:
        text = {"type": "text", "text": "As I said: "}
        _steps(body).append({"type": "model_output", "content": [text]})
    return body
