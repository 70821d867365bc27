"""Breakages of interactions: the steps of the provider's own tools, and long answers that go on.

JSON of a request in, JSON out. The requests of any other wire stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness_lab.mutants.declared import breaks, seen_in

_SERVER_STEPS = (
    "search-on-interactions",
    "code-on-interactions",
    "server-tools-on-interactions",
    "search-resumed-on-interactions",
)
_LONG_ANSWERS = ("long-answer-goes-on", "long-answer-goes-on-not-streamed")

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


@breaks("edit", "server-steps-dropped", "continuation/")
@seen_in(*_SERVER_STEPS)
def drop_server_steps(body: Any) -> Any:
    """Sends back only the steps that it knows: what the provider's tools have done is none of them."""
    return _without(body, _is_server_step)


@breaks("edit", "server-step-results-dropped", "continuation/")
@seen_in(*_SERVER_STEPS)
def drop_server_step_results(body: Any) -> Any:
    """Sends the calls of the provider's tools back without what they have found."""
    return _without(body, lambda step: _is_server_step(step) and str(step["type"]).endswith("_result"))


@breaks("edit", "server-steps-unsigned", "continuation/")
@seen_in(*_SERVER_STEPS)
def drop_signatures_of_server_steps(body: Any) -> Any:
    """Sends back what the provider's tools have done, without the signatures."""
    for step in filter(_is_server_step, _steps(body)):
        step.pop("signature", None)
    return body


@breaks("edit", "server-steps-forged", "continuation/")
@seen_in(*_SERVER_STEPS)
def forge_signatures_of_server_steps(body: Any) -> Any:
    """Sends back what the provider's tools have done under other signatures."""
    for step in filter(_is_server_step, _steps(body)):
        if step.get("signature"):
            step["signature"] = step["signature"][::-1]
    return body


@breaks("edit", "server-steps-answered", "continuation/")
@seen_in(*_SERVER_STEPS)
def answer_server_steps(body: Any) -> Any:
    """Takes each step with an id for a call, and answers those of the provider's tools, too."""
    calls = [step for step in filter(_is_server_step, _steps(body)) if "call_id" not in step]
    named = {"type": "function_result", "name": "unknown", "result": "unknown tool", "is_error": True}
    _steps(body).extend({**named, "call_id": step["id"]} for step in calls)
    return body


@breaks("edit", "token-dropped", "history/model-text", "history/append-only")
@seen_in(*_LONG_ANSWERS)
def continue_without_the_token(body: Any) -> Any:
    """Asks for a long answer once more where it should have it continued."""
    body.pop(_GOES_ON, None)
    return body


@breaks("edit", "token-of-nowhere", "continuation/")
@seen_in(*_LONG_ANSWERS)
def send_another_token(body: Any) -> Any:
    """Has a long answer continued by a token that no answer has ended with."""
    if _GOES_ON in body:
        body[_GOES_ON] = body[_GOES_ON][::-1]
    return body


@breaks("edit", "token-beside-the-answer", "continuation/")
@seen_in(*_LONG_ANSWERS)
def repeat_the_answer_beside_the_token(body: Any) -> Any:
    """Sends a piece of a long answer back beside the token by which it goes on."""
    if _GOES_ON in body:
        text = {"type": "text", "text": "As I said: "}
        _steps(body).append({"type": "model_output", "content": [text]})
    return body
