"""What a message holds."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Json
from harness.wire.lenient import entries
from harness.wire.openai_chat.rules.book import RULES
from harness.wire.openai_chat.rules.error_templates import EMPTY_ARRAY, MISSING, TYPE, VALUE, seen
from harness.wire.openai_chat.rules.history import ChatHistory, Found
from harness.wire.openai_chat.rules.places import (
    IMAGE,
    add_part,
    call_turns,
    calls,
    is_strict,
    maker,
    of_role,
    silent_turns,
)
from harness.wire.openai_chat.types import listed
from harness.wire.posted import Posted, Right, Wrong, add, drop, put
from harness.wire.rule import Certainty, ErrorTemplate, WireRule, verbatim

_INSTEAD: Final = ("tool_calls", "function_call", "refusal", "audio")
"""Members that an assistant may have instead of content."""

_PARTS: Final = ("text", "image_url", "input_audio", "refusal", "audio", "file")
_FOREIGN: Final = frozenset(
    {"input_text", "output_text", "input_image", "input_file", "image", "document", "tool_use", "tool_result"}
)
"""Parts of the Responses and Messages APIs, which no server is known to accept on Chat."""

_FOREIGN_TO_OPENAI: Final = _FOREIGN | {"thinking", "redacted_thinking", "reasoning", "functionCall"}
"""The same, and parts that other makers may accept."""


def is_image(part: Any) -> bool:
    """Whether a part of a message's content is an image."""
    return isinstance(part, dict) and part.get("type") == "image_url"


OAC_09: Final = WireRule(
    "OAC-09",
    "Every message has content that is not null; only an assistant message with calls, a refusal or sound may do "
    "without.",
    "A tool that returns nothing, or a turn in which the model said nothing, must go back as an empty text.",
    "certain",
    ("public code quotes live bodies",),
    (
        verbatim(
            "Invalid value for 'content': expected a string, got null.",
            param="messages.[{number}].content",
            name="null",
        ),
        seen(EMPTY_ARRAY, certainty="likely", name="minItems"),
    ),
    wrong=(
        Wrong(
            "chat-result-missing-content",
            "A result has no content.",
            lambda it: drop(of_role(it, "tool")[:1], "content"),
            "two-calls",
        ),
        Wrong(
            "chat-result-null",
            "A result has null for content, as a tool that returns nothing makes it.",
            lambda it: put(of_role(it, "tool")[-1:], content=None),
            "foreign two-calls",
        ),
        Wrong(
            "chat-message-null",
            "A user message has null for content.",
            lambda it: put(of_role(it, "user")[-1:], content=None),
            "one-call spoken",
        ),
        Wrong(
            "chat-message-silent",
            "An assistant message has neither content nor calls.",
            lambda it: add([it.body], "messages", {"role": "assistant", "content": None}),
            "one-call spoken",
        ),
        Wrong(
            "chat-content-empty-list",
            "A content is an empty list.",
            lambda it: is_strict(it) and put(of_role(it, "user")[:1], content=[]),
            "one-call spoken",
            says="minItems",
        ),
    ),
    right=(
        Right(
            "chat-result-empty",
            "A result is an empty text.",
            lambda it: put(of_role(it, "tool")[:1], content=""),
            "two-calls",
        ),
        Right(
            "chat-content-empty",
            "Messages with calls have an empty content.",
            lambda it: put(call_turns(it), content=""),
            "two-calls mistral",
        ),
        Right(
            "chat-content-null",
            "Messages with calls have null for content.",
            lambda it: put(call_turns(it), content=None),
            "two-calls",
        ),
        Right(
            "chat-content-absent",
            "Messages with calls have no content at all.",
            lambda it: drop(call_turns(it), "content"),
            "two-calls foreign",
        ),
        Right(
            "chat-two-assistants",
            "Two assistant messages follow each other, one of them empty.",
            lambda it: add(
                [it.body], "messages", {"role": "assistant", "content": ""}, {"role": "assistant", "content": "Well."}
            ),
            "two-calls one-call",
        ),
        Right(
            "chat-refusal",
            "An assistant message has a refusal in place of content.",
            lambda it: add(
                [it.body],
                "messages",
                {"role": "assistant", "content": None, "refusal": "No."},
                {"role": "user", "content": "Do."},
            ),
            "two-calls",
        ),
    ),
)


@RULES.check("messages", OAC_09)
def content_is_there(history: ChatHistory) -> Found:
    """OAC-09: a message that has neither content nor anything in its place."""
    for at, message in enumerate(history.messages):
        if message.get("content") is not None or _says_something_else(message):
            continue
        expected = "content, or an assistant message with tool_calls"
        got = "null" if "content" in message else "no such member"
        yield OAC_09.broken(f"messages[{at}].content", expected=expected, got=got, number=at)


def _says_something_else(message: Json) -> bool:
    return message.get("role") == "assistant" and any(message.get(name) for name in _INSTEAD)


OAC_10: Final = WireRule(
    "OAC-10",
    "Only user messages show images: a tool, system or assistant message has text parts only.",
    "A tool that returns a picture must hand it over in a user message behind the whole block of results.",
    "certain",
    (
        "https://github.com/OpenHands/OpenHands/issues/7700",
        "public code quotes the body with param and code",
    ),
    (
        ErrorTemplate(
            "Invalid '{at}'. Image URLs are only allowed for messages with role 'user', but this message with role "
            "'{role}' contains an image URL.",
            param="{at}",
            code="invalid_value",
            seen="Invalid 'messages[3]'. Image URLs are only allowed for messages with role 'user', but this "
            "message with role 'tool' contains an image URL.",
            name="image",
        ),
    ),
    wrong=(
        Wrong(
            "chat-image-in-result",
            "A result shows an image.",
            lambda it: add_part(it, "tool", IMAGE),
            "two-calls images foreign",
        ),
        Wrong(
            "chat-image-in-system",
            "The system prompt shows an image.",
            lambda it: add_part(it, "system", IMAGE),
            "two-calls",
        ),
        Wrong(
            "chat-image-in-assistant",
            "An assistant message shows an image.",
            lambda it: add_part(it, "assistant", IMAGE),
            "two-calls",
        ),
    ),
    right=(
        Right(
            "chat-results-listed",
            "Results are lists of text parts.",
            lambda it: put(of_role(it, "tool"), content=[{"type": "text", "text": "ok"}]),
            "two-calls foreign",
            also=("OAC-TYPE",),
        ),
    ),
)


@RULES.check("messages", OAC_10)
def only_users_show_images(history: ChatHistory) -> Found:
    """OAC-10: an image in a message that is not the user's."""
    for at, message in enumerate(history.messages):
        role = message.get("role")
        if role == "user" or not any(map(is_image, entries(message.get("content")))):
            continue
        expected = "text parts; images in a user message after the tool messages"
        yield OAC_10.broken(f"messages[{at}]", expected=expected, got="an image_url part", role=role)


def _part_of_another_api(kind: str, role: str) -> Wrong:
    """A wrong request with such a part. Only strict servers refuse parts in the model's own messages."""
    return Wrong(
        f"chat-part-of-type-{kind}",
        f"A part has the type {kind!r}, which another API has.",
        lambda it: (is_strict(it) or role == "user") and add_part(it, role, {"type": kind, "text": "Hm."}),
        "one-call spoken",
        says="foreign",
    )


OAC_PART: Final = WireRule(
    "OAC-PART",
    "Every part of a content names its type and contains what that type needs, in the words of this wire: text, "
    "image_url, not those of another (input_text, tool_result).",
    "Parts that were written for another provider are refused, wherever in the history they are.",
    "certain",
    (
        "recording test_custom_llm_within_crew",
        "of another wire: public code quotes the body, param messages[1].content[0].type",
        "texts for a missing or wrong member: known from memory, likely",
        "types without a known refusal pass: other makers have video_url, thinking and more",
    ),
    (
        seen(MISSING, "Missing required parameter: 'messages[1].content[0].type'.", name="required"),
        seen(TYPE, certainty="likely", name="type"),
        seen(
            VALUE,
            "Invalid value: 'thinking'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', "
            "'audio', and 'file'.",
            name="foreign",
        ),
    ),
    applies="types of other wires: certain for OpenAI's models, likely for others",
    wrong=(
        Wrong(
            "chat-part-untyped",
            "A part does not say its type.",
            lambda it: add_part(it, "user", {"text": "Which?"}),
            "one-call spoken",
        ),
        Wrong(
            "chat-part-without-text",
            "A part of type text has no text.",
            lambda it: add_part(it, "user", {"type": "text"}),
            "one-call spoken",
        ),
        Wrong(
            "chat-image-flat",
            "An image's URL is where an object is expected.",
            lambda it: add_part(it, "user", {"type": "image_url", "image_url": "https://img.test/a.png"}),
            "one-call spoken",
            says="type",
        ),
        Wrong(
            "chat-part-of-responses",
            "A part has the type that the Responses API gives it.",
            lambda it: add_part(it, "user", {"type": "input_text", "text": "Which?"}),
            "one-call spoken",
            says="foreign",
        ),
        Wrong(
            "chat-part-of-thinking",
            "An assistant message has its thinking as a part, as other makers' servers give it.",
            lambda it: is_strict(it) and add_part(it, "assistant", {"type": "thinking", "thinking": "Hm."}),
            "one-call spoken",
            says="foreign",
        ),
        Wrong(
            "chat-part-of-messages",
            "A result is written as the Messages API wants it.",
            lambda it: add_part(it, "user", {"type": "tool_result", "tool_use_id": "toolu_01", "content": "ok"}),
            "one-call spoken",
            says="foreign",
        ),
        *(
            _part_of_another_api(kind, "user")
            for kind in ("output_text", "input_image", "input_file", "image", "document", "tool_use")
        ),
        *(_part_of_another_api(kind, "assistant") for kind in ("redacted_thinking", "reasoning", "functionCall")),
    ),
)


@RULES.check("messages", OAC_PART)
def parts_are_of_this_wire(history: ChatHistory) -> Found:
    """OAC-PART: a content part whose type belongs to another wire."""
    foreign = _FOREIGN_TO_OPENAI if history.is_strict else _FOREIGN
    certainty: Certainty | None = None if history.is_strict else "likely"
    for at, message in enumerate(history.messages):
        for number, part in enumerate(entries(message.get("content"))):
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(kind, str) and kind in foreign:
                place, values = f"messages[{at}].content[{number}].type", listed(_PARTS)
                yield OAC_PART.broken(
                    place,
                    expected=values,
                    got=repr(kind),
                    template="foreign",
                    certainty=certainty,
                    value=kind,
                    values=values,
                )


# --- what the schema finds ------------------------------------------------------------------------------------

OAC_ROLE: Final = WireRule(
    "OAC-ROLE",
    "Every message has a role of the API: system, developer, user, assistant, tool, or function.",
    "Histories of other providers have other roles (model, human), and so have loops that keep roles of their own.",
    "certain",
    (
        "public code quotes the body, param messages[0].role, code invalid_value",
        "other servers may take any role (Ollama does), so for other makers' models it is only likely",
    ),
    (
        seen(
            VALUE,
            "Invalid value: 'exit'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
            "'developer'.",
            name="enum",
        ),
        seen(MISSING, certainty="likely", name="required"),
    ),
    wrong=(
        Wrong(
            "chat-role-of-gemini",
            "The assistant's role is that of another provider.",
            lambda it: add([it.body], "messages", {"role": "model", "content": "Well."}),
            "one-call spoken",
        ),
        Wrong(
            "chat-role-dropped",
            "A message has no role.",
            lambda it: drop(of_role(it, "user")[-1:], "role"),
            "one-call spoken",
            says="required",
        ),
    ),
)

OAC_08: Final = WireRule(
    "OAC-08",
    "An assistant message without calls has no tool_calls; an empty list is refused.",
    "Adapters that always write the member send an empty list after the first turn without a call.",
    "certain",
    (
        "public code quotes the body",
        "accepted by Mistral, which sends it so: recording test_mistral_model_thinking_part",
    ),
    (
        seen(
            EMPTY_ARRAY,
            "Invalid 'messages[2].tool_calls': empty array. Expected an array with minimum length 1, "
            "but got an empty array instead.",
            name="minItems",
        ),
    ),
    applies="all but Mistral's models",
    wrong=(
        Wrong(
            "chat-calls-empty",
            "A message without calls has an empty list of them.",
            lambda it: (
                maker(it) != "mistral"
                and (
                    put(silent_turns(it)[-1:], tool_calls=[])
                    or add([it.body], "messages", {"role": "assistant", "content": "Well.", "tool_calls": []})
                )
            ),
            "turns one-call",
        ),
    ),
    right=(
        Right(
            "chat-calls-empty-at-mistral",
            "Mistral gets its own empty list of calls back.",
            lambda it: add(
                [it.body],
                "messages",
                {"role": "assistant", "content": "Well.", "tool_calls": []},
                {"role": "user", "content": "?"},
            ),
            "mistral",
        ),
    ),
)


def _last_written(posted: Posted) -> list[Json]:
    """The last call with arguments."""
    return [call for call in calls(posted) if "arguments" in (call.get("function") or ())][-1:]


OAC_11: Final = WireRule(
    "OAC-11",
    "A call says its type and its function, whose arguments are text: the JSON as the model wrote it, not the object "
    "that it says.",
    "A loop that parses the arguments and puts the object back into its history is refused, and so is one that leaves "
    "empty arguments out.",
    "certain",
    (
        "https://github.com/aaif-goose/goose-mobile/pull/20 (an object)",
        "https://github.com/mark3labs/mcphost/issues/117 (none)",
        "Mistral sends and takes calls without a type",
    ),
    (
        seen(
            TYPE,
            "Invalid type for 'messages[2].tool_calls[0].function.arguments': expected a string, "
            "but got an object instead.",
            name="type",
        ),
        seen(MISSING, "Missing required parameter: 'messages[1].tool_calls[1].function.arguments'.", name="required"),
    ),
    about=("words",),
    wrong=(
        Wrong(
            "chat-arguments-parsed",
            "The arguments of a call go back as the object that they say.",
            lambda it: put([call["function"] for call in _last_written(it)], arguments={"path": "src/app.py"}),
            "two-calls foreign",
        ),
        Wrong(
            "chat-arguments-dropped",
            "A call goes back without arguments.",
            lambda it: drop([call["function"] for call in _last_written(it)], "arguments"),
            "two-calls",
            says="required",
        ),
        Wrong(
            "chat-function-dropped",
            "A call goes back without its function.",
            lambda it: drop(_last_written(it), "function"),
            "two-calls",
            says="required",
        ),
        Wrong(
            "chat-call-untyped",
            "A call goes back without its type.",
            lambda it: is_strict(it) and drop(_last_written(it), "type"),
            "one-call",
            says="required",
        ),
    ),
)

OAC_12: Final = WireRule(
    "OAC-12",
    "The arguments of a call need not be JSON: what the model wrote goes back as it is, valid or not.",
    "Repairing broken arguments before they go back is not needed, and hides from the model what it did.",
    "likely",
    ("recording TestExecutorWithOpenAIFunctionAgent sends '15 * 4' and is accepted; some other servers refuse it",),
    permits=True,
    right=(
        Right(
            "chat-arguments-broken",
            "The arguments of a call are no JSON.",
            lambda it: put([call["function"] for call in calls(it)[:1]], arguments="15 * 4"),
            "two-calls foreign",
        ),
    ),
)

RULES.declare(OAC_ROLE, OAC_08, OAC_11, OAC_12)
