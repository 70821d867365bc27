"""The conversations of one case: how they are distinguished while it runs, and how they are counted in the results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from harness.endpoint import BuiltInModel, CaseConversation, CaseEndpoint, Conversations, SideScript
from harness.finding import MAIN_NAME, conversation_name
from harness.runner.results import ConversationCount
from harness.runner.scripts import script_source
from harness.scenario import Scenario
from harness.scenario.words import shown
from harness.trace import Case

_LONGEST: Final = 80
"""Most characters of a prompt that the results quote."""


def conversations_of(case: Case, scenario: Scenario, *, by_harness: bool = True) -> Conversations:
    """The conversations of a case that begins now. ``by_harness``: the loop gets the scenario's prompt and tools.

    A recording answers every request. With a script, a built-in model answers conversations that have no script. If a
    caller rewrites the history between turns, every request belongs to the main conversation.
    """
    names = [tool.declaration.name for tool in scenario.tools]
    alone = bool(case.edits)
    if case.source != "script":
        prompt = scenario.prompt if by_harness else None
        return Conversations(prompt, names, alone=alone, own_tools=scenario.is_of_agent)
    scripts = [
        SideScript(each.says, partial(script_source, scenario, each.steps, BuiltInModel())) for each in scenario.beside
    ]
    restart = partial(script_source, scenario, scenario.steps)
    return Conversations(
        scenario.prompt,
        names,
        scripts,
        BuiltInModel,
        restart=restart,
        by_harness=by_harness,
        alone=alone,
        own_tools=scenario.is_of_agent,
    )


def counted(endpoint: CaseEndpoint) -> tuple[ConversationCount, ...]:
    """The conversations of a case with their numbers of requests; empty if there is only the main one."""
    if all(each is endpoint.apart.main for each in endpoint.apart):
        return ()
    return tuple([count for _, count in numbered(endpoint)])


def numbered(endpoint: CaseEndpoint) -> list[tuple[int | None, ConversationCount]]:
    """All conversations of a case, each with its number in the trace; None for unidentified requests."""
    return [(each.number, ConversationCount(_name(each), each.requests, _begins(each))) for each in endpoint.apart]


def not_begun(case: Case, scenario: Scenario, endpoint: CaseEndpoint) -> Iterator[str]:
    """The marks of sub-agents that the scenario expects and the loop has not started."""
    begun = {each.script for each in endpoint.apart}
    for at, side in enumerate(scenario.beside):
        if side.needed and at not in begun and case.source == "script":
            yield shown(side.says)


def _name(conversation: CaseConversation) -> str:
    return conversation_name(conversation.number) or MAIN_NAME


def _begins(conversation: CaseConversation) -> str:
    text = next(filter(None, conversation.opening), "")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
