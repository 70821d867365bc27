"""pydantic-ai: ``Agent.iter`` on its four models, observed by the nodes of its graph and the events that they stream.

The library's defaults are kept. Tools take one argument, a pydantic model that a tool's JSON Schema checks, so that
validation and retries are the library's. An exception of a tool ends the run, unless it is the library's ``ModelRetry``
or ``ToolFailed``, which inform the model.

A further run gets the messages of the previous run as ``message_history``; another process reads them with
``ModelMessagesTypeAdapter``. ``AgentRun.cancel`` ends a run, and ``RunCancelled`` has its messages.
``AgentRun.enqueue`` takes what the user says meanwhile. Calls that wait go on with ``deferred_tool_results``, once each
of them has a result. If the user says something else first, ``repair_messages`` completes the history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import keep, live, stored, user_texts

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.run import AgentRun, AgentRunResult

    from harness.targets.drivers.pydantic_ai.case_events import CaseEvents

__all__ = ["run"]


async def run(case_run: CaseRun) -> None:
    """Run the case on its wire. Raises what the library raises, except for exceptions that ``end_of`` knows."""
    from pydantic_ai.exceptions import AgentRunError, RunCancelled

    from harness.targets.drivers.pydantic_ai.agent import agent_of
    from harness.targets.drivers.pydantic_ai.case_events import CaseEvents, end_of

    agent = agent_of(case_run)
    try:
        async with agent:
            await _conversation(case_run, agent, CaseEvents(case_run))
    except RunCancelled:
        return
    except AgentRunError as error:
        end = end_of(error)
        if end is None:
            raise
        case_run.emit(end)


async def _conversation(case_run: CaseRun, agent: Agent[None, Any], case_events: CaseEvents) -> None:
    """The run, and further runs that take it up while calls wait and the scenario resolves all of them."""
    from pydantic_ai import DeferredToolRequests

    from harness.targets.drivers.pydantic_ai.deferral import keep_waiting, results_for

    begun, rounds = _begun(case_run, case_events), iter(case_run.resolve if case_run.number == 1 else ())
    if not begun:
        case_events.wait()
        return
    while True:
        result = await _one_run(case_run, agent, case_events, begun)
        case_events.end(result)
        if not isinstance(result.output, DeferredToolRequests):
            return
        keep_waiting(case_run, result.output)
        results = results_for(result.output, rounds)
        if results is None:
            return
        begun = {
            "message_history": result.all_messages(),
            "usage": result.usage,
            "deferred_tool_results": results,
        }


def _begun(case_run: CaseRun, case_events: CaseEvents) -> dict[str, Any]:
    """The input of the run; empty if calls wait for which there is no decision yet."""
    from pydantic_ai.messages import repair_messages

    from harness.targets.drivers.pydantic_ai.deferral import decided, take_waiting

    history = _history(case_run)
    waiting = take_waiting(case_run) if case_run.number > 1 else None
    if waiting is None:
        return {"user_prompt": user_texts(case_run), "message_history": history}
    if not case_run.resolve:
        return {"user_prompt": user_texts(case_run), "message_history": repair_messages(history or [])}
    case_events.begun(call.tool_call_id for call in (*waiting.calls, *waiting.approvals))
    results = decided(case_run, waiting)
    return {"message_history": history, "deferred_tool_results": results} if results is not None else {}


async def _one_run(
    case_run: CaseRun, agent: Agent[None, Any], case_events: CaseEvents, begun: dict[str, Any]
) -> AgentRunResult[Any]:
    """One run of the library. Its messages are kept for the next run, even if it is cancelled or a tool raises."""
    from pydantic_ai import UsageLimits, capture_run_messages
    from pydantic_ai.exceptions import RunCancelled

    limits = None if case_run.turn_limit is None else UsageLimits(request_limit=case_run.turn_limit)
    with capture_run_messages() as messages:
        try:
            async with agent.iter(**begun, usage_limits=limits) as run:
                case_run.on_cancel(run.cancel)
                case_run.on_say(run.enqueue)
                await _emit_run(case_run, case_events, run)
        except RunCancelled as cancelled:
            _keep(case_run, cancelled.all_messages())
            raise
        except Exception:
            _keep(case_run, messages)
            raise
    if run.result is None:
        raise RuntimeError("the run has ended without a result")
    _keep(case_run, run.result.all_messages())
    return run.result


async def _emit_run(case_run: CaseRun, case_events: CaseEvents, run: AgentRun[None, Any]) -> None:
    """Take the run from node to node, and report what each node streams."""
    from pydantic_ai import Agent

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


def _history(case_run: CaseRun) -> list[ModelMessage] | None:
    """The messages of the runs before; None in the first."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    history: list[ModelMessage] | None = live(case_run)
    return history or ModelMessagesTypeAdapter.validate_python(stored(case_run)) or None


def _keep(case_run: CaseRun, messages: list[ModelMessage]) -> None:
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    if case_run.has_timeline:
        keep(case_run, ModelMessagesTypeAdapter.dump_python(messages, mode="json"), messages)
