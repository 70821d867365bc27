"""Finds things in the body of a posted request, for the edits that make it wrong.

The result is an empty list if there is nothing: then an edit has nothing to change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.issued import THINKING
from harness.wire.base import Json
from harness.wire.lenient import members, string
from harness.wire.posted import Posted, add, put

Blocks = list[Json]

IMPORTED: Final[Json] = {"metadata": {"user_id": "imported"}}
"""Settings of a history that was not issued here: nobody can distinguish forged thinking from real in it."""


# --- messages and blocks ----------------------------------------------------------------------------------------


def messages(posted: Posted) -> Blocks:
    """The messages; changes to the list change the request."""
    found: Blocks = posted.body["messages"]
    return found


def listed(message: Json) -> Blocks:
    """The content of a message as blocks; a text becomes one."""
    if isinstance(message["content"], str):
        message["content"] = [text(message["content"])]
    content: Blocks = message["content"]
    return content


def of_kind(content: Any, *kinds: str) -> Blocks:
    """The blocks of these types in the content of a message."""
    return [block for block in content if block["type"] in kinds] if isinstance(content, list) else []


def calls_of(message: Json) -> Blocks:
    """The calls in a message."""
    return of_kind(message["content"], "tool_use")


def results_of(message: Json) -> Blocks:
    """The results in a message."""
    return of_kind(message["content"], "tool_result")


def plain_of(message: Json) -> Blocks:
    """The thinking in a message that is not redacted."""
    return of_kind(message["content"], "thinking")


def thinking_of(message: Json) -> Blocks:
    """The thinking in a message, including redacted thinking."""
    return of_kind(message["content"], *THINKING)


def blocks(posted: Posted, *kinds: str) -> Blocks:
    """Every block of these types, from front to back."""
    return [block for message in messages(posted) for block in of_kind(message["content"], *kinds)]


def turns(posted: Posted) -> Blocks:
    """The messages of the assistant that have blocks."""
    return [each for each in messages(posted) if each["role"] == "assistant" and isinstance(each["content"], list)]


def latest(posted: Posted) -> Blocks:
    """The last message of the assistant that has blocks."""
    return turns(posted)[-1:]


def calling(posted: Posted) -> Blocks:
    """The messages of the assistant with calls."""
    return [turn for turn in turns(posted) if calls_of(turn)]


def latest_calling(posted: Posted) -> Blocks:
    """The last message of the assistant, if it has calls."""
    return [turn for turn in latest(posted) if calls_of(turn)]


def issued_turns(posted: Posted) -> Blocks:
    """The messages of the assistant with thinking that was issued here."""
    return [] if imported(posted) else [turn for turn in turns(posted) if thinking_of(turn)]


def latest_issued(posted: Posted) -> Blocks:
    """The last message of the assistant, if it has such thinking."""
    return [] if imported(posted) else [turn for turn in latest(posted) if thinking_of(turn)]


def last_results(posted: Posted) -> Blocks:
    """The last message with results."""
    return [message for message in messages(posted) if results_of(message)][-1:]


def last_user(posted: Posted) -> Blocks:
    """The last message of the user, with its content as blocks."""
    found = [message for message in messages(posted) if message["role"] == "user"][-1:]
    for message in found:
        listed(message)
    return found


def tool_loop(posted: Posted) -> Blocks:
    """The messages of the assistant in the tool loop that a request continues, if it sends them."""
    spoken = [message for message in messages(posted) if message["role"] != "system"]
    if not spoken or not results_of(spoken[-1]):
        return []
    prompts = [at for at, message in enumerate(spoken) if message["role"] == "user" and not results_of(message)]
    return [message for message in spoken[max(prompts, default=-1) + 1 :] if message["role"] == "assistant"]


# --- settings ---------------------------------------------------------------------------------------------------


def tools(posted: Posted) -> Blocks:
    """The declarations of tools."""
    found = posted.body.get("tools")
    return found if isinstance(found, list) else []


def thinks(posted: Posted) -> str:
    """The type of thinking that is asked for."""
    return string(members(posted.body.get("thinking")).get("type"))


def betas(posted: Posted) -> str:
    """The betas that the headers ask for."""
    return posted.headers.get("anthropic-beta", "")


def imported(posted: Posted) -> bool:
    """Whether the history comes from elsewhere, so that the endpoint has issued nothing of it."""
    return bool(posted.body.get("metadata") == IMPORTED["metadata"])


def fact(posted: Posted, name: str) -> Any:
    """The fact with this name about the model that is asked."""
    return MODELS.value(name, str(posted.body.get("model")))


# --- what edits put into a request --------------------------------------------------------------------------------


def text(words: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": words}


def search(id: str) -> Json:
    """A search of the provider's own."""
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "hi"}}


def say(posted: Posted, role: str, content: str | Blocks, at: int | None = None) -> bool:
    """Add a message before place ``at`` (None: at the end)."""
    return add([posted.body], "messages", {"role": role, "content": content}, at=at)


def show_image(posted: Posted, source: Json) -> bool:
    """Show the model an image, as the user."""
    return add(last_user(posted), "content", {"type": "image", "source": source})


def mark(found: Iterable[Json]) -> bool:
    """Ask the provider to cache all up to each of these."""
    return put(found, cache_control={"type": "ephemeral"})


def ask_for_version(posted: Posted, version: str) -> bool:
    """Ask for this version of the API."""
    return put([posted.headers], **{"anthropic-version": version})


def rename(posted: Posted, names: Mapping[str, str]) -> bool:
    """Give calls, and their results, other ids."""
    for block in blocks(posted, "tool_use", "tool_result"):
        for member in ("id", "tool_use_id"):
            if block.get(member) in names:
                block[member] = names[block[member]]
    return bool(names)


def take(posted: Posted, message: Json, block: Json) -> Json:
    """Take a block out of a message, and the message out of the history if it has no other block."""
    message["content"].remove(block)
    if not message["content"]:
        messages(posted).remove(message)
    return block


def doubt(found: Blocks) -> bool:
    """Change the text of the first of these blocks of thinking, and leave its signature."""
    return any(put([block], thinking=block["thinking"] + " Or not.") for block in found[:1])


def forget_thinking(found: Blocks) -> bool:
    """Take all thinking out of these messages."""
    for turn in found:
        turn["content"] = [block for block in turn["content"] if block not in thinking_of(turn)]
    return bool(found)
