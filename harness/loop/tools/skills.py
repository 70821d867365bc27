"""Skills: instructions that the model loads by name when it needs them, with the tool ``activate_skill``."""

from __future__ import annotations

from collections.abc import Mapping

from harness.loop.tools.tool import Arguments, Implementation, ToolError, ToolOutcome, Workbench
from harness.wire.text_tags.prompt import Skill


def activating(skills: Mapping[str, Skill]) -> Implementation:
    """The tool ``activate_skill`` for these skills (name to skill).

    A name is only looked up. Unlike a path it cannot lead anywhere else.
    """

    async def run(_bench: Workbench, arguments: Arguments) -> ToolOutcome:
        name = arguments.get("name")
        skill = skills.get(name) if isinstance(name, str) else None
        if skill is None:
            raise ToolError(f"skill {name!r} not found")
        return ToolOutcome(result=skill.instructions, summary={"name": name})

    return Implementation(run=run, summary=dict)
