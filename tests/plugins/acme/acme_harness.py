"""What a company adds to the harness: a rule, a command, its loops by name, a report format, a source and a tool."""

import csv
import io

from harness.api import (
    Command,
    Declaration,
    Endpoints,
    FinishReason,
    FunctionTarget,
    ModelRequest,
    PerCaseSources,
    ReportFormat,
    Rule,
    ScenarioTool,
    SourceOptions,
    Text,
    ToolDeclaration,
    ToolError,
    Turn,
    TurnStep,
    broken,
)


def _few_tools(view):
    for ask in view.asks:
        if ask.conversation is not None and len(ask.conversation.tools) > 1:
            yield broken(ask.at, "at most 1 tool in a request", f"{len(ask.conversation.tools)} tools")


FEW_TOOLS = Rule(
    id="acme/few-tools",
    level="MUST",
    impact="style",
    statement="A request offers at most one tool",
    why="Each tool costs tokens in each turn.",
    source="Acme's handbook",
    check=_few_tools,
    needs=("exchanges",),
)


def _audit(parser):
    parser.add_argument("name")
    parser.set_defaults(work=lambda options: print(f"{options.name} is audited") or 0)


AUDIT = Command("Acme", "audit a loop of Acme's", _audit, "harness acme-audit search")


class _Loops:
    summary = "the loops of Acme"

    def names(self) -> list[str]:
        return ["search"]

    def open(self, name: str, endpoints: Endpoints) -> FunctionTarget:
        return FunctionTarget(f"acme:{name}", "acme_harness:loop", Declaration())


TARGETS = _Loops()


def loop(run):
    raise RuntimeError(f"the loop of {run.prompt!r} is not written yet")


def _csv(result, run):
    """A line for each finding that no baseline expects; run is the folder of the run."""
    rows = csv.writer(text := io.StringIO())
    rows.writerow(["case", "rule", "level", "expected", "got", "trace"])
    for case in result.cases:
        for finding in case.unexpected:
            trace = f"{run / case.trace}:{finding.at}"
            rows.writerow([case.id, finding.id, finding.level, finding.expected, finding.got, trace])
    return text.getvalue()


CSV = ReportFormat("the findings as comma-separated values", _csv)


class _Terse:
    """A model that says one word, whatever it is asked, three times at most."""

    def __init__(self) -> None:
        self._left = 3

    def next(self, request: ModelRequest) -> TurnStep | None:
        self._left -= 1
        return TurnStep(Turn((Text("Fine."),), FinishReason.END)) if self._left >= 0 else None

    def left(self) -> list[str]:
        return []


def _answers(case, scenario):
    return _Terse()


def terse(options: SourceOptions) -> PerCaseSources:
    """A model that says one word."""
    return PerCaseSources("acme-terse", _answers)


def _look_up(arguments):
    if arguments["order"] != "A-1":
        raise ToolError(f"there is no order {arguments['order']}")
    return {"state": "shipped"}


LOOK_UP = ScenarioTool(
    ToolDeclaration(
        name="look_up_order",
        description="Look up an order by its number.",
        parameters={
            "type": "object",
            "properties": {"order": {"type": "string", "description": "The number of the order."}},
            "required": ["order"],
            "additionalProperties": False,
        },
    ),
    _look_up,
)


def example(rule):
    """Of no rule of a provider: Acme has none."""
