"""What edits look for in a request. None of it is there in every request: then an edit has nothing to change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from harness.wire import wire
from harness.wire.posted import Edit, Posted

Block = dict[str, Any]
Blocks = list[Block]

IMPORTED: Final[Block] = {"metadata": {"user_id": "imported"}}
"""Settings of a history that was issued nowhere here: nobody can distinguish forged thinking from real in it."""

_THINKING: Final = ("thinking", "redacted_thinking")


def messages_of(posted: Posted) -> Blocks:
    """Return the messages of the body; changes to the list change the request."""
    messages: Blocks = posted.body["messages"]
    return messages


def listed(message: Block) -> Blocks:
    """The content of a message as blocks; a text becomes one."""
    if isinstance(message["content"], str):
        message["content"] = [{"type": "text", "text": message["content"]}]
    content: Blocks = message["content"]
    return content


def of_kind(content: Any, *kinds: str) -> Blocks:
    """The blocks of these types in the content of a message."""
    return [block for block in content if block["type"] in kinds] if isinstance(content, list) else []


def calls_of(message: Block) -> Blocks:
    """Return the calls in a message."""
    return of_kind(message["content"], "tool_use")


def results_of(message: Block) -> Blocks:
    """Return the tool results in a message."""
    return of_kind(message["content"], "tool_result")


def thinking_of(message: Block) -> Blocks:
    """Return the thinking blocks in a message, redacted ones too."""
    return of_kind(message["content"], *_THINKING)


def assistant_turns(posted: Posted) -> Blocks:
    """The messages of the assistant's that have blocks."""
    return [each for each in messages_of(posted) if each["role"] == "assistant" and isinstance(each["content"], list)]


def latest(posted: Posted) -> Block | None:
    """The last of them."""
    return next(reversed(assistant_turns(posted)), None)


def last_results(posted: Posted) -> Block | None:
    """The last message with results."""
    return next((message for message in reversed(messages_of(posted)) if results_of(message)), None)


def user_blocks(posted: Posted) -> Blocks | None:
    """The blocks of the last message of the user's."""
    users = [message for message in messages_of(posted) if message["role"] == "user"]
    return listed(users[-1]) if users else None


def tool_loop(posted: Posted) -> Blocks:
    """The assistant's messages of the tool loop that a request goes on with, as far as it sends them."""
    loop: Blocks = []
    unsystem = [message for message in messages_of(posted) if message["role"] != "system"]
    for message in reversed(unsystem):
        if message["role"] == "user" and not results_of(message):
            break
        if message["role"] == "assistant":
            loop.insert(0, message)
    return loop if unsystem and results_of(unsystem[-1]) else []


def is_imported(posted: Posted) -> bool:
    """Return whether the history comes from elsewhere, so that the endpoint has issued nothing of it."""
    return bool(posted.body.get("metadata") == IMPORTED["metadata"])


def model_fact(posted: Posted, name: str) -> object:
    """What the table of models says of the model that a request asks for."""
    return wire("anthropic-messages").models.value(name, str(posted.body.get("model")))


def holds(posted: Posted, name: str) -> bool:
    """Return whether this fact applies to the model of the request."""
    return bool(model_fact(posted, name))


def version_without_sampling(posted: Posted) -> bool:
    """Return whether the request's API version accepts no sampling settings."""
    return posted.headers.get("anthropic-version", "") >= "2026-10-21"


def copied(value: Any) -> Any:
    """Return a deep copy of JSON data."""
    return json.loads(json.dumps(value))


def setting(**members: Any) -> Edit:
    """The edit that sets members of the body."""

    def edit(posted: Posted) -> bool:
        posted.body.update(copied(members))
        return True

    return edit


def only_words(posted: Posted, more: int) -> bool:
    """Send as many words as the model's window has tokens, and so many more: in texts and results of each form."""
    window = model_fact(posted, "window")
    if (
        not isinstance(window, int)
        or "context-1m" in posted.headers.get("anthropic-beta", "")
        or "thread" in posted.body
    ):
        return False
    posted.body.pop("tools", None)
    few, rest = _words(1000), _words(window + more - 3002)
    call = {"type": "tool_use", "id": "toolu_01words", "name": "read_file", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_01words"}
    text = {"type": "text", "text": _words(250)}
    posted.body["system"] = few
    posted.body["messages"] = [
        {"role": "user", "content": [{"type": "text", "text": rest}, {"type": "other", "text": "a"}]},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{**result, "content": few}]},
        {"role": "assistant", "content": [{**call, "id": "toolu_02words"}]},
        {
            "role": "user",
            "content": [{**result, "tool_use_id": "toolu_02words", "content": [text] * 4}],
        },
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "a"},
    ]
    return True


def _words(count: int) -> str:
    return " ".join("a" * count)


def kinds_in(posted: Posted, *kinds: str) -> Iterator[Block]:
    """Every block of these types, from front to back."""
    for message in messages_of(posted):
        yield from of_kind(message["content"], *kinds)
