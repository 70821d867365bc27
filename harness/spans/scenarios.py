"""Makes a scenario from a recorded conversation that broke a rule, so that it can be run again and again.

The scripted model repeats the recorded model's output, and the tools return the recorded results. The reaction of the
loop under test is judged anew. Secrets are removed from every text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for

from harness.errors import BadInput
from harness.ground.disk import problem
from harness.lint.judging import LintedRequest
from harness.secrets.redactor import Redactor
from harness.wire import Call, Conversation, Message, Reply, Result, Text, ThinkingPart, Turn

_OUTCOMES: Final = ["completed", "truncated", "refused", "failed", "turn-limit"]
_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_ANY: Final[Mapping[str, Any]] = {"type": "object"}


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A request of a conversation, and its reply; None if there was none or none was recorded.

    ``asked`` is the request as it was sent, with the bytes of its answer, if both are recorded whole.
    """

    conversation: Conversation
    reply: Reply | None
    asked: LintedRequest | None = None


def write_scenario(name: str, summary: str, turns: Sequence[RecordedTurn], folder: Path) -> Path:
    """Write a scenario of the turns into ``folder``. Returns its file. Raises ``BadInput`` if that fails."""
    text = yaml.safe_dump(scenario_of(name, summary, turns), sort_keys=False, allow_unicode=True, width=110)
    path = folder / f"{name}.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as written:
            written.write(text)
    except OSError as error:
        raise problem(error, f"{path}: cannot be written") from error
    return path


def scenario_of(name: str, summary: str, turns: Sequence[RecordedTurn]) -> dict[str, Any]:
    """The scenario as plain values for YAML. Raises ``BadInput`` for turns without model output."""
    turns = last_run(turns)
    replies = [turn.reply.turn for turn in turns if turn.reply is not None and turn.reply.turn.parts]
    if not replies:
        raise BadInput(f"{name}: the model's answers are not recorded, so that no scenario can be made")
    tools = _tools(turns, replies)
    model = [_step(reply, tools) for reply in replies]
    if replies[-1].calls:
        model.append({"text": "Done."})  # what the model said then is not recorded
    made = {
        "scenario": name,
        "profile": "universal",
        "suite": "situations",
        "summary": summary,
        "prompt": _prompt(turns[0].conversation),
        "tools": list(tools.values()),
        "model": model,
        "expect": {"outcome": _OUTCOMES},
    }
    return {key: value for key, value in _without_secrets(made, Redactor()).items() if value}


def last_run(turns: Sequence[RecordedTurn]) -> Sequence[RecordedTurn]:
    """The turns since the last words of the user: after an answer without calls another run of the loop begins."""
    ends = [at for at, turn in enumerate(turns[:-1]) if turn.reply is not None and not turn.reply.turn.calls]
    return turns[ends[-1] + 1 :] if ends else turns


def _prompt(conversation: Conversation) -> list[dict[str, str]]:
    """The instructions, and what the user said last before the first of these turns."""
    spoken = [message for message in conversation.messages if message.role == "user" and message.text.strip()]
    system = [message.text for message in conversation.messages if message.role == "system" and message.text.strip()]
    return [*({"system": text} for text in system[:1]), {"user": spoken[-1].text if spoken else "Go on."}]


def _step(turn: Turn, tools: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    parts = [_part(part, tools) for part in turn.parts if not isinstance(part, Text | ThinkingPart) or part.text]
    return {"parts": parts, "stop": turn.stop.value}


def _part(part: Any, tools: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"call": _call(part, tools)}
    return {("thinking" if isinstance(part, ThinkingPart) else "text"): part.text}


def _call(call: Call, tools: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    arguments = _value(call.arguments or "{}")
    is_object = isinstance(arguments, dict)
    made = {"name": call.name, "arguments": arguments if is_object else call.arguments}
    declared = tools.get(call.name)
    fits = is_object and declared is not None and _fits(arguments, declared["parameters"])
    return made if fits else {**made, "invalid": True}


def _fits(arguments: Any, parameters: Any) -> bool:
    try:
        return bool(validator_for(parameters, default=Draft202012Validator)(parameters).is_valid(arguments))
    except (SchemaError, RecursionError):
        return False


def _tools(turns: Sequence[RecordedTurn], replies: Sequence[Turn]) -> dict[str, dict[str, Any]]:
    """The declared tools, or otherwise the called ones, each with its first result."""
    declared = {tool.name: tool for turn in turns for tool in turn.conversation.tools if _NAME.fullmatch(tool.name)}
    called = {call.name for reply in replies for call in reply.calls if _NAME.fullmatch(call.name)}
    returned = dict(_tool_results(turns))
    made: dict[str, dict[str, Any]] = {}
    for name in declared or dict.fromkeys(sorted(called)):
        tool = declared.get(name)
        made[name] = {
            "name": name,
            "description": (tool.description if tool else "") or name,
            "parameters": dict(tool.parameters if tool and tool.parameters.get("type") == "object" else _ANY),
            "returns": returned.get(name, "done"),
        }
    return made


def _tool_results(turns: Sequence[RecordedTurn]) -> Iterator[tuple[str, Any]]:
    """Each tool with each of its results; its first result comes last."""
    messages: Sequence[Message] = turns[-1].conversation.messages
    parts = [part for message in messages for part in message.parts]
    names = {part.id: part.name for part in parts if isinstance(part, Call) and part.id}
    for part in reversed(parts):
        if isinstance(part, Result) and (name := names.get(part.id) or part.name):
            yield name, _value(part.output)


def _value(text: str) -> Any:
    """The JSON value of a text, or the text itself if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _without_secrets(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, dict):
        return {redactor.redact_text(str(name)): _without_secrets(each, redactor) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_secrets(each, redactor) for each in value]
    return redactor.redact_text(value) if isinstance(value, str) else value
