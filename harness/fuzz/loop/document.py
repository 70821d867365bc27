"""Converts an example to a scenario file and back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from harness.errors import BadInput
from harness.fuzz.loop.example import EVERY_END, NAME, Play, scenario_of
from harness.fuzz.loop.schemas import fits
from harness.fuzz.strategies.scripts import DrawnScript
from harness.scenario import (
    CallerAct,
    HttpErrorStep,
    NextRun,
    Outcome,
    Resolve,
    Scenario,
    Step,
    Tool,
)
from harness.scenario.callers import action_entry
from harness.scenario.checking import check
from harness.scenario.compiling import compile_file
from harness.scenario.documents import Document
from harness.trace import JsonValue
from harness.wire import Call, FinishReason, Part, Refusal, Text, ThinkingPart, Turn

Json = dict[str, JsonValue]

_SUMMARY: Final = "Made by the fuzzer."
_USUAL_DELTAS: Final = "token"


def document(
    play: Play, name: str = NAME, summary: str = _SUMMARY, outcomes: Sequence[Outcome] = EVERY_END
) -> dict[str, JsonValue]:
    """The scenario file of ``play``, as plain data. ``outcomes`` are the right ends of the run."""
    script = play.script
    tools = {tool.declaration.name: tool for tool in script.tools}
    members: Json = {"scenario": name, "profile": play.profile, "summary": summary, "wires": list(play.wires)}
    if not script.stream:
        members["stream"] = False
    if script.turn_limit is not None:
        members["turn_limit"] = script.turn_limit
    members["prompt"] = [{role: text} for role, text in script.prompt]
    members["tools"] = [_tool(tool) for tool in script.tools]
    if play.acts or play.runs:
        members["timeline"] = [*map(_act, play.acts), *map(_run, play.runs)]
    if play.edits:
        members["caller"] = [
            {"after": turn, "do": [action_entry(each) for each in actions]} for turn, actions in play.edits
        ]
    members["model"] = [_step(step, tools) for step in script.steps]
    ends: list[JsonValue] = list(outcomes)
    members["expect"] = {"outcome": ends if len(ends) > 1 else ends[0]}
    varied: Json = {} if play.chunkings == ("event",) else {"chunking": list(play.chunkings)}
    if play.dialect:
        varied["dialect"] = [play.dialect]
    if varied:
        members["vary"] = varied
    return members


def play_of(data: Mapping[str, JsonValue]) -> Play:
    """The example that ``document`` wrote. Raises ``ValueError`` for any other data, with the first mistake."""
    scenario = _scenario_of(data)
    script = DrawnScript(scenario.steps, scenario.tools, scenario.prompt, scenario.turn_limit, scenario.stream)
    dialect = next(iter(scenario.dialects), "")
    acts, runs, edits = scenario.acts, scenario.runs, tuple(scenario.caller.items())
    play = Play(script, scenario.wires, scenario.chunkings, scenario.profile, dialect, acts, runs, edits)
    if scenario != scenario_of(play) or document(play) != data:
        raise ValueError("expected a scenario as this campaign writes it, got one that says more, or says it otherwise")
    return play


def _scenario_of(data: Mapping[str, JsonValue]) -> Scenario:
    place = yaml.ScalarNode("", "", _START, _START)
    read = Document(Path(f"{NAME}.yaml"), "", place, dict(data))
    try:
        return compile_file(read, check(read))
    except BadInput as wrong:
        raise ValueError(wrong.problems[0]) from None


_START: Final = yaml.Mark(NAME, 0, 0, 0, None, 0)


# --- the parts of a file ------------------------------------------------------------------------------------


def _tool(tool: Tool) -> JsonValue:
    declared = tool.declaration
    if tool.canonical:
        return declared.name
    members: Json = {"name": declared.name, "description": declared.description}
    members["parameters"] = dict(declared.parameters)
    kind: Json = {} if tool.kind == "function" else {"kind": tool.kind}
    answer: Json = {"returns": tool.returns} if tool.raises is None else {"raises": tool.raises}
    return {**members, **kind, **answer}


def _act(act: CallerAct) -> JsonValue:
    when = act.when
    moment = {name: getattr(when, name) for name in ("turn", "call", "characters", "thinking", "request", "ended")}
    does: JsonValue = "cancel" if act.does == "cancel" else {"say": act.text}
    return {"when": {name: value for name, value in moment.items() if value}, "do": does}


def _run(run: NextRun) -> JsonValue:
    asked: Json = {key: True for key, does in (("compact", run.compacted), ("resume", run.resumed)) if does}
    switched: Json = {name: getattr(run, name) for name in ("model", "wire") if getattr(run, name)}
    decided: Json = {name: _word(words) for name, words in run.resolves.items()}
    begins: Json = {"resolve": decided} if decided else {"say": run.says}
    return {"when": "end", "do": {**begins, **asked, **switched}}


def _word(words: Resolve | tuple[Resolve, ...]) -> JsonValue:
    if isinstance(words, tuple):
        return [_word(each) for each in words]
    return words.how if words.how == "approve" else {words.how: words.value}


def _step(step: Step, tools: Mapping[str, Tool]) -> JsonValue:
    if isinstance(step, HttpErrorStep):
        waits: Json = {} if step.retry_after is None else {"retry_after": step.retry_after}
        return {"http": {"status": step.status, **waits}}
    turn = step.turn
    members: Json = {"parts": [_part(part, tools) for part in turn.parts]} if turn.parts else {}
    if turn.stop is not _stop(turn):
        members["stop"] = turn.stop.value
    if turn.deltas != _USUAL_DELTAS:
        members["deltas"] = turn.deltas
    if turn.error is not None:
        members["error"] = {"kind": turn.error.kind, "message": turn.error.message}
    if turn.ending != "complete":
        members["ending"] = turn.ending
    if step.cut is not None:
        members["cut"] = {"after": step.cut.after, "how": step.cut.how}
    return members


def _stop(turn: Turn) -> FinishReason:
    """What a file need not say."""
    if any(isinstance(part, Refusal) for part in turn.parts):
        return FinishReason.REFUSAL
    return FinishReason.TOOL_CALLS if turn.calls else FinishReason.END


def _part(part: Part, tools: Mapping[str, Tool]) -> JsonValue:
    match part:
        case Text(text):
            return {"text": text}
        case ThinkingPart(text, "plain"):
            return {"thinking": text}
        case ThinkingPart(_, form):
            return {"thinking": {form: True}}
        case Refusal(text):
            return {"refusal": text}
        case Call() as call:
            return {"call": _call(call, tools)}


def _call(call: Call, tools: Mapping[str, Tool]) -> JsonValue:
    members: Json = {"name": call.name, "arguments": call.arguments}
    if call.id is not None:
        members["id"] = call.id or "none"
    tool = tools.get(call.name)
    if tool is None or not fits(call, tool):
        members["invalid"] = True
    return members


# --- as YAML ------------------------------------------------------------------------------------------------


class _Dumper(yaml.SafeDumper):
    """Writes texts in double quotes unless they are plain words: a plain text in YAML 1.1 may be a number in 1.2."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - nothing is written as an alias
        return True


_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z_-]*(?: [A-Za-z]+)*\.?")


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if _PLAIN.fullmatch(text) else '"')


_Dumper.add_representer(str, _text_node)


def written(data: Mapping[str, JsonValue]) -> str | None:
    """The file's text; None for half a surrogate pair, which no file can contain."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return None
    return yaml.dump(dict(data), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
