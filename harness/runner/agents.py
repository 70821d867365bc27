"""Cases of coding agents: the script translated to the agent's tools, its folders, and whether it offers these tools.

An agent's tools and their schemas are taken from its first request of the main conversation. A case whose script calls
another tool, or uses other arguments, shows nothing about the agent, and is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from harness.endpoint import CaseEndpoint
from harness.finding import Finding
from harness.ground.bounded_json import loads
from harness.runner.plan import PlannedCase
from harness.scenario import AGENT_TOOLS, AgentTool, Scenario, TurnStep, compare_files, in_words_of
from harness.scenario.agent_tools import with_nulls
from harness.scenario.steps import StepBudget
from harness.targets.agent import Workspace
from harness.targets.base import HasWorkspace, Target
from harness.wire import Call, ToolDeclaration

_MOST_NAMED: Final = 12


@contextmanager
def agent_case(item: PlannedCase, target: Target) -> Iterator[tuple[PlannedCase, Workspace | None]]:
    """The case with its script translated for the agent, and its folders, which exist while the block runs.

    A case of any other loop is unchanged; it has folders only if its target wants them for every case.
    """
    if not isinstance(target, HasWorkspace):
        yield item, None
        return
    with target.workspace(item.scenario.files) as folders:
        if folders is not None:
            item = replace(item, case=replace(item.case, folders=folders.named()))
        if not item.scenario.is_of_agent:
            yield item, folders
            return
        workdir = "" if folders is None or folders.workdir is None else str(folders.workdir)
        tools = dict(target.declaration.tools)
        yield replace(item, scenario=in_words_of(item.scenario, tools, workdir)), folders


def unexpected_files(scenario: Scenario, folders: Workspace | None) -> Iterator[Finding]:
    """The unmet expectations about files, each with its line in the scenario's file."""
    expected = scenario.expect.files
    if not expected or folders is None:
        return
    line = None if scenario.lines is None else scenario.lines.expected.get("files", scenario.lines.expect)
    for finding in compare_files(expected, folders.texts([each.path for each in expected])):
        yield replace(finding, line=line)


def why_unfit(spoken: Scenario, tools: Mapping[str, AgentTool], endpoint: CaseEndpoint) -> str:
    """Why the case shows nothing about the agent: it does not offer a tool, or has another schema. Empty if it fits.

    ``spoken`` is the scenario translated for the agent.
    """
    main = endpoint.apart.main.issued.turns
    if not main or not tools:
        return ""
    offered = {tool.name: tool for tool in main[0][0].tools}
    own = {each.name: (name, each) for name, each in tools.items() if name in AGENT_TOOLS}
    for call in _calls(spoken):
        if call.name in own and (why := _why_not(call, *own[call.name], offered)):
            return why
    return ""


def _calls(scenario: Scenario) -> Iterator[Call]:
    for step in scenario.steps:
        if isinstance(step, TurnStep):
            yield from step.turn.calls


def _why_not(call: Call, neutral: str, tool: AgentTool, offered: Mapping[str, ToolDeclaration]) -> str:
    if call.name not in offered:
        names = sorted(offered)
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        there = ", ".join(names[:_MOST_NAMED]) + more if names else "none"
        return f"the agent offers no tool {call.name}, to which the target file maps {neutral}; it offers {there}"
    from harness.scenario.arguments import UnusableSchema, argument_problems, validator  # jsonschema takes 40 ms

    try:
        arguments = loads(with_nulls(call.arguments, offered[call.name].parameters) or "{}")
        schema = validator(offered[call.name].parameters)
    except (ValueError, UnusableSchema):  # arguments that break off, or a schema that this validator does not read
        return ""
    if not isinstance(arguments, dict) or tool.arguments.keys() - arguments.keys():
        return ""  # a call that lacks an argument of the mapping is wrong on purpose
    problem = next(iter(argument_problems(arguments, schema, StepBudget())), None)
    if problem is None:
        return ""
    place = "/".join(map(str, problem.path))
    return (
        f"the agent's tool {call.name} does not take the arguments to which the target file maps {neutral}: "
        f"{f'{place}: ' if place else ''}{problem.message}"
    )
