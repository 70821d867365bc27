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
from harness_lab.mutants.declared import breaks, seen_in


class PassingTools:
    """Tools that pass everything on, for mutants to change one thing of."""

    def __init__(self, inner: Tools) -> None:
        self._inner = inner

    @property
    def declarations(self) -> Sequence[ToolDeclaration]:
        """The tools as the model is offered them."""
        return self._inner.declarations

    @property
    def code(self) -> str | None:
        """The file as it is now; None while there is none."""
        return self._inner.code

    def kind(self, name: str) -> ToolKind:
        """Return who runs the tool."""
        return self._inner.kind(name)

    def accepts(self, call: ToolCall) -> bool:
        """Return whether the tool can be run on these arguments."""
        return self._inner.accepts(call)

    def previews(self, name: str) -> bool:
        """Return whether the tool's ``content`` is shown as code while it arrives."""
        return self._inner.previews(name)

    def summary(self, name: str, arguments: Arguments) -> JsonValue:
        """Return what is shown of a call while its arguments arrive."""
        return self._inner.summary(name, arguments)

    def call_summary(self, call: ToolCall) -> JsonValue:
        """Return what is shown of a finished call."""
        return self._inner.call_summary(call)

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run the call."""
        return await self._inner.run(call)


class RunsTwice(PassingTools):
    """Runs every call a second time, as a loop does that repeats a turn whose results were lost."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run the call twice and return the second outcome."""
        await self._inner.run(call)
        return await self._inner.run(call)


@breaks("tools", "unapproved-run", "execution/unapproved")
@seen_in("unapproved-calls-approved", "unapproved-call-denied")
class RunsEverything(PassingTools):
    """Runs what needs approval, or must run elsewhere, without asking."""

    def kind(self, name: str) -> ToolKind:
        """Return ``function`` for every tool but output tools, so that no call waits."""
        kind = self._inner.kind(name)
        return kind if kind == "output" else "function"


@breaks("tools", "output-not-the-end", "final/output")
@seen_in("output-tool-ends-the-run")
class RunsOutputs(PassingTools):
    """Goes on when the result of the run has been accepted."""

    def kind(self, name: str) -> ToolKind:
        """Return ``function`` for output tools, so that they do not end the run."""
        kind = self._inner.kind(name)
        return "function" if kind == "output" else kind


@breaks("tools", "asks-about-everything", "final/deferred")
@seen_in("tool-returns")
class AsksAboutEverything(PassingTools):
    """Waits for leave to run what needs none."""

    def kind(self, name: str) -> ToolKind:
        """Return ``unapproved`` for functions, so that each call waits for approval."""
        kind = self._inner.kind(name)
        return "unapproved" if kind == "function" else kind


@breaks("tools", "denied-unasked", "execution/waiting", unseen_on="text-tags")  # whose tools are described in prose
@seen_in("unapproved-call-denied")
class DeniesUnasked(PassingTools):
    """Sends the model a denial of a call without a request for approval."""

    def accepts(self, call: ToolCall) -> bool:
        """Accept calls of functions only."""
        return self.kind(call.name) == "function" and self._inner.accepts(call)

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run functions, and deny every other call without asking."""
        if self.kind(call.name) == "function":
            return await self._inner.run(call)
        return ToolOutcome({"error": "denied"}, {"error": "denied"}, ok=False)


@breaks("tools", "arguments-salvaged", "execution/arguments")
@seen_in("arguments-invalid-json")
class SalvagesArguments(PassingTools):
    """Repairs arguments that are no JSON, and runs the call on its guess."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run a failed call again with a brace added to its arguments."""
        outcome = await self._inner.run(call)
        return outcome if outcome.ok else await self._inner.run(replace(call, arguments=call.arguments + "}"))


@breaks("tools", "images-swapped", "expect/sent", "expect/final")
@seen_in("images-then-page", "page-with-the-images-that-came")
class SwapsImages(PassingTools):
    """Gives each image prompt the image of another."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run the call, and reverse the images in its result."""
        outcome = await self._inner.run(call)
        images = outcome.result.get("images") if isinstance(outcome.result, dict) else None
        if not isinstance(images, dict) or not isinstance(outcome.result, dict):
            return outcome
        swapped: JsonValue = dict(zip(images, reversed(images.values()), strict=True))
        return replace(outcome, result={**outcome.result, "images": swapped})


@breaks("tools", "results-remembered", "expect/results")
@seen_in("results-are-not-mixed-up")
class RemembersByName(PassingTools):
    """Returns for every call of a tool what its first call has returned."""

    def __init__(self, inner: Tools) -> None:
        super().__init__(inner)
        self._first: dict[str, ToolOutcome] = {}

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run the call, and return the first outcome of its tool."""
        outcome = await self._inner.run(call)
        return self._first.setdefault(call.name, outcome)


@breaks("tools", "first-option-read", "expect/sent")
@seen_in("option-then-page")
class ReadsTheFirstOption(PassingTools):
    """Reads the first option whichever is asked for."""

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run the call of an option with the number 1."""
        asked = replace(call, arguments='{"option_number": 1}') if call.name == "retrieve_option" else call
        return await self._inner.run(asked)


@breaks("runner", "cache-not-used", "order/tool-result-once")
@seen_in("response-generated-twice")
class ForgetfulRunner(Runner):
    """Runs the tools anew each time that the caller asks for their answers."""

    async def generate_tool_response(self) -> ToolResponse | None:
        """Run the calls of the turn again although they have been run."""
        if current := self._current:
            current.response = None
            current.calls._call_results.clear()
        return await super().generate_tool_response()
