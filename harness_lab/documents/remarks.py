"""What the maintainers of a loop could change, in a sentence each, by the name of the target.

Each sentence is about something that the runs on docs/targets.md have found and that was read in the loop's source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["REMARKS"]

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
    "google-genai": _CHAT,
    "langchain": (
        "An invocation with a new message could keep the results that a cancelled step has stored, which get_state() "
        "shows and the invocation drops, and give calls without a result one, so that no caller has to."
    ),
    "pydantic-ai": (
        "The parts of a response could be kept by the id of a call where it changes, and not by its index alone, for "
        "servers that stream all calls with one index."
    ),
    "vercel-ai": (
        "onAbort could hand out, beside the steps that had ended, what was streamed and run of the one that was cut "
        "off."
    ),
}
