"""The scenarios of calibration: known-good, short, and with words that are nowhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from harness.scenario import Expect, HttpErrorStep, Scenario, Step, Tool, TurnStep
from harness.trace import JsonValue
from harness.wire import WIRES, Call, FinishReason, Text, ToolDeclaration, Turn

SYSTEM: Final = "You are a guide to Norway. Answer in one sentence."
"""The system prompt of those that have one."""

RETURNED: Final[Mapping[str, JsonValue]] = {"celsius": -3, "windy": True, "place": "Tromsø harbour"}
"""What the tool returns: a value that JSON and the notation of a programming language write differently."""

_TOOL: Final = Tool(
    ToolDeclaration(
        "get_weather",
        "The weather in a city now.",
        {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "The name of the city."}},
            "required": ["city"],
            "additionalProperties": False,
        },
    ),
    returns=dict(RETURNED),
)


def _scenario(
    name: str, summary: str, steps: tuple[Step, ...], *prompt: tuple[str, str], tools: tuple[Tool, ...] = ()
) -> Scenario:
    return Scenario(
        name=f"calibration-{name}",
        profile="universal",
        summary=summary,
        wires=WIRES,
        prompt=prompt,
        tools=tools,
        steps=steps,
        expect=Expect(outcome=("completed",)),
        path=Path("calibration"),
        stream=name != "whole",
    )


def _says(text: str) -> TurnStep:
    return TurnStep(Turn((Text(text),)))


ANSWER: Final = _scenario(
    "answer",
    "A streamed answer to a system prompt and a question.",
    (_says("Oslo is the capital of Norway, and its largest city by far."),),
    ("system", SYSTEM),
    ("user", "What is the capital of Norway?"),
)
"""Also the probe of a wire: whichever wire the loop speaks, it must send this question."""

CALL: Final = _scenario(
    "call",
    "A tool is called once, and its result goes back. There is no system prompt.",
    (
        TurnStep(
            Turn(
                (Text("Let me look."), Call("get_weather", json.dumps({"city": "Tromsø"}, ensure_ascii=False))),
                FinishReason.TOOL_CALLS,
            )
        ),
        _says("It is three degrees below zero, and windy."),
    ),
    ("user", "How cold is it in Tromsø?"),
    tools=(_TOOL,),
)

WHOLE: Final = _scenario(
    "whole",
    "A non-streaming answer.",
    (_says("Bergen has more rain than any other city of Norway."),),
    ("user", "Which city of Norway has the most rain?"),
)

REFUSED: Final = _scenario(
    "refused",
    "The endpoint answers HTTP 400, so the run must end with an error.",
    (HttpErrorStep(400),),
    ("user", "How long is the coast of Norway?"),
)

OTHERS: Final = (CALL, WHOLE, REFUSED)
"""What is run on a wire that the loop speaks."""
