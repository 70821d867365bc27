"""Everything of the harness that other packages use. Its names are stable; names of other modules are not.

docs/compatibility.md says what is promised. A name is imported when it is first used, so importing this module takes no
time, and a package that adds a rule does not import a runner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.cassette import Cassette, Interaction, Missed, Provenance, Unplayed, read_cassette
    from harness.cassette import use as use_cassette
    from harness.cli.command import Command
    from harness.endpoint import (
        Endpoints,
        LiveResponse,
        ModelRequest,
        RecordedResponse,
        ScriptSource,
        Source,
        SourceResponse,
        Unknown,
    )
    from harness.errors import BadInput, HarnessError
    from harness.finding import ProviderAnswer
    from harness.loop import LoopPolicy, PartialArguments
    from harness.loop.tools import ToolError
    from harness.report.causes import Cause, causes
    from harness.report.files import read_results
    from harness.report.formats import ReportFormat
    from harness.report.page import page, shown_run
    from harness.rules import Finding, Impact, Level, Need, Rule, TraceView, broken, judge, rule, views
    from harness.rules.example import ExampleOf, RuleExample
    from harness.rules.turns import Ask
    from harness.runner.cases import CaseWork
    from harness.runner.direct import Loop, run_scenarios
    from harness.runner.distributed.cluster import Cluster
    from harness.runner.distributed.executor import Distributed
    from harness.runner.execute import Finished
    from harness.runner.executor import Executor, InProcess, Work
    from harness.runner.judging import Judging, judging
    from harness.runner.processes import Processes
    from harness.runner.results import CaseResult, RunResult, Verdict
    from harness.runner.source_registry import SourceFactory, SourceOptions
    from harness.runner.sources import Opened, PerCaseSources, Sources
    from harness.scenario import Cut, Expect, HttpErrorStep, Scenario, Step, Tool, TurnStep
    from harness.scenario import load as load_scenarios
    from harness.scenario import shipped as shipped_scenarios
    from harness.scenario.tools import ScenarioTool
    from harness.secrets.finder import Pattern
    from harness.secrets.redactor import Redactor
    from harness.secrets.scan import scan
    from harness.targets import Capability, CaseRun, Declaration, Target
    from harness.targets.family import TargetFamily
    from harness.targets.function import FunctionTarget
    from harness.targets.tools import CallableTool, ToolRaised
    from harness.targets.typed import checked_type, signed, typed_arguments
    from harness.testing import FakeModel, FakeModels, HarnessCase
    from harness.trace import (
        Assistant,
        Case,
        Event,
        EventRecord,
        Exchange,
        Failure,
        Final,
        JsonValue,
        RequestRecord,
        ResponseRecord,
        SetCode,
        Thinking,
        ToolArguments,
        ToolResult,
        ToolStart,
        Trace,
        TraceError,
        TurnStart,
    )
    from harness.trace import dump as dump_trace
    from harness.trace import load as load_trace
    from harness.wire import (
        Call,
        Conversation,
        FinishReason,
        Message,
        Refusal,
        StreamError,
        Text,
        ThinkingPart,
        ToolDeclaration,
        Turn,
        Usage,
        Wire,
        WireName,
        WireRule,
        wire_names,
    )

__all__ = [
    "Ask",
    "Assistant",
    "BadInput",
    "Call",
    "CallableTool",
    "Capability",
    "Case",
    "CaseResult",
    "CaseRun",
    "CaseWork",
    "Cassette",
    "Cause",
    "Cluster",
    "Command",
    "Conversation",
    "Cut",
    "Declaration",
    "Distributed",
    "Endpoints",
    "Event",
    "EventRecord",
    "ExampleOf",
    "Exchange",
    "Executor",
    "Expect",
    "Failure",
    "FakeModel",
    "FakeModels",
    "Final",
    "Finding",
    "FinishReason",
    "Finished",
    "FunctionTarget",
    "HarnessCase",
    "HarnessError",
    "HttpErrorStep",
    "Impact",
    "InProcess",
    "Interaction",
    "JsonValue",
    "Judging",
    "Level",
    "LiveResponse",
    "Loop",
    "LoopPolicy",
    "Message",
    "Missed",
    "ModelRequest",
    "Need",
    "Opened",
    "PartialArguments",
    "Pattern",
    "PerCaseSources",
    "Processes",
    "Provenance",
    "ProviderAnswer",
    "RecordedResponse",
    "Redactor",
    "Refusal",
    "ReportFormat",
    "RequestRecord",
    "ResponseRecord",
    "Rule",
    "RuleExample",
    "RunResult",
    "Scenario",
    "ScenarioTool",
    "ScriptSource",
    "SetCode",
    "Source",
    "SourceFactory",
    "SourceOptions",
    "SourceResponse",
    "Sources",
    "Step",
    "StreamError",
    "Target",
    "TargetFamily",
    "Text",
    "Thinking",
    "ThinkingPart",
    "Tool",
    "ToolArguments",
    "ToolDeclaration",
    "ToolError",
    "ToolRaised",
    "ToolResult",
    "ToolStart",
    "Trace",
    "TraceError",
    "TraceView",
    "Turn",
    "TurnStart",
    "TurnStep",
    "Unknown",
    "Unplayed",
    "Usage",
    "Verdict",
    "Wire",
    "WireName",
    "WireRule",
    "Work",
    "broken",
    "causes",
    "checked_type",
    "dump_trace",
    "judge",
    "judging",
    "load_scenarios",
    "load_trace",
    "page",
    "read_cassette",
    "read_results",
    "rule",
    "run_scenarios",
    "scan",
    "shipped_scenarios",
    "shown_run",
    "signed",
    "typed_arguments",
    "use_cassette",
    "views",
    "wire_names",
]

_HOMES = {
    "harness.finding": "ProviderAnswer",
    "harness.report.causes": "Cause causes",
    "harness.report.formats": "ReportFormat",
    "harness.cassette": "Cassette Interaction Missed Provenance Unplayed read_cassette use=use_cassette",
    "harness.secrets.finder": "Pattern",
    "harness.secrets.redactor": "Redactor",
    "harness.secrets.scan": "scan",
    "harness.cli.command": "Command",
    "harness.errors": "BadInput HarnessError",
    "harness.endpoint": (
        "Endpoints LiveResponse ModelRequest RecordedResponse ScriptSource Source SourceResponse Unknown"
    ),
    "harness.loop": "LoopPolicy PartialArguments",
    "harness.loop.tools": "ToolError",
    "harness.report.files": "read_results",
    "harness.report.page": "page shown_run",
    "harness.rules": "Finding Impact Level Need Rule TraceView broken judge views rule",
    "harness.rules.turns": "Ask",
    "harness.rules.example": "ExampleOf RuleExample",
    "harness.runner.cases": "CaseWork",
    "harness.runner.direct": "Loop run_scenarios",
    "harness.runner.distributed.cluster": "Cluster",
    "harness.runner.distributed.executor": "Distributed",
    "harness.runner.execute": "Finished",
    "harness.runner.executor": "Executor InProcess Work",
    "harness.runner.judging": "Judging judging",
    "harness.runner.processes": "Processes",
    "harness.runner.results": "CaseResult RunResult Verdict",
    "harness.runner.source_registry": "SourceFactory SourceOptions",
    "harness.runner.sources": "Opened PerCaseSources Sources",
    "harness.scenario": (
        "Cut Expect HttpErrorStep Scenario Step Tool TurnStep load=load_scenarios shipped=shipped_scenarios"
    ),
    "harness.scenario.tools": "ScenarioTool",
    "harness.targets": "Capability CaseRun Declaration Target",
    "harness.targets.family": "TargetFamily",
    "harness.targets.function": "FunctionTarget",
    "harness.targets.tools": "CallableTool ToolRaised",
    "harness.targets.typed": "checked_type typed_arguments signed",
    "harness.testing": "FakeModel FakeModels HarnessCase",
    "harness.trace": (
        "Assistant Case Event EventRecord Exchange Failure Final JsonValue RequestRecord ResponseRecord SetCode "
        "Thinking ToolArguments ToolResult ToolStart Trace TraceError TurnStart dump=dump_trace load=load_trace"
    ),
    "harness.wire": (
        "Call Conversation FinishReason Message Refusal StreamError Text ThinkingPart ToolDeclaration Turn Usage "
        "Wire WireName WireRule wire_names"
    ),
}
"""The modules of the names; behind ``=`` is the name that one has here."""

_HOME = {
    entry.rpartition("=")[2]: (module, entry.partition("=")[0])
    for module, names in _HOMES.items()
    for entry in names.split()
}


if not TYPE_CHECKING:  # with it a checker would take any name for one that is there

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, original = _HOME[name]
        value = getattr(import_module(module), original)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
