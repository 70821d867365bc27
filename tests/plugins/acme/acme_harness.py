"""What a company adds to the harness: a rule of the house, a command, and its loops by name."""

from harness.cli.command import Command
from harness.gateway import Gateway
from harness.rules import Breach, Rule
from harness.targets import Declaration
from harness.targets.function import FunctionTarget


def _few_tools(reading):
    for ask in reading.asks:
        if ask.conversation is not None and len(ask.conversation.tools) > 1:
            yield Breach(ask.at, "at most 1 tool in a request", f"{len(ask.conversation.tools)} tools")


FEW_TOOLS = Rule(
    id="acme/few-tools",
    level="MUST",
    klass="style",
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

    def open(self, name: str, gateway: Gateway) -> FunctionTarget:
        return FunctionTarget(f"acme:{name}", "acme_harness:loop", Declaration())


TARGETS = _Loops()


def loop(run):
    raise RuntimeError(f"the loop of {run.prompt!r} is not written yet")
