"""The tools of one run: one table from names to implementations, and the file that they share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from harness.errors import BadInput
from harness.loop.deferral import ToolKind
from harness.loop.policy import LoopPolicy
from harness.loop.session import ToolCall
from harness.loop.tools.arguments import check_arguments, parse_arguments
from harness.loop.tools.inline import inline
from harness.loop.tools.placeholder import PlaceholderImages
from harness.loop.tools.registered import implementation
from harness.loop.tools.skills import activating
from harness.loop.tools.tool import (
    PLAIN,
    Arguments,
    FileState,
    ImageService,
    Implementation,
    ToolError,
    ToolOutcome,
    Workbench,
    crashed,
    shortened,
)
from harness.scenario import CANONICAL, Tool
from harness.trace import JsonValue
from harness.wire import ToolDeclaration
from harness.wire.characters import sendable
from harness.wire.text_tags.prompt import ACTIVATE_SKILL, Skill

_EVERY_CANONICAL = tuple(Tool(declaration, canonical=True) for declaration in CANONICAL.values())
_RAW_ARGUMENTS = 200


class ToolRuntime:
    """Runs the calls of one run.

    ``tools`` are offered to the model in this order. Canonical tools check their arguments themselves; other tools
    answer calls that fit their schema, as declared.
    ``file`` is a file to start from, ``images`` makes the images (by default placeholders, in memory), ``options``
    are the codes that ``retrieve_option`` reads, ``deps`` is for tools that use it (``Workbench.deps``), and ``policy``
    decides what is kept of a file's content, how its diffs look and what ``null`` means (``LoopPolicy.cut_pages``,
    ``joined_diffs``, ``null_is_empty``). With ``skills`` (name to skill), the tool that loads one is offered behind the
    others.
    Raises ``BadInput`` for a repeated name, or a canonical tool that this loop does not have.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = _EVERY_CANONICAL,
        *,
        file: FileState | None = None,
        images: ImageService | None = None,
        options: Sequence[str] = (),
        deps: Any = None,
        policy: LoopPolicy = PLAIN,
        skills: Mapping[str, Skill] = MappingProxyType({}),
    ) -> None:
        self.file = file or FileState()
        made = PlaceholderImages() if images is None else images
        self._bench = Workbench(self.file, made, options, deps, policy)
        self._offered: dict[str, Tool] = {}
        self._tools: dict[str, Implementation] = {}
        for tool in tools:
            self._add(tool, implementation(tool.declaration.name) if tool.canonical else inline(tool))
        if skills:
            self._add(Tool(ACTIVATE_SKILL, canonical=True), activating(skills))

    def _add(self, tool: Tool, does: Implementation) -> None:
        name = tool.declaration.name
        if name in self._offered:
            raise BadInput(f"tool {name!r} is declared twice")
        self._offered[name] = tool
        self._tools[name] = does

    @property
    def declarations(self) -> tuple[ToolDeclaration, ...]:
        """The tools that the model is offered."""
        return tuple(tool.declaration for tool in self._offered.values())

    @property
    def code(self) -> str | None:
        """The file as it is now; None while there is none."""
        return self.file.content

    def kind(self, name: str) -> ToolKind:
        """Who runs the tool; ``function`` for an unknown tool."""
        tool = self._offered.get(name)
        return tool.kind if tool else "function"

    def accepts(self, call: ToolCall) -> bool:
        """Whether there is such a tool and, by its schema, it can be run on these arguments."""
        try:
            self._prepare_call(call)
        except Exception:  # noqa: BLE001  # ``run`` says what is wrong
            return False
        return True

    def previews(self, name: str) -> bool:
        """Whether the tool's ``content`` is shown as code while it arrives."""
        tool = self._tools.get(name)
        return tool is not None and tool.previewed

    def summary(self, name: str, arguments: Arguments) -> JsonValue:
        """Return what the user sees of a call's arguments; all of them for an unknown tool."""
        tool = self._tools.get(name)
        return tool.summary(arguments) if tool else dict(arguments)

    def call_summary(self, call: ToolCall) -> JsonValue:
        """Return what the user sees of a finished call before it runs; arguments that do not parse stay text."""
        try:
            return self.summary(call.name, parse_arguments(self._as_read(call).arguments))
        except ToolError:
            return {"arguments": shortened(sendable(call.arguments), _RAW_ARGUMENTS)}

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run a call. An error becomes an outcome; nothing is raised.

        An output tool does nothing: its arguments are the result.
        """
        try:
            tool, arguments = self._prepare_call(self._as_read(call))
            if self.kind(call.name) == "output":
                return ToolOutcome(result=arguments, summary=arguments)
            return await tool.run(self._bench, arguments)
        except ToolError as error:
            return error.outcome
        except Exception as error:  # noqa: BLE001  # a tool's own bug must not end the run: the model learns of it
            return crashed(error)

    def _as_read(self, call: ToolCall) -> ToolCall:
        """The call, with empty arguments instead of ``null`` if the policy reads it so.

        This is only for built-in functions: each of them requires an argument, so no call with ``null`` runs.
        """
        is_null = self._bench.policy.null_is_empty and call.arguments.strip() == "null"
        return replace(call, arguments="") if is_null and self._offered.get(call.name) in _EVERY_CANONICAL else call

    def _prepare_call(self, call: ToolCall) -> tuple[Implementation, dict[str, JsonValue]]:
        """The tool and its arguments. Raises ``ToolError`` if the model must correct the call first."""
        tool = self._offered.get(call.name)
        if tool is None:
            raise ToolError(f"Unknown tool: {sendable(call.name)}")
        arguments = parse_arguments(call.arguments)
        if not tool.canonical:
            check_arguments(arguments, tool.declaration.parameters)
        return self._tools[call.name], arguments
