"""Does to the reference loop what a scenario's caller does: resolves calls that wait, and changes histories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.errors import BadInput
from harness.loop import Approved, DeferredCall, Denied, ProviderTurn, Runner, Supplied
from harness.loop.deferral import Resolution
from harness.loop.runner import Message, ToolResponse
from harness.scenario import (
    CallerAction,
    EditedTurn,
    EditToolResponse,
    GenerateToolResponse,
    Piece,
    PushMessages,
    Resolve,
    Round,
    SetMessages,
    SetParams,
)
from harness.wire import Reply


def resolutions(round: Round, deferred: Sequence[DeferredCall]) -> Mapping[str, Resolution]:
    """The resolutions of the calls that wait, by call id.

    Raises ``BadInput`` if the scenario has fewer resolutions for a tool than calls of that tool wait.
    """
    resolved: dict[str, Resolution] = {}
    for name, words in round.items():
        calls = [each.call for each in deferred if each.call.name == name]
        each = words if isinstance(words, tuple) else (words,) * len(calls)
        if not calls or len(each) != len(calls):
            made = f"{len(each)} calls of {name}" if isinstance(words, tuple) else f"calls of {name}"
            raise BadInput(f"the scenario resolves {made}; {len(calls)} wait")
        resolved |= {call.id: _resolution(word) for call, word in zip(calls, each, strict=True)}
    return resolved


def _resolution(word: Resolve) -> Resolution:
    match word.how:
        case "approve":
            return Approved()
        case "deny":
            return Denied(str(word.value))
        case "supply":
            return Supplied(word.value)
        case "fail":
            return Supplied({"error": word.value}, ok=False)


async def act(runner: Runner, turn: ProviderTurn, actions: Sequence[CallerAction]) -> None:
    """Perform the caller's actions on ``runner``, which is at ``turn``. Raises ``BadInput`` for an impossible one."""
    for action in actions:
        match action:
            case GenerateToolResponse():
                await runner.generate_tool_response()
            case PushMessages(pieces):
                runner.push_messages(*await _messages(runner, turn, pieces))
            case SetMessages(pieces):
                runner.set_params(messages=await _messages(runner, turn, pieces))
            case SetParams(fields):
                runner.set_params(**dict[str, Any](fields))
            case EditToolResponse(old, new):
                await _edit(runner, old, new)


async def _messages(runner: Runner, turn: ProviderTurn, pieces: Sequence[Piece]) -> list[Message]:
    messages: list[Message] = []
    for piece in pieces:
        match piece:
            case "turn":
                messages.append(turn)
            case EditedTurn(old, new):
                messages.append(_edited_turn(turn, old, new))
            case "history":
                messages += runner.messages
            case "response":
                messages.append(await _response(runner, "pushes"))
            case (role, text):
                messages.append((role, text))
    return messages


async def _response(runner: Runner, does: str) -> ToolResponse:
    response = await runner.generate_tool_response()
    if response is None:
        raise BadInput(f"the scenario {does} a tool response; the turn asked for no tool")
    return response


def _edited_turn(turn: ProviderTurn, old: str, new: str) -> ProviderTurn:
    edited = replace(turn, assistant_turn=_with_new_text(turn.assistant_turn, old, new))
    if edited == turn:
        raise BadInput(f"the scenario edits {old!r}; the turn does not say that")
    return edited


async def _edit(runner: Runner, old: str, new: str) -> None:
    """Change the messages of the response in place, because the history may contain them already."""
    response = await _response(runner, "edits")
    edited = [_with_new_text(message, old, new) for message in response.messages]
    if edited == response.messages:
        raise BadInput(f"the scenario edits {old!r}; the tool response does not say that")
    for message, changed in zip(response.messages, edited, strict=True):
        message.update(changed)


def _with_new_text(value: Any, old: str, new: str) -> Any:
    """``value`` with ``old`` replaced by ``new`` in each of its texts."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [_with_new_text(each, old, new) for each in value]
    if isinstance(value, Reply):
        return replace(value, items=tuple(_with_new_text(each, old, new) for each in value.items))
    return {key: _with_new_text(each, old, new) for key, each in value.items()} if isinstance(value, dict) else value
