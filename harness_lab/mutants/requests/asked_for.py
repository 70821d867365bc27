"""What requests may ask for that no base request does, and the models that rules tell from each other.

A rule about a setting is silent in every request without it, and one about some models in every request for others. So
each setting is tried with each of its values on each model, and with another setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from harness.wire import WireName
from harness.wire.base import Json

_TYPES: Final[Sequence[Any]] = ("x", "", 0, 7, -1, 0.5, 1000000000, True, False, None, [], ["x"], {}, {"x": 1}, [{}])
"""A value of each type, and at the ends of what numbers may be."""


@dataclass(frozen=True, slots=True)
class AskedFor:
    """A setting: the dotted ``place`` of a member, and its value."""

    place: str
    value: Any

    @property
    def words(self) -> str:
        """It in words: ``temperature 0.5``."""
        return f"{self.place} {self.value!r:.80}"

    def made(self, body: Json) -> Json:
        """The body with it, which shares with it what is as it was."""
        return _with(body, self.place.split("."), self.value)


def _with(body: Json, steps: Sequence[str], value: Any) -> Json:
    step, *others = steps
    if not others:
        return {**body, step: value}
    below = body.get(step)
    return {**body, step: _with(below if isinstance(below, dict) else {}, others, value)}


def asked_for(name: WireName) -> Iterator[AskedFor]:
    """Every setting of a wire with each of the values that mean something."""
    for place, values in _VALUES.get(name, {}).items():
        yield from (AskedFor(place, value) for value in values)


def of_any_type(name: WireName) -> Iterator[AskedFor]:
    """Every setting with a value of each type."""
    yield from (AskedFor(place, value) for place in _VALUES.get(name, {}) for value in _TYPES)


def in_pairs(name: WireName, model: str, most: int) -> Iterator[tuple[AskedFor, AskedFor]]:
    """So many pairs of settings that mean something, other ones for each model: those with the lowest hashes."""
    ranked = sorted(asked_for(name), key=lambda each: crc32(f"{model} {each.words}".encode()))
    half = len(ranked) // 2
    pairs = zip(ranked[:half], ranked[half:], strict=False)
    yield from [(one, other) for one, other in pairs if one.place != other.place][:most]


_OPEN: Final[Json] = {"type": "object", "properties": {"a": {"type": "string"}}}
_CLOSED: Final[Json] = {**_OPEN, "additionalProperties": False, "required": ["a"]}
_LAX: Final[Json] = {**_OPEN, "additionalProperties": False}
_NESTED: Final[Json] = {**_CLOSED, "properties": {"a": {"type": "array", "items": {"anyOf": [_OPEN, _LAX]}}}}
_DEFINED: Final[Json] = {**_CLOSED, "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": _OPEN}}
_SCHEMAS: Final[Sequence[Json]] = (_OPEN, _CLOSED, _LAX, _NESTED, _DEFINED, {})


def _strict(schema: Json, **members: Any) -> Json:
    return {"name": "answer", "strict": True, "schema": schema, **members}


_PICTURE: Final[Json] = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}


def _called(*ids: str, **members: Any) -> list[Json]:
    """An assistant message with calls under these ids, and their results."""
    function = {"name": "read_file", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function, **members} for id in ids]
    results = [{"role": "tool", "tool_call_id": id, "content": "x"} for id in ids]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


_WORDS: Final = 8192
"""As many as the smallest context window has tokens."""

_ONE_WORD_TOO_MANY: Final = ("a " * (_WORDS // 2 - 1) + "\ud800", "a " * (_WORDS // 2) + "a")
"""In as few characters as can be, and with half a character among them."""

_CHAT_FUNCTIONS: Final = [{"type": "function", "function": {"name": "read_file", "parameters": {}}}]

_CHAT: Final[Mapping[str, Sequence[Any]]] = {
    "reasoning_effort": ("none", "minimal", "low", "medium", "high", "xhigh", "max"),
    "temperature": (0, 0.5, 1, 2, 2.5),
    "top_p": (0.5, 1, 1.5),
    "presence_penalty": (0.5, -2.5),
    "frequency_penalty": (0.5, 2.5),
    "logit_bias": ({"50256": -100},),
    "logprobs": (True, False),
    "top_logprobs": (0, 2, 21),
    "stop": ("x", ["x"], []),
    "max_tokens": (1, 100),
    "max_completion_tokens": (1, 100),
    "thinking": ({"type": "enabled"}, {"type": "disabled"}),
    "enable_thinking": (True, False),
    "tool_choice": (
        *("auto", "none", "required", "any"),
        {"type": "function", "function": {"name": "read_file"}},
        {"type": "function", "function": {"name": "other"}},
        *({"type": "custom", "custom": {"name": name}} for name in ("read_file", "other")),
    ),
    "parallel_tool_calls": (True, False),
    "tools": ([], None, _CHAT_FUNCTIONS, [{"type": "custom", "custom": {"name": "read_file"}}]),
    "response_format": (
        {"type": "text"},
        {"type": "json_object"},
        *({"type": "json_schema", "json_schema": _strict(schema)} for schema in _SCHEMAS),
        {"type": "json_schema", "json_schema": _strict(_OPEN, strict=False)},
    ),
    "messages": (
        [{"role": "user", "content": [{"type": "text", "text": "See."}, _PICTURE, _PICTURE]}],
        [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]}],
        [{"role": "user", "content": [{"type": "file", "file": {"file_data": "data:audio/wav;base64,AAAA"}}]}],
        [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": "Be kind."}],
        _called("call_1", "abcdefg-1", "abcdefg\u00e91"),
        [*_called("call_1"), {"role": "user", "content": "Go on."}],
        [{"role": "user", "content": "aa " * (_WORDS - 1)}, *_called("call_1", function=None)],
        [{"role": "user", "content": [{"type": "text", "text": text} for text in _ONE_WORD_TOO_MANY]}],
    ),
    "stream": (True, False),
    "n": (0, 1, 128, 129),
    "prompt_cache_key": ("x" * 64, "x" * 65),
}

_MARKED: Final = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}] * 5

_ASKED: Final[Json] = {"role": "user", "content": "What does it print?"}
_SEARCH: Final[Json] = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
_FOUND: Final[Json] = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
_UNFINISHED: Final[Sequence[Any]] = (
    *("It prints", "It prints ", "It prints the name of the folder \n", [_SEARCH], [_SEARCH, _FOUND]),
    *([_SEARCH, _FOUND, {**_SEARCH, "id": "srvtoolu_2"}], [{**_SEARCH, "type": "mcp_tool_use", "server_name": "a"}]),
    *([{"type": "text", "text": "It "}, {"type": "text", "text": "prints"}], [{"type": "text", "text": "It "}, _FOUND]),
    [{"type": "text", "text": "It"}, {"type": "text", "text": "prints "}],
)
"""What a message of the assistant's at the end of a history may be."""

_ANTHROPIC: Final[Mapping[str, Sequence[Any]]] = {
    "thinking": (
        *({"type": kind} for kind in ("adaptive", "disabled", "between_tools", "enabled", "other")),
        *({"type": "enabled", "budget_tokens": budget} for budget in (1023, 1024, 4095, 4096, 4097, 2000.0, True)),
        {"type": "adaptive", "display": "omitted"},
    ),
    "temperature": (0, 0.5, 1, 1.0, 1.5),
    "top_p": (0.5, 1, 1.5),
    "top_k": (1, 5),
    "output_config": (
        *({"effort": effort} for effort in ("low", "medium", "high", "xhigh", "max", "other")),
        *({"format": {"type": "json_schema", "schema": schema}} for schema in _SCHEMAS),
        {"format": {"type": "json_schema"}},
    ),
    "output_format": ({"type": "json_schema", "schema": _OPEN}, {"type": "json_schema", "schema": _CLOSED}),
    "max_tokens": (1, 4096, 4097, 8192, 8193, 32000, 32001, 64000, 64001, 128000, 128001),
    "tool_choice": (
        *({"type": kind} for kind in ("auto", "any", "none", "tool", "other")),
        {"type": "tool", "name": "read_file"},
        {"type": "tool", "name": "other"},
        {"type": "any", "disable_parallel_tool_use": True},
    ),
    "tools": ([], None),
    "system": (
        "Be brief.",
        [{"type": "text", "text": ""}],
        [{"type": "text", "text": " "}],
        [{"type": "image"}],
        _MARKED[:4],
        _MARKED,
    ),
    "container": ("container_other", {"id": "container_other"}),
    "mcp_servers": ([{"type": "url", "url": "https://example.com", "name": "wiki"}],),
    "cache_control": ({"type": "ephemeral"},),
    "stop_sequences": (["x"], [" "]),
    "stream": (True, False),
    "messages": tuple([_ASKED, {"role": "assistant", "content": content}] for content in _UNFINISHED),
}

_ANSWERED: Final[Json] = {"role": "assistant", "content": "I look."}


def _parted(*ids: str | None) -> list[Json]:
    """Calls under these ids, of which a message stands in front of the last, and their outputs."""
    calls = [{"type": "function_call", "call_id": id, "name": "read_file", "arguments": "{}"} for id in ids]
    outputs = [{"type": "function_call_output", "call_id": id, "output": "x"} for id in ids]
    return [{"role": "user", "content": "Hello."}, *calls[:-1], _ANSWERED, calls[-1], *outputs]


_PARTED: Final = (_parted("call_1", "call_2", "call_3"), _parted("call_1", None))


def _called_alone(argument: str, **members: Any) -> list[Json]:
    """A call and its output, each of one word."""
    call = {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": argument, **members}
    return [call, {"type": "function_call_output", "call_id": "call_1", "output": "x"}]


_REFUSED: Final[Json] = {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}

_LONG_HISTORIES: Final[Sequence[Any]] = (
    [{"role": "user", "content": "a " * _WORDS}],
    [{"role": "user", "content": "a\u00a0" * (_WORDS - 3) + "a"}, _REFUSED, *_called_alone("a")],
    [{"role": "user", "content": "a " * (_WORDS - 3) + "a"}, _REFUSED, *_called_alone("a")],
)
"""As long as the smallest context window, and one word longer, which each of its items has a part in."""

_THOUGHT: Final[Json] = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "So."}]}

_THOUGHT_BEFORE: Final[Sequence[Any]] = (
    _called_alone("{}"),
    [_THOUGHT, {"type": "reasoning", "summary": []}, *_called_alone("{}")],
    *([_THOUGHT, {"role": role, "content": "x"}, *_called_alone("{}")] for role in ("user", "system", "developer")),
)
"""Calls that no thought stands in front of, one that it does, and some that something else stands between."""

_RESPONSES: Final[Mapping[str, Sequence[Any]]] = {
    "reasoning": (
        *({"effort": effort} for effort in ("none", "minimal", "low", "medium", "high", "xhigh", "max", "other")),
        *({"effort": "high", "summary": summary} for summary in ("auto", "detailed", "other")),
        {"generate_summary": "auto"},
    ),
    "temperature": (0, 0.5, 1, 2, 2.5),
    "top_p": (0.5, 1, 1.5),
    "top_logprobs": (0, 2, 21),
    "include": (["reasoning.encrypted_content"], ["message.output_text.logprobs"], ["other"]),
    "store": (True, False),
    "max_output_tokens": (15, 16, 100),
    "max_tool_calls": (1,),
    "tool_choice": (
        *("auto", "none", "required", "any"),
        {"type": "function", "name": "read_file"},
        {"type": "function", "name": "other"},
        {"type": "custom", "name": "read_file"},
        {"type": "allowed_tools", "mode": "auto", "tools": ["x", {"type": "custom"}]},
        {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "read_file"}]},
        {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "other"}]},
        {"type": "web_search"},
    ),
    "tools": ([], None, [{"type": "web_search"}], [{"type": "custom", "name": "read_file"}]),
    "parallel_tool_calls": (True, False),
    "text": (
        {"verbosity": "low"},
        {"format": {"type": "text"}},
        {"format": {"type": "json_object"}},
        *({"format": {"type": "json_schema", **_strict(schema)}} for schema in _SCHEMAS),
        {"format": {"type": "json_schema", **_strict(_OPEN, strict=False)}},
    ),
    "prompt_cache_key": ("x" * 64, "x" * 65),
    "previous_response_id": ("resp_other",),
    "conversation": ("conv_other", {"id": "conv_other"}),
    "prompt": ({"id": "pmpt_1"},),
    "input": ("x", "", [], *_PARTED, *_LONG_HISTORIES, *_THOUGHT_BEFORE),
    "instructions": ("Be brief.",),
    "background": (True, False),
    "stream": (True, False),
    "thinking": ({"type": "disabled"},),
    "truncation": ("auto",),
    "messages": ([],),
    "max_completion_tokens": (100,),
    "reasoning_effort": ("low",),
    "response_format": ({"type": "text"},),
    "model": ("", "a model", None),
}

_HI: Final[Json] = {"role": "user", "parts": [{"text": "Hello."}]}
_INSTRUCTIONS: Final = 5
"""The words of the instructions that all requests have."""

_AS_MANY_WORDS: Final[Sequence[Sequence[str]]] = (
    *(["long " * (_WORDS - _INSTRUCTIONS)], ["long " * (_WORDS - _INSTRUCTIONS) + "a"], ["a " * (_WORDS + 1)]),
    [*("a",) * 30, "a " * (_WORDS - 31)],
)
"""As many words as the smallest window, one more, and more in as few characters as can be, in one text and in many."""

_GENERATE: Final[Mapping[str, Sequence[Any]]] = {
    "generationConfig.temperature": (0, 0.5, 2, 2.5, "1", "2.5", 10**400),
    "generationConfig.topP": (0, 0.5, 1, 1.5, "0.5"),
    "generationConfig.topK": (1, 40),
    "generationConfig.candidateCount": (1, 2, "1"),
    "generationConfig.maxOutputTokens": (1, 65536, "100"),
    "generationConfig.stopSequences": (["x"] * 5, ["x"] * 6),
    "generationConfig.presencePenalty": (0.5,),
    "generationConfig.seed": (1,),
    "generationConfig.responseLogprobs": (True, "true", False),
    "generationConfig.logprobs": (1, 20, 21),
    "generationConfig.responseMimeType": ("application/json", "text/plain"),
    "generationConfig.responseSchema": ({"type": "OBJECT"}, {"type": "object", "properties": {}}, {"type": "other"}),
    "generationConfig.thinkingConfig": (
        *({"thinkingLevel": level} for level in ("MINIMAL", "low", "medium", "HIGH", "xhigh", "other")),
        *({"thinkingLevel": level} for level in ("THINKING_LEVEL_UNSPECIFIED", "thinking_level_unspecified")),
        *({"thinkingBudget": budget} for budget in (-2, -1, 0, 1, 127, 128, 511, 512, 24576, 24577, 32768, 32769)),
        *({"thinkingBudget": budget} for budget in ("128", True)),
        {"thinkingLevel": "low", "thinkingBudget": 128},
        {"includeThoughts": True},
    ),
    "generationConfig.thinkingConfig.includeThoughts": ("true",),
    "generationConfig.audioTimestamp": (True,),
    "toolConfig.functionCallingConfig": (
        *({"mode": mode} for mode in ("AUTO", "any", "NONE", "VALIDATED", "MODE_UNSPECIFIED", "OTHER", 1)),
        *(
            {"mode": mode, "allowedFunctionNames": ["read_file"]}
            for mode in ("AUTO", "any", "ANY", "none", "VALIDATED", 1)
        ),
        {"mode": "ANY", "allowedFunctionNames": ["other"]},
        {"allowedFunctionNames": ["read_file"]},
    ),
    "toolConfig.functionCallingConfig.streamFunctionCallArguments": (True,),
    "systemInstruction": ({"parts": [{"text": "Be brief."}]}, {"parts": {"text": "x"}}, {"parts": []}),
    "tools": ([], None, [{"googleSearch": {}}], [{"codeExecution": {}}], [{"urlContext": {}}], [{}]),
    "contents": (
        *([], {"parts": [{"text": "x"}]}),
        *([{"parts": [{"text": text} for text in texts]}] for texts in _AS_MANY_WORDS),
        [{"parts": [{"text": "x"}]}, {"role": "model", "parts": [{"text": "a " * _WORDS, "thought": True}]}, _HI],
    ),
    "cachedContent": ("cachedContents/1",),
    "safetySettings": ([{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],),
    "labels": ({"a": "b"},),
    "store": (True,),
    "model": ("models/other",),
    "continuationToken": ("YWJj", "YWI=", "YWI", "YQ", "Y", "a-_b", "a b="),
}

_INTERACTIONS: Final[Mapping[str, Sequence[Any]]] = {
    "generation_config.thinking_level": ("minimal", "low", "medium", "HIGH", "xhigh"),
    "generation_config.tool_choice": (
        *("auto", "any", "none"),
        {"allowed_tools": {"mode": "any", "tools": ["read_file"]}},
        {"allowed_tools": {"mode": "any", "tools": ["other", "read_file"]}},
    ),
    "tool_choice": ("auto",),
    "store": (True, False),
    "background": (True, False),
    "previous_interaction_id": ("int_other",),
    "agent": ("deep-research",),
    "model": ("",),
    "input": ("x", "", [], {"type": "user_input", "content": [{"type": "text", "text": "x"}]}),
    "system_instruction": ("Be brief.",),
    "tools": ([], None, [{"type": "google_search"}], [{"type": "other"}]),
    "response_format": ({"type": "object"},),
    "contents": ([],),
    "outputs": ([],),
    "cached_content": ("cachedContents/1",),
    "other": (1,),
}

_GREETED: Final[Json] = {"role": "user", "content": [{"text": "Hello."}]}
_IN_S3: Final[Sequence[Json]] = tuple(
    {kind: {"format": kind, "source": {"s3Location": {"uri": "s3://a/b"}}}} for kind in ("image", "video", "document")
)
_SPOKEN: Final[Sequence[Any]] = tuple(
    [{"reasoningContent": {"reasoningText": reasoning}}, {"text": "x"}]
    for reasoning in ({"text": "x"}, {"text": "x", "signature": "A"}, {"signature": "A"})
)
_USED: Final[Json] = {"toolUse": {"toolUseId": "a", "name": "read_file", "input": {}}}
_ANSWER: Final[Json] = {"toolResult": {"toolUseId": "a", "content": [{"text": "x"}]}}
_RESULTS: Final[Sequence[Any]] = (
    *([_ANSWER], [_ANSWER, {"text": "x"}], [_ANSWER, {"cachePoint": {"type": "default"}}]),
    *([{"toolResult": {"toolUseId": "a", "content": [each]}}] for each in _IN_S3),
)

_BEDROCK: Final[Mapping[str, Sequence[Any]]] = {
    "toolConfig.toolChoice": (
        *({kind: {}} for kind in ("auto", "any")),
        *({"tool": {"name": name}} for name in ("read_file", "other", "a b", "x" * 64, "x" * 65, "")),
    ),
    "toolConfig": ({}, None, {"tools": []}, {"tools": [{"toolSpec": {"name": "a", "inputSchema": {"json": {}}}}] * 2}),
    "additionalModelRequestFields.thinking": (
        *({"type": kind} for kind in ("adaptive", "disabled", "enabled")),
        {"type": "enabled", "budget_tokens": 1024},
    ),
    "inferenceConfig.temperature": (0, 0.5, 1, 2),
    "inferenceConfig.maxTokens": (1, 100),
    "inferenceConfig.stopSequences": (["x"],),
    "system": ([{"text": "Be brief."}], [{"text": ""}]),
    "messages": (
        [],
        *([_GREETED, {"role": "user", "content": [each]}] for each in _IN_S3),
        *([_GREETED, {"role": "assistant", "content": content}, _GREETED] for content in _SPOKEN),
        *([_GREETED, {"role": "assistant", "content": content}] for content in ([{"text": "x"}], [_USED])),
        *(
            [_GREETED, {"role": "assistant", "content": [_USED]}, {"role": "user", "content": each}]
            for each in _RESULTS
        ),
        [_GREETED, {"role": "assistant", "content": [{"text": "x"}, _USED]}, {"role": "user", "content": _RESULTS[0]}],
        [{"role": "system", "content": [{"text": "x"}]}, {"role": "assistant", "content": [{"text": "x"}]}, _GREETED],
    ),
}

_VALUES: Final[Mapping[WireName, Mapping[str, Sequence[Any]]]] = {
    "openai-chat": _CHAT,
    "anthropic-messages": _ANTHROPIC,
    "openai-responses": _RESPONSES,
    "gemini-generate": _GENERATE,
    "gemini-interactions": _INTERACTIONS,
    "bedrock-converse": _BEDROCK,
}

_OPENAI_MODELS: Final = (
    *("gpt-3.5-turbo", "gpt-4", "gpt-4-32k", "gpt-4-turbo", "gpt-4o", "chatgpt-4o-latest", "gpt-4.1", "gpt-4.1-mini"),
    *("gpt-4o-audio-preview", "gpt-audio", "o1-mini", "o1", "o3", "o3-mini", "o4-mini", "codex-mini-latest"),
    *("gpt-5", "gpt-5-pro", "gpt-5-codex", "gpt-5-chat-latest", "gpt-5.1", "gpt-5.2", "gpt-5.3-codex", "gpt-5.4"),
    *("gpt-5.5", "gpt-5.6", "gpt-5.6-luna", "gpt-6-sol", "gpt-6-astra", "gpt-oss-120b", "ft:gpt-4o:x", "gpt-9"),
    *("deepseek-v4-flash", "deepseek-chat", "deepseek-reasoner", "grok-4", "other", "a model"),
)
_GEMINI_MODELS: Final = (
    *("gemini-1.5-flash", "gemini-1.5-pro", "gemini-2.0-flash", "gemini-2.5-flash", "gemini-2.5-flash-lite"),
    *("gemini-2.5-pro", "gemini-2.5-flash-image", "gemini-2.5-flash-preview-tts", "gemini-3-flash-preview"),
    *("gemini-3-pro-preview", "gemini-3-pro-image-preview", "gemini-3.1-pro-preview", "gemini-3.5-flash-lite"),
    *("gemini-3.6-flash", "gemini-3.7-flash", "gemini-3.8-flash", "gemini-4-argon", "gemini-pro-latest"),
    *("gemma-3-27b-it", "other", "a model"),
)

MODELS: Final[Mapping[WireName, Sequence[str]]] = {
    "openai-chat": (
        *_OPENAI_MODELS,
        *("deepseek-v4-pro", "kimi-k2.5", "kimi-k2-thinking", "qwen3.8-max", "qwen3:8b", "mistral-large-latest"),
        *("mistral-custom", "gemini-3-flash", "gemini-2.5-flash", "claude-haiku-4.5", "anthropic/claude-haiku-4.5"),
        *("llama-3.3-70b", "openai/o4-mini", "glm-5", "minimax-m2", "mimo-7b", "mimo-v2.5-pro", "sonar-pro"),
    ),
    "openai-responses": (*_OPENAI_MODELS, "openai/gpt-5"),
    "anthropic-messages": (
        *("claude-instant-1.2", "claude-2.1", "claude-3-opus-20240229", "claude-3-5-sonnet-20241022"),
        *("claude-3-7-sonnet-20250219", "claude-opus-4-20250514", "claude-opus-4-1", "claude-opus-4-5"),
        *("claude-sonnet-4-20250514", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-6", "claude-sonnet-4-6"),
        *("claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5", "claude-sonnet-5-5"),
        *("claude-haiku-5", "claude-opus-5-5", "claude-fable-5", "claude-fable-5-1", "claude-mythos-5"),
        *("claude-mythos-preview", "claude-other", "MiniMax-M2.5"),
    ),
    "gemini-generate": _GEMINI_MODELS,
    "gemini-interactions": _GEMINI_MODELS,
    "bedrock-converse": (
        *("anthropic.claude-3-haiku-20240307-v1:0", "anthropic.claude-3-5-sonnet-20241022-v2:0"),
        *("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "global.anthropic.claude-sonnet-4-6"),
        *("anthropic.claude-opus-4-7", "us.amazon.nova-2-lite-v1:0", "amazon.titan-text-express-v1"),
        *(
            "meta.llama3-1-70b-instruct-v1:0",
            "meta.llama4-maverick-17b-instruct-v1:0",
            "mistral.mistral-large-2407-v1:0",
        ),
        *("mistral.mistral-small-2402-v1:0", "writer.palmyra-x5-v1:0", "us.deepseek.r1-v1:0", "deepseek.v3-v1:0"),
        *("openai.gpt-oss-120b-1:0", "openai.gpt-5.6", "qwen.qwen3-32b-v1:0", "cohere.command-r-v1:0"),
    ),
}
"""For each wire models of every kind that its table of models has facts about, and such as it knows nothing of."""

HEADERS: Final[Mapping[WireName, Sequence[Mapping[str, str]]]] = {
    "anthropic-messages": (
        {"anthropic-version": "2023-06-01", "anthropic-beta": "context-1m-2025-08-07,interleaved-thinking-2025-05-14"},
        {"anthropic-version": "2023-06-01", "anthropic-beta": "mcp-client-2025-11-20"},
    ),
    "gemini-interactions": (
        *({"api-revision": revision} for revision in ("2026-05-07", "2026-05-07-preview", "2026-06-01")),
    ),
}
"""Headers that rules look at, and no base request has."""
