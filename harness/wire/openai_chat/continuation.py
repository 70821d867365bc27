"""The rules that a Chat continuation must keep, each with the API's own answer.

Numbered rules (OAC-01 ...) are those of the wire's rule table, with its texts; the named ones (OAC-PART ...) are
shapes that the API validates alike. OAC-19 is DeepSeek's and Kimi's: whoever thinks in ``reasoning_content`` wants
it back with the calls (https://github.com/mnfst/modelparams.dev/issues/29,
https://github.com/iOfficeAI/AionUi/issues/2746).
OpenAI checks pairing and shape only: it compares neither names nor arguments nor text with what it sent, so
neither do these rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from harness.wire.base import Conversation, Json, Sent, Violation
from harness.wire.lenient import entries, objects, string
from harness.wire.openai_chat.read import type_name

__all__ = ["violations"]

_MAX_ID = 40
_MAX_TOOLS = 128
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_REASONING_WANTED = "The 'reasoning_content' in the thinking mode must be passed back to the API."


def violations(conversation: Conversation, sent: Sent) -> list[Violation]:
    """Every rule that the request breaks: shapes first, as the API validates them, then the history in order."""
    history = _History(conversation.body, sent)
    shapes = [violation for rule in _SHAPES for violation in rule(history)]
    met = sorted((found for rule in _PAIRING for found in rule(history)), key=lambda found: found[0])
    return shapes + [violation for _, violation in met]


@dataclass(slots=True)
class _Block:
    """An assistant message with calls, and the tool messages that directly follow it."""

    at: int
    ids: list[str]
    results: list[tuple[int, str]] = field(default_factory=list)
    end: int = 0
    """The first message after the block, or the last message of all."""


class _History:
    """A request body, looked at once for all rules. Members of any type may be anywhere."""

    def __init__(self, body: Json, sent: Sent) -> None:
        self.body = body
        self.sent = sent
        self.messages: list[Json] = body.get("messages") or []

    @cached_property
    def calls(self) -> list[tuple[str, Json]]:
        """Every call with its place."""
        return [
            (f"messages[{at}].tool_calls[{number}]", call)
            for at, message in enumerate(self.messages)
            for number, call in enumerate(_calls_of(message))
        ]

    @cached_property
    def blocks(self) -> list[_Block]:
        return self._pairing[0]

    @cached_property
    def orphans(self) -> list[int]:
        """Tool messages that follow no message with calls."""
        return self._pairing[1]

    @cached_property
    def _pairing(self) -> tuple[list[_Block], list[int]]:
        blocks: list[_Block] = []
        orphans: list[int] = []
        open_block: _Block | None = None
        for at, message in enumerate(self.messages):
            if message.get("role") == "tool":
                if open_block:
                    open_block.results.append((at, string(message.get("tool_call_id"))))
                    open_block.end = at
                else:
                    orphans.append(at)
                continue
            if open_block:
                open_block.end = at
            ids = [string(call.get("id")) for call in _calls_of(message)]
            open_block = _Block(at, ids, end=at) if ids else None
            if open_block:
                blocks.append(open_block)
        return blocks, orphans


def _calls_of(message: Json) -> list[Json]:
    calls = message.get("tool_calls") if message.get("role") == "assistant" else None
    return objects(calls)


# --- shapes ------------------------------------------------------------------------------------------------


def _has_model(history: _History) -> Iterator[Violation]:
    if not history.body.get("model"):
        yield Violation("OAC-MODEL", "you must provide a model parameter", "model", "a model", "none", level="L")


def _has_messages(history: _History) -> Iterator[Violation]:
    if "messages" not in history.body:
        message = "Missing required parameter: 'messages'."
        code = "missing_required_parameter"
        yield Violation("OAC-01", message, "messages", "messages", "no such member", param="messages", code=code)
    elif not history.messages:
        yield _empty_array("OAC-01", "messages")


def _empty_array(rule: str, place: str) -> Violation:
    message = (
        f"Invalid '{place}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    )
    return Violation(rule, message, place, "at least one", "none", param=place, code="empty_array")


def _few_tools(history: _History) -> Iterator[Violation]:
    tools = history.body.get("tools")
    if isinstance(tools, list) and len(tools) > _MAX_TOOLS:
        message = (
            f"Invalid 'tools': array too long. Expected an array with maximum length {_MAX_TOOLS}, "
            f"but got an array with length {len(tools)} instead."
        )
        expected, got = f"at most {_MAX_TOOLS} tools", str(len(tools))
        yield Violation("OAC-18", message, "tools", expected, got, "L", param="tools", code="array_above_max_length")


def _known_roles(history: _History) -> Iterator[Violation]:
    for at, message in enumerate(history.messages):
        role = message.get("role")
        if role not in _ROLES:
            place = f"messages[{at}].role"
            text = (
                f"Invalid value: '{role}'. Supported values are: "
                "'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
            )
            expected = "a role of the API"
            yield Violation("OAC-ROLE", text, place, expected, repr(role), "L", param=place, code="invalid_value")


def _tool_calls_not_empty(history: _History) -> Iterator[Violation]:
    for at, message in enumerate(history.messages):
        if message.get("role") == "assistant" and message.get("tool_calls") == []:
            yield _empty_array("OAC-08", f"messages[{at}].tool_calls")


def _call_ids_fit(history: _History) -> Iterator[Violation]:
    """An id that the endpoint itself issued fits, however long: servers of other makers have their own limit."""
    issued = _issued_ids(history.sent)
    for call_at, call in history.calls:
        place, call_id = f"{call_at}.id", call.get("id")
        if call_id is None:
            text, code = f"Missing required parameter: '{place}'.", "missing_required_parameter"
            yield Violation("OAC-07", text, place, "an id", "no id", param=place, code=code)
        elif call_id == "":
            text = (
                f"Invalid '{place}': empty string. Expected a string with minimum length 1, "
                "but got an empty string instead."
            )
            yield Violation("OAC-07", text, place, "an id", "an empty id", "L", param=place, code="empty_string")
        elif isinstance(call_id, str) and len(call_id) > _MAX_ID and call_id not in issued:
            text = (
                f"Invalid '{place}': string too long. Expected a string with maximum length {_MAX_ID}, "
                f"but got a string with length {len(call_id)} instead."
            )
            expected, got = f"at most {_MAX_ID} characters", f"{len(call_id)} characters"
            yield Violation("OAC-07", text, place, expected, got, param=place, code="string_above_max_length")


def _issued_ids(sent: Sent) -> Counter[str]:
    """How often each call id was issued."""
    return Counter(call.id for reply in sent.replies for call in reply.turn.calls if call.id)


def _arguments_are_text(history: _History) -> Iterator[Violation]:
    for call_at, call in history.calls:
        function = call.get("function")
        if not isinstance(function, dict) or isinstance(function.get("arguments"), str):
            continue
        place, got = f"{call_at}.function.arguments", type_name(function.get("arguments"))
        text = f"Invalid type for '{place}': expected a string, but got {got} instead."
        yield Violation("OAC-11", text, place, "JSON as text", got, "L", param=place, code="invalid_type")


def _content_is_there(history: _History) -> Iterator[Violation]:
    instead = ("tool_calls", "function_call", "refusal", "audio")
    for at, message in enumerate(history.messages):
        is_assistant = message.get("role") == "assistant"
        if message.get("content") is not None or (is_assistant and any(message.get(name) for name in instead)):
            continue
        text = "Invalid value for 'content': expected a string, got null."
        expected = "content, or an assistant message with tool_calls"
        got = "null" if "content" in message else "no content"
        place = f"messages.[{at}].content"
        yield Violation("OAC-09", text, f"messages[{at}].content", expected, got, param=place)


def _content_parts_say_their_type(history: _History) -> Iterator[Violation]:
    for at, message in enumerate(history.messages):
        content = message.get("content")
        for number, part in enumerate(entries(content)):
            if isinstance(part, dict) and "type" not in part:
                place = f"messages[{at}].content[{number}].type"
                text, code = f"Missing required parameter: '{place}'.", "missing_required_parameter"
                yield Violation("OAC-PART", text, place, "a type", "no such member", param=place, code=code)


def _only_users_show_images(history: _History) -> Iterator[Violation]:
    for at, message in enumerate(history.messages):
        role, content = message.get("role"), message.get("content")
        if role == "user" or not isinstance(content, list):
            continue
        if any(isinstance(part, dict) and part.get("type") == "image_url" for part in content):
            place = f"messages[{at}]"
            text = (
                f"Invalid '{place}'. Image URLs are only allowed for messages with role 'user', "
                f"but this message with role '{role}' contains an image URL."
            )
            expected = "text parts; images in a user message after the tool messages"
            yield Violation("OAC-10", text, place, expected, "an image_url part", param=place, code="invalid_value")


# --- pairing: each violation with the message at which the API, going through the history, meets it ----------

_Met = Iterator[tuple[int, Violation]]


def _results_follow_calls(history: _History) -> _Met:
    text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    for at in history.orphans:
        before = history.messages[at - 1].get("role") if at else None
        got = f"a {before} message without tool_calls before it" if before else "nothing before it"
        expected = "an assistant message with tool_calls (and its other results) directly before it"
        yield at, Violation("OAC-04", text, f"messages[{at}]", expected, got, param=f"messages.[{at}].role")


def _results_name_calls(history: _History) -> _Met:
    for block in history.blocks:
        known = set(block.ids)
        for at, call_id in block.results:
            if call_id not in known:
                text = (
                    f"Invalid parameter: 'tool_call_id' of '{call_id}' not found in 'tool_calls' of previous message."
                )
                expected = f"one of {', '.join(block.ids)}"
                place = f"messages.[{at}].tool_call_id"
                yield at, Violation("OAC-05", text, f"messages[{at}].tool_call_id", expected, call_id, param=place)


def _ids_are_used_once(history: _History) -> _Met:
    """Within one block; an id that comes back in a later turn is accepted."""
    for block in history.blocks:
        called = ((block.at, call_id) for call_id in block.ids)
        answered = block.results
        for uses in (called, answered):
            seen: set[str] = set()
            for at, call_id in uses:
                if call_id in seen:
                    text = f"Duplicate value for 'tool_call_id' of {call_id} in message[{at}]"
                    yield at, Violation("OAC-06", text, f"messages[{at}]", "each id once", f"{call_id} again", "L")
                seen.add(call_id)


def _calls_are_answered(history: _History) -> _Met:
    for block in history.blocks:
        answered = {call_id for _, call_id in block.results}
        missing = [call_id for call_id in block.ids if call_id and call_id not in answered]
        if missing:
            text = (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                "'tool_call_id'. The following tool_call_ids did not have response messages: " + ", ".join(missing)
            )
            expected = f"a tool message for each call of messages[{block.at}] before any other message"
            got = f"none for {', '.join(missing)}"
            place = f"messages.[{block.end}].role"
            yield block.end, Violation("OAC-03", text, f"messages[{block.at}]", expected, got, param=place)


def _reasoning_comes_back(history: _History) -> _Met:
    thoughts = _issued_reasoning(history.sent)
    if not thoughts:
        return
    places = {string(message.get("reasoning_content")): at for at, message in enumerate(history.messages)}
    for block in history.blocks:
        thought = next((thoughts[call_id] for call_id in block.ids if call_id in thoughts), None)
        got = history.messages[block.at].get("reasoning_content")
        if thought is None or got == thought:
            continue
        place = f"messages[{block.at}].reasoning_content"
        expected = f"as it was sent: {thought[:80]!r}"
        code = "invalid_request_error"
        if got:
            told = f"altered: {string(got)[:80]!r}"
            yield block.at, Violation("OAC-19", _REASONING_WANTED, place, expected, told, "L", code=code)
        else:
            told = f"moved to messages[{places[thought]}]" if thought in places else "dropped"
            yield block.at, Violation("OAC-19", _REASONING_WANTED, place, expected, told, code=code)


def _issued_reasoning(sent: Sent) -> dict[str, str]:
    """The thinking that each call came with. Ids that were issued twice say nothing and are left out."""
    issued = _issued_ids(sent)
    return {
        call.id: item["reasoning_content"]
        for reply in sent.replies
        for item in reply.items
        if item.get("reasoning_content")
        for call in reply.turn.calls
        if call.id and issued[call.id] == 1
    }


_SHAPES: tuple[Callable[[_History], Iterator[Violation]], ...] = (
    _has_model,
    _has_messages,
    _known_roles,
    _few_tools,
    _tool_calls_not_empty,
    _call_ids_fit,
    _arguments_are_text,
    _content_is_there,
    _content_parts_say_their_type,
    _only_users_show_images,
)

_PAIRING: tuple[Callable[[_History], _Met], ...] = (
    _results_follow_calls,
    _results_name_calls,
    _ids_are_used_once,
    _calls_are_answered,
    _reasoning_comes_back,
)
