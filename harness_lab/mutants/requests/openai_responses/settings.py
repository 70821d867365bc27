"""Mistakes in parts, files, numbers, tools, and in what depends on the model: OAI-20 to OAI-27."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Json
from harness.wire.openai_models import KNOWN, OPENAI_MODELS
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.mutant import RequestMutant
from harness_lab.mutants.requests.openai_responses.base_requests import (
    ANSWERED,
    CHOSEN,
    CUSTOM,
    FOREIGN,
    NAMED,
    ONE_CALL,
    PARALLEL,
    PICTURES,
    PLAIN,
    STRICT,
)
from harness_lab.mutants.requests.openai_responses.making import mutant, with_settings
from harness_lab.mutants.requests.openai_responses.places import (
    OUTPUTS,
    functions,
    items,
    last,
    messages,
    names_its_history,
)

# --- parts and files --------------------------------------------------------------------------------------------


def _with_part(role: str, kind: str) -> Edit:
    """The last message of a role has one part of this type."""

    def edit(posted: Posted) -> bool:
        found = messages(posted, role)
        if not found:
            return False
        found[-1]["content"] = [{"type": kind, "text": "x"}]
        return True

    return edit


def _returning(*parts: Json) -> Edit:
    """The last result is these parts."""

    def edit(posted: Posted) -> bool:
        item = last(posted, *OUTPUTS)
        if item is None:
            return False
        item["output"] = list(parts)
        return True

    return edit


def say_it_as_a_tool(posted: Posted) -> bool:
    """Append a message of role ``tool``, as in the Chat API."""
    items(posted).append({"role": "tool", "content": "ok"})
    return bool(items(posted))


def say_it_as_nobody(posted: Posted) -> bool:
    """Append a message without a role."""
    items(posted).append({"content": "ok"})
    return bool(items(posted))


# --- numbers and models -----------------------------------------------------------------------------------------


def _on(model: str, effort: str | None = None, **members: Any) -> Edit:
    """The request goes to another model, with these settings."""

    def edit(posted: Posted) -> bool:
        posted.body["model"] = model
        posted.body["reasoning"] = {"effort": effort} if effort else {}
        posted.body.update(members)
        return True

    return edit


def name_the_cache_after_two_ids(posted: Posted) -> bool:
    """Send a prompt cache key of 72 characters, more than the API accepts."""
    if not OPENAI_MODELS.holds(KNOWN, posted.body.get("model", "")):
        return False
    posted.body["prompt_cache_key"] = "k" * 72
    return True


_SHARED: Final = {"type": "string"}
_NESTED: Final[Json] = {
    "type": "object",
    "properties": {"shared": {"$ref": "#/$defs/Shared", "$defs": {"Shared": _SHARED}}},
    "required": ["shared"],
    "additionalProperties": False,
}
"""A schema that is closed, with a definition where its reference does not look for it."""


def _answering(schema: Json) -> Edit:
    """The answer must fit a strict schema."""
    return with_settings(text={"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}})


def outgrow_the_window(posted: Posted) -> bool:
    """Send more than the window of ``gpt-4`` takes, and allow no truncation."""
    posted.body["model"] = "gpt-4"
    posted.body.pop("truncation", None)
    posted.body.pop("context_management", None)
    items(posted).append({"role": "user", "content": "word " * 9_000})
    return bool(items(posted))


# --- tools ------------------------------------------------------------------------------------------------------


def _declaring(strict: bool, **schema: Any) -> Edit:
    """The first function has another schema."""

    def edit(posted: Posted) -> bool:
        for tool in functions(posted):
            tool["parameters"], tool["strict"] = schema, strict
            return True
        return False

    return edit


def open_an_inner_object(posted: Posted) -> bool:
    """Declare strict tools whose inner objects permit additional properties."""
    for tool in functions(posted):
        tool["strict"] = True
        tool["parameters"] = {
            "type": "object",
            "properties": {"edits": {"type": "array", "items": {"type": "object", "properties": {}}}},
            "required": ["edits"],
            "additionalProperties": False,
        }
        return True
    return False


def _called(name: str) -> Edit:
    """The first tool has another name."""

    def edit(posted: Posted) -> bool:
        for tool in posted.body.get("tools") or ():
            if tool.get("type") in ("function", "custom"):
                tool["name"] = name
                return True
        return False

    return edit


def call_by_another_name(posted: Posted) -> bool:
    """Give the last call a name with a character that names may not have."""
    item = last(posted, "function_call", "custom_tool_call")
    if item is None:
        return False
    item["name"] = "files.read"
    return True


def name_a_response_alone(posted: Posted) -> bool:
    """Name a response that was never sent, and say nothing more."""
    if "input" not in posted.body or names_its_history(posted):
        return False
    del posted.body["input"]
    posted.body["previous_response_id"] = "resp_elsewhere"
    return True


def _choosing(choice: Any, *, tools: bool = True) -> Edit:
    def edit(posted: Posted) -> bool:
        posted.body["tool_choice"] = choice
        if not tools:
            posted.body.pop("tools", None)
        return True

    return edit


MUTANTS: tuple[RequestMutant, ...] = (
    mutant(
        "unknown-response-alone",
        "A response that was never sent is named in the place of an input.",
        ("OAI-18",),
        name_a_response_alone,
        FOREIGN,
    ),
    mutant(
        "answer-as-input",
        "An answer goes back in the parts of a question.",
        ("OAI-20",),
        _with_part("assistant", "input_text"),
        ANSWERED,
        PARALLEL,
        FOREIGN,
    ),
    mutant(
        "question-as-output",
        "A question has the parts of an answer.",
        ("OAI-20",),
        _with_part("user", "output_text"),
        PLAIN,
    ),
    mutant(
        "question-of-chat",
        "A question has the parts of Chat.",
        ("OAI-20",),
        _with_part("user", "text"),
        PLAIN,
        ANSWERED,
    ),
    mutant(
        "result-as-output",
        "A result has the parts of an answer.",
        ("OAI-20",),
        _returning({"type": "output_text", "text": "ok"}),
        ONE_CALL,
        NAMED,
        CUSTOM,
    ),
    mutant("role-of-chat", "A result is a message of role tool.", ("OAI-20",), say_it_as_a_tool, PLAIN, ONE_CALL),
    mutant("role-forgotten", "An item has neither type nor role.", ("OAI-20",), say_it_as_nobody, PLAIN, NAMED),
    mutant(
        "result-sound-url",
        "A tool returns a recording, by its URL.",
        ("OAI-21",),
        _returning({"type": "input_file", "file_url": "https://example.org/a.mp3?v=2"}),
        ONE_CALL,
        NAMED,
    ),
    mutant(
        "result-sound",
        "A tool returns a recording.",
        ("OAI-21",),
        _returning({"type": "input_file", "filename": "a.mp3", "file_data": "data:audio/mpeg;base64,SUQz"}),
        PICTURES,
        CUSTOM,
    ),
    mutant(
        "result-bare-base64",
        "A tool returns a file without its type.",
        ("OAI-21",),
        _returning({"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0xLjQK"}),
        PICTURES,
    ),
    mutant(
        "result-image-path",
        "A tool returns the path of an image.",
        ("OAI-21",),
        _returning({"type": "input_image", "detail": "auto", "image_url": "out/a.png"}),
        PICTURES,
        ONE_CALL,
    ),
    mutant(
        "temperature-below", "The temperature is negative.", ("OAI-22",), with_settings(temperature=-1), PLAIN, ONE_CALL
    ),
    mutant(
        "temperature-above", "The temperature is a percentage.", ("OAI-22",), with_settings(temperature=99.0), PLAIN
    ),
    mutant("top-p-above", "top_p is a percentage.", ("OAI-22",), with_settings(top_p=95), PLAIN, ONE_CALL),
    mutant(
        "no-room", "One token is left for the answer.", ("OAI-22",), with_settings(max_output_tokens=1), ONE_CALL, NAMED
    ),
    mutant(
        "logprobs-above",
        "More logprobs are asked for than there are.",
        ("OAI-22",),
        with_settings(top_logprobs=50),
        PLAIN,
    ),
    mutant(
        "schema-open", "A strict schema takes any other property.", ("OAI-23",), _declaring(True, type="object"), PLAIN
    ),
    mutant(
        "schema-optional",
        "A strict schema has a property that may be left out.",
        ("OAI-23",),
        _declaring(True, type="object", properties={"unit": {"type": "string"}}, additionalProperties=False),
        STRICT,
        ONE_CALL,
    ),
    mutant(
        "schema-open-inside",
        "A strict schema has an open object inside.",
        ("OAI-23",),
        open_an_inner_object,
        STRICT,
        PLAIN,
    ),
    mutant("schema-empty", "A schema says nothing.", ("OAI-23",), _declaring(False), PLAIN, ONE_CALL),
    mutant(
        "choice-unknown",
        "The tool that must be called is not declared.",
        ("OAI-24",),
        _choosing({"type": "function", "name": "tool_of_nobody"}),
        CHOSEN,
        ONE_CALL,
    ),
    mutant(
        "choice-among-unknown",
        "One of the allowed tools is not declared.",
        ("OAI-24",),
        _choosing({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "tool_of_nobody"}]}),
        CHOSEN,
        CUSTOM,
    ),
    mutant(
        "choice-without-tools",
        "A tool must be called, and there is none.",
        ("OAI-24",),
        _choosing("required", tools=False),
        PLAIN,
        ONE_CALL,
    ),
    mutant(
        "choice-of-anthropic", "The choice is a word of another API.", ("OAI-24",), _choosing("any"), PLAIN, ONE_CALL
    ),
    mutant("tool-name-dotted", "A tool's name has a dot.", ("OAI-25",), _called("files.read"), PLAIN, ONE_CALL, CUSTOM),
    mutant("tool-name-long", "A tool's name is too long.", ("OAI-25",), _called("n" * 65), PLAIN, ONE_CALL),
    mutant("tool-name-empty", "A tool has no name.", ("OAI-25",), _called(""), PLAIN, ONE_CALL),
    mutant(
        "call-name-dotted", "A call comes back under another name.", ("OAI-25",), call_by_another_name, PLAIN, CUSTOM
    ),
    mutant(
        "temperature-unsupported",
        "A reasoning model gets a temperature.",
        ("OAI-26",),
        _on("gpt-5", temperature=0.2),
        ONE_CALL,
    ),
    mutant(
        "temperature-at-effort",
        "A model that reasons in this request gets a temperature.",
        ("OAI-26",),
        _on("gpt-5.4", "high", temperature=0.2),
        ONE_CALL,
        PLAIN,
    ),
    mutant("effort-unsupported", "A model without reasoning gets an effort.", ("OAI-26",), _on("gpt-4o", "low"), PLAIN),
    mutant(
        "effort-unknown", "A model gets an effort of another.", ("OAI-26",), _on("gpt-5.1", "minimal"), ONE_CALL, PLAIN
    ),
    mutant(
        "logprobs-unsupported",
        "A reasoning model gets logprobs.",
        ("OAI-26",),
        _on("gpt-5.6-sol", "low", top_logprobs=2),
        ONE_CALL,
    ),
    mutant(
        "answer-open",
        "The schema of a strict answer is open.",
        ("OAI-FORMAT",),
        _answering({"type": "object", "properties": {"unit": {"type": "string"}}}),
        PLAIN,
        ONE_CALL,
    ),
    mutant(
        "answer-optional",
        "The schema of a strict answer has a property that may be left out.",
        ("OAI-FORMAT",),
        _answering({"type": "object", "properties": {"unit": {"type": "string"}}, "additionalProperties": False}),
        PLAIN,
        ONE_CALL,
    ),
    mutant(
        "answer-refers-to-nothing",
        "The schema of a strict answer has its definitions below its root.",
        ("OAI-FORMAT",),
        _answering(_NESTED),
        PLAIN,
        ONE_CALL,
    ),
    mutant(
        "cache-key-long",
        "The key of the prompt cache is made of two ids.",
        ("OAI-LENGTH",),
        name_the_cache_after_two_ids,
        PLAIN,
        ONE_CALL,
    ),
    mutant(
        "window-outgrown",
        "A model with a small window gets a long text.",
        ("OAI-27",),
        outgrow_the_window,
        PLAIN,
        ONE_CALL,
    ),
)
