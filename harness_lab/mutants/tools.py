"""Breakages of how a loop treats its tools, and of the loop that leaves the history to its caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.loop import Runner, ToolCall, ToolOutcome
from harness.loop.deferral import ToolKind
from harness.loop.driver import Tools
from harness.loop.runner import ToolResponse
from harness.loop.tools.tool import Arguments
from harness.trace import JsonValue
from harness.wire import ToolDeclaration

__all__ = [
    "AsksAboutEverything",
    "DeniesUnasked",
    "ForgetfulRunner",
    "RunsEverything",
    "RunsOutputs",
    "RunsTwice",
    "SalvagesArguments",
    "Whole",
]


class Whole:
    """Tools that pass everything on, for mutants to change one thing of."""

    def __init__(self, inner: Tools) -> None:
        self._inner = inner

    @property
    def declarations(self) -> Sequence[ToolDeclaration]:
        return self._inner.declarations

    @property
    def code(self) -> str | None:
        return self._inner.code

    def kind(self, name: str) -> ToolKind:
        return self._inner.kind(name)

    def accepts(self, call: ToolCall) -> bool:
        return self._inner.accepts(call)

    def previews(self, name: str) -> bool:
        return self._inner.previews(name)

    def summary(self, name: str, arguments: Arguments) -> JsonValue:
        return self._inner.summary(name, arguments)

    def call_summary(self, call: ToolCall) -> JsonValue:
        return self._inner.call_summary(call)

    async def run(self, call: ToolCall) -> ToolOutcome:
        return await self._inner.run(call)


class RunsTwice(Whole):
    """Runs every call a second time, as a loop does that repeats a turn whose results were lost."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        await self._inner.run(call)
        return await self._inner.run(call)


class RunsEverything(Whole):
    """Runs what needs approval, or must run elsewhere, without asking."""

    def kind(self, name: str) -> ToolKind:
        kind = self._inner.kind(name)
        return kind if kind == "output" else "function"


class RunsOutputs(Whole):
    """Runs an output tool as any other, and goes on."""

    def kind(self, name: str) -> ToolKind:
        kind = self._inner.kind(name)
        return "function" if kind == "output" else kind


class AsksAboutEverything(Whole):
    """Waits for leave to run what needs none."""

    def kind(self, name: str) -> ToolKind:
        kind = self._inner.kind(name)
        return "unapproved" if kind == "function" else kind


class DeniesUnasked(Whole):
    """Fails the calls that somebody would have to be asked about."""

    def accepts(self, call: ToolCall) -> bool:
        return self.kind(call.name) == "function" and self._inner.accepts(call)

    async def run(self, call: ToolCall) -> ToolOutcome:
        if self.kind(call.name) == "function":
            return await self._inner.run(call)
        return ToolOutcome({"error": "denied"}, {"error": "denied"}, ok=False)


class SalvagesArguments(Whole):
    """Closes what is open in arguments that are no JSON, and runs the call on that."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        outcome = await self._inner.run(call)
        return outcome if outcome.ok else await self._inner.run(replace(call, arguments=call.arguments + "}"))


class ForgetfulRunner(Runner):
    """Runs the tools anew each time that the caller asks for their answers."""

    async def generate_tool_response(self) -> ToolResponse | None:
        if current := self._current:
            current.response = None
            current.calls._executed.clear()
        return await super().generate_tool_response()
