"""Declared tests: scenario files are checked and compiled, and traces are compared with them.

``load`` reads files, ``compare`` judges a trace, ``outline`` lists. The format is described in docs/scenarios.md.

Names are loaded when they are first used: a command that only lists scenarios must not load the models of traces and
wires, and no command loads YAML, pydantic or jsonschema before it loads a file.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.scenario.agent_tools import AGENT_TOOLS, AgentTool, called_tools, in_words_of
    from harness.scenario.automaton import EventExpression
    from harness.scenario.callers import (
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
    from harness.scenario.expectations import compare, compare_sent
    from harness.scenario.expected_files import compare_files
    from harness.scenario.filling import filled
    from harness.scenario.loader import load
    from harness.scenario.missed import unmet
    from harness.scenario.model import (
        CHUNKINGS,
        CODING_AGENT,
        PROFILES,
        SUITES,
        Chunking,
        Cut,
        Expect,
        ExpectedError,
        FinalExpect,
        HttpErrorStep,
        Outcome,
        Scenario,
        ScenarioLines,
        SentExpect,
        SideConversation,
        SocketFault,
        Step,
        Suite,
        Tool,
        ToolRun,
        TurnStep,
    )
    from harness.scenario.outlines import Outline, outline
    from harness.scenario.places import shipped
    from harness.scenario.run_values import is_fresh, made_calls, values_returned
    from harness.scenario.suites import suite_of
    from harness.scenario.timeline import CallerAct, NextRun, When
    from harness.scenario.tools import CANONICAL
    from harness.wire.text_tags.prompt import Skill

__all__ = [
    "AGENT_TOOLS",
    "CANONICAL",
    "CHUNKINGS",
    "CODING_AGENT",
    "PROFILES",
    "SUITES",
    "AgentTool",
    "CallerAct",
    "CallerAction",
    "Chunking",
    "Cut",
    "EditToolResponse",
    "EditedTurn",
    "EventExpression",
    "Expect",
    "ExpectedError",
    "FinalExpect",
    "GenerateToolResponse",
    "HttpErrorStep",
    "NextRun",
    "Outcome",
    "Outline",
    "Piece",
    "PushMessages",
    "Resolve",
    "Round",
    "Scenario",
    "ScenarioLines",
    "SentExpect",
    "SetMessages",
    "SetParams",
    "SideConversation",
    "Skill",
    "SocketFault",
    "Step",
    "Suite",
    "Tool",
    "ToolRun",
    "TurnStep",
    "When",
    "called_tools",
    "compare",
    "compare_files",
    "compare_sent",
    "filled",
    "in_words_of",
    "is_fresh",
    "load",
    "made_calls",
    "outline",
    "shipped",
    "suite_of",
    "unmet",
    "values_returned",
]

_HOMES = {
    "agent_tools": "AGENT_TOOLS AgentTool called_tools in_words_of",
    "automaton": "EventExpression",
    "callers": (
        "CallerAction EditToolResponse EditedTurn GenerateToolResponse Piece PushMessages Resolve Round "
        "SetMessages SetParams"
    ),
    "expectations": "compare compare_sent",
    "expected_files": "compare_files",
    "filling": "filled",
    "loader": "load",
    "outlines": "Outline outline",
    "places": "shipped",
    "suites": "suite_of",
    "run_values": "is_fresh made_calls values_returned",
    "timeline": "CallerAct NextRun When",
    "tools": "CANONICAL",
    "missed": "unmet",
}
"""The module of every public name; ``model`` has the rest."""

_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME.get(name, 'model')}"), name)
    globals()[name] = value
    return value
