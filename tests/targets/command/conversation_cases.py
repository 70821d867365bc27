"""Cases with several runs, for commands: two calls of one turn, and what the caller does meanwhile and then."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from harness.scenario import Scenario, load
from harness.targets import Declaration
from harness.targets.command.target import CommandTarget
from harness.trace import CallerRecord, Record, RequestRecord, ToolResult, ToolStart
from tests.targets.command.running import Ran, alive, run

ABLE: Final = Declaration(
    frozenset({"anthropic-messages"}),
    capabilities=frozenset({"streaming", "non-streaming", "parallel", "follow-up", "cancel", "steer", "resume"}),
)

_SCENARIO: Final = """\
scenario: {name}
profile: universal
summary: Several runs.
wires: [anthropic-messages]
stream: {stream}
prompt: How warm is it in Oslo, and what time is it?
tools:
  - name: get_weather
    description: The weather in a city.
    parameters: &city {{type: object, properties: {{city: {{type: string}}}}}}
    returns: {{celsius: 21}}
  - name: get_time
    description: The time in a city.
    parameters: *city
    returns: {{time: '12:05'}}
timeline:
{timeline}
model:
{model}
expect: {{outcome: completed, requests: {requests}}}
"""
_CALLS: Final = "  - calls: [{get_weather: {city: Oslo}}, {get_time: {city: Oslo}}]\n"
_WARM: Final = "  - text: It is 21 degrees, and nobody needs a coat today.\n"
_WELCOME: Final = "  - text: You are welcome.\n"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A scenario's timeline, and the answers of its model."""

    name: str
    timeline: tuple[str, ...]
    model: tuple[str, ...]
    streams: bool = False

    @property
    def alone(self) -> Conversation:
        """Without another run."""
        return replace(self, timeline=self.timeline[:1], model=self.model[:-1])

    def scenario(self, folder: Path) -> Scenario:
        """The scenario, by way of a file in the folder."""
        text = _SCENARIO.format(
            name=self.name,
            stream=str(self.streams).lower(),
            timeline="".join(f"  - {{when: {each}}}\n" for each in self.timeline),
            model="".join(self.model),
            requests=len(self.model),
        )
        path = folder / f"{self.name}.yaml"
        path.write_text(text, encoding="utf-8")
        (one,) = load([path])
        return one


_THEN: Final = "end, do: {say: Never mind the time.}"
FOLLOW: Final = Conversation("follow", ("end, do: {say: Thanks.}",), (_CALLS, _WARM, _WELCOME))
RESUME: Final = Conversation("resume", ("end, do: {say: Thanks., resume: true}",), (_CALLS, _WARM, _WELCOME))
IN_TOOL: Final = Conversation("in-tool", ("{turn: 1, call: 2}, do: cancel", _THEN), (_CALLS, _WARM))
AT_REQUEST: Final = Conversation("at-request", ("{request: 2}, do: cancel", _THEN), (_CALLS, _WARM, _WARM))
IN_TEXT: Final = Conversation(
    "in-text", ("{turn: 2, characters: 5}, do: cancel", _THEN), (_CALLS, _WARM, _WARM), streams=True
)
STEER: Final = Conversation("steer", ("{turn: 1, call: 1}, do: {say: In Fahrenheit please.}",), (_CALLS, _WARM))
CANCELLED: Final = (IN_TOOL, AT_REQUEST, IN_TEXT)
EVERY: Final = (FOLLOW, RESUME, *CANCELLED, STEER)


async def converse(target: CommandTarget, conversation: Conversation, folder: Path, *, deadline: float = 30.0) -> Ran:
    """Run the case. Nothing of the program runs afterwards."""
    mark = secrets.token_hex(8)
    marked = replace(target, environment={**target.environment, "TEST_MARK": mark})
    (one,) = (await run(marked, [conversation.scenario(folder)], deadline=deadline)).values()
    assert alive(mark) == []
    return one


def acts(one: Ran) -> list[str]:
    """What happened, in order: what the caller did, tools, requests."""
    return [word for record in one.trace.records if (word := _act(record))]


def _act(record: Record) -> str:
    match record:
        case CallerRecord(did=did):
            return did
        case RequestRecord():
            return "request"
    event = getattr(record, "event", None)
    kinds: dict[type, str] = {ToolStart: "start", ToolResult: "result"}
    return f"{kinds[type(event)]} {event.name}" if isinstance(event, ToolStart | ToolResult) else ""
