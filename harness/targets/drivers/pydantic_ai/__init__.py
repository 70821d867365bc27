"""pydantic-ai: ``Agent.iter`` on its four models, told by the nodes of its graph and the events that they stream.

The library's defaults are kept. Tools take one argument, a pydantic model that a tool's JSON Schema checks, so that
validation and retries are the library's. A tool that raises raises: whoever wants the model told of it would raise the
library's ``ModelRetry`` or ``ToolFailed``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.run import AgentRunResult

    from harness.targets.drivers.pydantic_ai.case_events import CaseEvents

__all__ = ["run"]


async def run(case_run: CaseRun) -> None:
    """Run the case on the wire that it names. Raises what the library raises, but for what it has words for."""
    from pydantic_ai.exceptions import AgentRunError

    from harness.targets.drivers.pydantic_ai.agent import agent_of
    from harness.targets.drivers.pydantic_ai.case_events import CaseEvents, end_of

    agent = agent_of(case_run)
    try:
        async with agent:
            await _conversation(case_run, agent, CaseEvents(case_run))
    except AgentRunError as error:
        end = end_of(error)
        if end is None:
            raise
        case_run.emit(end)


async def _conversation(case_run: CaseRun, agent: Agent[None, Any], case_events: CaseEvents) -> None:
    """The run, and those that take it up again while calls wait and the scenario has words for all of them."""
    from pydantic_ai import DeferredToolRequests

    from harness.targets.drivers.pydantic_ai.deferral import results_for

    rounds = iter(case_run.resolve)
    begun: dict[str, Any] = {"user_prompt": [text for role, text in case_run.prompt if role != "system"]}
    while True:
        result = await _one_run(case_run, agent, case_events, begun)
        case_events.end(result)
        if not isinstance(result.output, DeferredToolRequests):
            return
        results = results_for(result.output, rounds)
        if results is None:
            return
        begun = {
            "message_history": result.all_messages(),
            "usage": result.usage,
            "deferred_tool_results": results,
        }


async def _one_run(
    case_run: CaseRun, agent: Agent[None, Any], case_events: CaseEvents, begun: dict[str, Any]
) -> AgentRunResult[Any]:
    from pydantic_ai import Agent, UsageLimits

    limits = None if case_run.turn_limit is None else UsageLimits(request_limit=case_run.turn_limit)
    async with agent.iter(**begun, usage_limits=limits) as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                case_events.turn()
                if case_run.stream:
                    async with node.stream(run.ctx) as stream:
                        async for event in stream:
                            case_events.event(event)
            elif Agent.is_call_tools_node(node):
                if not case_run.stream:
                    case_events.response(node.model_response)
                async with node.stream(run.ctx) as events:
                    async for event in events:
                        case_events.event(event)
    if run.result is None:
        raise RuntimeError("the run has ended without a result")
    return run.result
