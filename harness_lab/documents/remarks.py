"""What the maintainers of a loop could change, in a sentence each, by the name of the target.

Each sentence is about something that the runs on docs/targets.md have found and that was read in the loop's source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_RUNNER: Final = (
    "Calls whose tools were running when a run was cancelled could get an error result in the thread, as in the SDK "
    "for TypeScript, so that the conversation takes the next message."
)

_CHAT: Final = (
    "A chat could record what the user says, and the calls that it has answered, before a turn has been read to its "
    "end, so that a cancelled answer leaves a history that can go on."
)

REMARKS: Final[Mapping[str, str]] = {
    "anthropic-runner": _RUNNER,
    "anthropic-runner:unthreaded": _RUNNER,
    "anthropic-runner:declined": _RUNNER,
    "anthropic-runner-ts": (
        "The tools of the last reply that max_iterations allows could be left alone, since their results are never "
        "sent."
    ),
    "openai-agents": (
        "to_input_list() could keep the turn that cancel() has cut off, with an output for each of its calls, and "
        "buffered calls of a Chat stream could be distinguished by their ids where a server gives them one index."
    ),
    "openai-agents:websocket": (
        "A 429 or 5xx in an error message could be asked for again as over HTTP, and "
        "websocket_connection_limit_reached could open another connection, since the whole input is at hand."
    ),
    "openai-agents:websocket-unstored": (
        "Where the connection of the response before was lost, or has forgotten it, the run could send its whole input "
        "without previous_response_id, once."
    ),
    "openai:websocket": (
        "The connection could say, when it has reconnected, which request was lost with the one before, and could "
        "reconnect before it sends."
    ),
    "google-genai": _CHAT,
    "google-genai:interactions": (
        "The stream of client.interactions could raise for an error event and for an end without interaction.completed."
    ),
    "google-adk:interactions": (
        "The signature of a thought could stay on a part of its own in streams, too, and the finish reason follow the "
        "status of the interaction."
    ),
    "strands": (
        "A stream without messageStop could raise, as an exception in it does, and cancel() could cancel the tools "
        "that run, and keep what had arrived of the answer."
    ),
    "langchain": (
        "An invocation with a new message could keep the results that a cancelled step has stored, which get_state() "
        "shows and the invocation drops, and give calls without a result one, so that no caller has to."
    ),
    "pydantic-ai": (
        "The parts of a response could be kept by the id of a call where it changes, and not by its index alone, for "
        "servers that stream all calls with one index."
    ),
    "pydantic-ai:bedrock": ("A stream of ConverseStream without messageStop could raise, since each whole one has it."),
    "vercel-ai": (
        "onAbort could hand out, beside the steps that had ended, what was streamed and run of the one that was cut "
        "off."
    ),
    "vercel-ai:interactions-chained": (
        "With previousInteractionId all messages up to that interaction could be left out, and no result that comes "
        "behind it."
    ),
}
