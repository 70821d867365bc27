"""The shape of a request: members, their types and their texts."""

from __future__ import annotations

from typing import Final

from harness.wire.rule import ErrorTemplate, WireRule

_QUOTED: Final = "quoted word for word in public code"
_CLAUDE_CODE: Final = "https://github.com/anthropics/claude-code/issues"

ANT_07: Final = WireRule(
    "ANT-07",
    "The input of a tool_use is a JSON object, also when the call has no arguments, and its name is not empty.",
    "A loop that keeps arguments as text (as other providers send them), or whose model wrote broken JSON, has to send "
    "an object back.",
    "certain",
    (f"{_QUOTED}, ten times",),
    (
        ErrorTemplate(
            "{at}: Input should be a valid {type}",
            seen="messages.35.content.0.tool_use.input: Input should be a valid dictionary",
            name="type",
        ),
        ErrorTemplate(
            "{at}: String should have at least {wanted} character",
            seen="….tool_use.name: String should have at least 1 character",
            name="minLength",
        ),
    ),
    about=("words",),
)

ANT_08: Final = WireRule(
    "ANT-08",
    "The id of a tool_use, and the id that a tool_result names, have only letters, digits, _ and -. That of a "
    "server_tool_use begins with srvtoolu_.",
    "A history that another provider's model has written may have ids such as functions.add:0.",
    "certain",
    (
        "https://github.com/anomalyco/opencode/issues/1279",
        "of a server_tool_use: https://github.com/ding113/claude-code-hub/issues/470",
        "that of a tool_result is checked likewise: likely",
    ),
    (
        ErrorTemplate(
            "{at}: String should match pattern '{wanted}'",
            seen="messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            name="pattern",
        ),
        ErrorTemplate(
            "{at}: String should match pattern '{wanted}'",
            seen="….content.2.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
            name="server",
        ),
        ErrorTemplate("{at}: String should match pattern '{wanted}'", certainty="likely", name="result"),
    ),
    about=("ids",),
)

ANT_09: Final = WireRule(
    "ANT-09",
    "Members that the API requires are there and have their type: model, max_tokens and messages, the role and content "
    "of a message, and what each type of block cannot do without.",
    "A loop that builds blocks from its own records drops a signature or an id, and every further request fails.",
    "certain",
    (
        f"{_QUOTED}; each member confirmed by a refusal",
        "recording anthropic_completion_error (a message that is none)",
        "wrong types: likely, the API's texts are those of its validator",
    ),
    (
        ErrorTemplate(
            "{at}: Field required", seen="messages.2.content.0.tool_result.tool_use_id: Field required", name="required"
        ),
        ErrorTemplate("{at}: Input should be a valid {type}", certainty="likely", name="type"),
        ErrorTemplate(
            "{at}: Input does not match the expected shape.",
            seen="messages.0: Input does not match the expected shape.",
            name="shape",
        ),
    ),
)

ANT_10: Final = WireRule(
    "ANT-10",
    "A request has no members that the API does not know: in the body, in messages, in blocks and in tools.",
    "A loop that keeps notes of its own in the history, or sends all that response objects carry, is refused.",
    "certain",
    (f"{_QUOTED}; members of blocks confirmed by refusals", "members of tools: likely"),
    (
        ErrorTemplate(
            "{at}: Extra inputs are not permitted",
            seen="messages.1.content.0.tool_use.foo: Extra inputs are not permitted",
            name="additionalProperties",
        ),
        ErrorTemplate("{at}: Extra inputs are not permitted", certainty="likely", name="tool"),
    ),
)

ANT_11: Final = WireRule(
    "ANT-11",
    "A text block is not empty, and not only white space. A blank one beside other content of an assistant message is "
    "taken; an empty one is not.",
    "Models send empty text beside calls, and loops send it back.",
    "certain",
    (f"{_QUOTED}; the blank one beside a call is recorded with status 200",),
    (
        ErrorTemplate(
            "{where}: text content blocks must be non-empty",
            seen="messages: text content blocks must be non-empty",
            name="empty",
        ),
        ErrorTemplate(
            "{where}: text content blocks must contain non-whitespace text",
            seen="system: text content blocks must contain non-whitespace text",
            name="blank",
        ),
    ),
)

ANT_12: Final = WireRule(
    "ANT-12",
    "There is at least one message, and no message is empty but an assistant's at the very end.",
    "A model may answer a tool result with nothing at all; a loop that stores that turn and goes on is refused.",
    "certain",
    (f"{_QUOTED}, with request_id req_011CV6i…",),
    (
        ErrorTemplate(
            "{at}: all messages must have non-empty content except for the optional final assistant message",
            seen="messages.2: all messages must have non-empty content except for the optional final assistant message",
            name="empty",
        ),
        ErrorTemplate("{at}: at least one message is required", certainty="likely", name="minItems"),
    ),
    about=("prompt",),
)

ANT_27: Final = WireRule(
    "ANT-27",
    "The content of a tool_result is text, a list of at least one block, or not there at all.",
    "A tool that returned nothing becomes an empty list in many loops.",
    "likely",
    ("a comment of pydantic-ai's that it is rejected; the provider's text is not known",),
    (ErrorTemplate("{at}: List should have at least {wanted} item after validation, not 0", name="minItems"),),
)

ANT_BODY: Final = WireRule(
    "ANT-BODY",
    "The body is a JSON object in UTF-8, without halves of surrogate pairs.",
    "A loop that cuts text by UTF-16 units, or encodes in another alphabet, sends what no reader can decode.",
    "certain",
    (f"{_QUOTED}: The request body is not valid JSON: no low surrogate in string",),
    (
        ErrorTemplate(
            "The request body is not valid JSON: {reason}",
            seen="The request body is not valid JSON: no low surrogate in string: line 1 column …",
            name="json",
        ),
        ErrorTemplate(
            "Input should be a valid dictionary or object to extract fields from", certainty="likely", name="object"
        ),
    ),
)

ANT_CACHE: Final = WireRule(
    "ANT-CACHE",
    "At most four blocks of a request (tools, system and messages together) have cache_control.",
    "A loop that marks each new turn without taking the old marks back fails with its fifth.",
    "certain",
    (
        "https://github.com/tghamm/Anthropic.SDK/issues/50",
        "https://github.com/continuedev/continue/pull/6937",
        "https://github.com/vellum-ai/vellum-assistant/pull/18023",
    ),
    (
        ErrorTemplate(
            "A maximum of {most} blocks with cache_control may be provided. Found {count}.",
            seen="A maximum of 4 blocks with cache_control may be provided. Found 5.",
            name="several",
        ),
    ),
)

ANT_CITED: Final = WireRule(
    "ANT-CITED",
    "An assistant message contains no document, and no text of a user message has citations.",
    "A loop that turns the model's cited answer into a user's message, or stores files beside it, is refused since the "
    "API version of October 2026.",
    "certain",
    ("https://platform.claude.com/docs/en/api/migration-2026-10-21", "the provider's texts are not known"),
    (
        ErrorTemplate("{at}: `document` blocks can only be in `user` messages", name="document"),
        ErrorTemplate("{at}.text.citations: Extra inputs are not permitted", name="citations"),
    ),
    applies="anthropic-version 2026-10-21 and later",
)

ANT_IMAGE: Final = WireRule(
    "ANT-IMAGE",
    "An image in base64 is a JPEG, PNG, GIF or WebP by its media_type and by its first bytes, and has data, of at most "
    "5 MB.",
    "A tool that returns a screenshot with a media type such as image/jpg, or a JPEG under the name of a PNG, spoils "
    "the history: it is sent again and again.",
    "certain",
    (
        f"{_CLAUDE_CODE}/8184",
        f"{_CLAUDE_CODE}/3073",
        f"{_CLAUDE_CODE}/12750",
        f"another type than it says: https://github.com/vybestack/llxprt-code/issues/2130, {_CLAUDE_CODE}/35234; in "
        f"2025 it said: Image does not match the provided media type image/png ({_CLAUDE_CODE}/13131)",
        f"too large: {_CLAUDE_CODE}/19631; whether the bytes count or their base64 is not known: likely between them",
    ),
    (
        ErrorTemplate(
            "{at}: Input should be {choices}",
            seen="messages.208.content.0.tool_result.content.0.image.source.base64.media_type: Input should be "
            "'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
            name="enum",
        ),
        ErrorTemplate(
            "{holder}: image cannot be empty",
            seen="messages.118.content.4.image.source.base64: image cannot be empty",
            name="minLength",
        ),
        ErrorTemplate(
            "{at}: The image was specified using the {said} media type, but the image appears to be a {is_} image",
            seen="messages.83.content.0.tool_result.content.1.image.source.base64: The image was specified using "
            "the image/jpeg media type, but the image appears to be a image/png image",
            name="other",
        ),
        ErrorTemplate(
            "{at}: image exceeds 5 MB maximum: {size} bytes > {limit} bytes",
            seen="messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes",
            name="large",
        ),
    ),
)

ANT_TAG: Final = WireRule(
    "ANT-TAG",
    "A content block and a tool have a type that this API knows. Only types of other providers' are judged: this one's "
    "grow.",
    "A history or a tool in another provider's format (image_url, input_text, function) was passed on without being "
    "translated.",
    "certain",
    (
        "https://github.com/AstrBotDevs/AstrBot/pull/4444",
        "tools: https://github.com/dirac-run/dirac/issues/57, https://github.com/vercel/ai/pull/5024",
    ),
    (
        ErrorTemplate(
            "{at}: Input tag '{tag}' found using 'type' does not match any of the expected tags: {tags}",
            seen="messages.0.content.2: Input tag 'image_url' found using 'type' does not match any of the "
            "expected tags: 'document', 'image', 'redacted_thinking', 'search_result', 'server_tool_use', 'text', "
            "'thinking', 'tool_result', 'tool_use', 'web_search_tool_result'",
            name="foreign",
        ),
        ErrorTemplate(
            "{at}: Input tag '{tag}' found using 'type' does not match any of the expected tags: {tags}",
            seen="tools.0: Input tag 'function' found using 'type' does not match any of the expected tags: "
            "'bash_20250124', …",
            name="tool",
        ),
    ),
)
