"""Skills: instructions that the model loads by name when it needs them, with the tool ``activate_skill``."""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import BadInput
from harness.loop.deferral import ToolKind
from harness.loop.driver import Tools
from harness.loop.session import ToolCall
from harness.loop.tools.arguments import parse_arguments
from harness.loop.tools.tool import Arguments, ToolError, ToolOutcome
from harness.trace import JsonValue
from harness.wire import ToolDeclaration
from harness.wire.text_tags.prompt import ACTIVATE_SKILL, Skill

__all__ = ["SkilledTools"]


class SkilledTools:
    """``tools`` with ``activate_skill`` behind them, if there are any ``skills`` (name to skill).

    A name is only looked up in ``skills``: unlike a path it leads nowhere else. Raises ``BadInput`` when ``tools``
    have a tool of that name.
    """

    def __init__(self, tools: Tools, skills: Mapping[str, Skill]) -> None:
        self._tools = tools
        self._skills = skills
        if skills and any(tool.name == ACTIVATE_SKILL.name for tool in tools.declarations):
            raise BadInput(f"tool {ACTIVATE_SKILL.name!r} is declared twice: it is the tool that loads a skill")

    @property
    def declarations(self) -> tuple[ToolDeclaration, ...]:
        """The tools as the model is offered them."""
        return (*self._tools.declarations, *([ACTIVATE_SKILL] if self._skills else []))

    @property
    def code(self) -> str | None:
        """The file as it is now; None while there is none."""
        return self._tools.code

    def kind(self, name: str) -> ToolKind:
        """Who runs the tool; one that ``tools`` do not know, as that for skills, is a function."""
        return self._tools.kind(name)

    def accepts(self, call: ToolCall) -> bool:
        """Whether there is such a tool and it can be run on these arguments."""
        return self._loads_skills(call.name) or self._tools.accepts(call)

    def previews(self, name: str) -> bool:
        """Whether the tool's ``content`` is shown as code while it arrives."""
        return self._tools.previews(name)

    def summary(self, name: str, arguments: Arguments) -> JsonValue:
        """Return what the user sees of a call's arguments."""
        return self._tools.summary(name, arguments)

    def call_summary(self, call: ToolCall) -> JsonValue:
        """Return what the user sees of a finished call before it runs."""
        return self._tools.call_summary(call)

    async def run(self, call: ToolCall) -> ToolOutcome:
        """Run a call. Whatever goes wrong is an outcome that says so."""
        if not self._loads_skills(call.name):
            return await self._tools.run(call)
        try:
            name = parse_arguments(call.arguments).get("name")
            skill = self._skills.get(name) if isinstance(name, str) else None
            if skill is None:
                raise ToolError(f"skill {name!r} not found")
        except ToolError as error:
            return error.outcome
        return ToolOutcome(result=skill.instructions, summary={"name": name})

    def _loads_skills(self, name: str) -> bool:
        return name == ACTIVATE_SKILL.name and bool(self._skills)
