"""Tools and messages that no base request has: schemas of every shape, names, and the parts and blocks of each kind.

They take the place of the tools of a request, or of its history, so that nothing else is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from harness.wire import WireName
from harness.wire.base import Json
from harness_lab.mutants.requests.asked_for import AskedFor


def other_parts(name: WireName) -> Iterator[AskedFor]:
    """The tools, and the histories of one or two messages, of a wire."""
    yield from (AskedFor(place, value) for place, values in _PLACES.get(name, {}).items() for value in values)


_LIST: Final[Any] = []
_OBJECT: Final[Any] = {}


# --- schemas and names ----------------------------------------------------------------------------------------

_TEXT: Final[Json] = {"type": "string"}
_EITHER: Final[Json] = {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def _object(*required: str, **properties: Any) -> Json:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _many(count: int, of: Json) -> Json:
    return _object(**{f"p{number}": of for number in range(count)})


def _defined(reference: str, **definitions: Any) -> Json:
    return {**_object("a", a={"$ref": reference}), "$defs": definitions}


_OPEN: Final[Json] = {"type": "object", "properties": {"a": _TEXT}, "required": ["a"]}
_SCHEMAS: Final[Sequence[Any]] = (
    *({}, {"type": "object"}, {"type": "object", "properties": {}}, {"type": "string"}, {"type": ["object", "null"]}),
    *(_OPEN, _object("a", a=_TEXT), _object(a=_TEXT), _object("a", a={}), _object("a", a=True), {"properties": {}}),
    *({"type": "object", "additionalProperties": True}, {"type": "object", "required": "a"}, {"$ref": "#/$defs/a"}),
    *(_object("a", a={"type": "array"}), _object("a", a={"type": "array", "items": _OPEN})),
    *(_object("a", a={"type": "ARRAY", "items": {"type": "array"}}), _object("a", a={"description": "x", "enum": []})),
    *(_object("a", a=_OPEN), _object("a", a=_object(b=_TEXT)), _object("a", a={"anyOf": [_TEXT, _OPEN]})),
    *({"type": "object", "anyOf": [_OPEN]}, {"type": "object", "allOf": [_OPEN]}, {"type": "object", "oneOf": [_OPEN]}),
    *(_defined("#/$defs/b", b=_OPEN), _defined("#/$defs/c", b=_OPEN), _defined("#/$defs/b", b=_object("a", a=_TEXT))),
    *(_defined("#/$defs/b", b=_object("a", a={"$ref": "#/$defs/b"})), _defined("#/properties/a")),
    _defined("#/$defs/b", b=_object("c", c={"$ref": "#/$defs/c"}), c=_object("b", b={"$ref": "#/$defs/b"})),
    {**_object("a", a={"$ref": "#/definitions/b"}), "definitions": {"b": _OPEN}},
    _object("a", a={"enum": [{"$ref": "#/$defs/none"}]}),
    *({"type": "object", "$ref": "#/$defs/b", "$defs": {"b": _OPEN}}, _object("a", a=_object("b", b=_OPEN))),
    *(_many(24, _TEXT), _many(25, _TEXT), _object("a", a=_many(25, _TEXT)), _object("a", a=_many(24, _TEXT))),
    *(_many(16, _EITHER), _many(17, _EITHER), _many(17, {"type": ["string", "null"]})),
    _object("a", a={"type": "array", "items": {"anyOf": [_many(17, _EITHER), _OPEN]}}),
)

_NAMES: Final[Sequence[Any]] = (
    *("", "a b", "a.b", "a:b", "a-b", "a_b", "-a", "7a", "_a", "\u00e9", "A", 7, None),
    *("x" * 64, "x" * 65, "x" * 128, "x" * 129),
)


def _functions(flat: bool) -> Iterator[list[Json]]:
    """Tools as OpenAI's two wires have them: ``flat``, or their members below ``function``."""

    def tool(**members: Any) -> Json:
        members = {"name": "read_file", **members}
        return {"type": "function", **members} if flat else {"type": "function", "function": members}

    yield from ([tool(parameters=schema, strict=strict)] for schema in _SCHEMAS for strict in (True, False))
    yield from ([tool(name=name, parameters=_OPEN)] for name in _NAMES)
    yield from ([tool(parameters=parameters)] for parameters in (None, "x", _LIST))
    for count in (128, 129):
        yield [tool(name=f"tool_{number}", parameters=_OPEN) for number in range(count)]
    yield [tool(parameters=_OPEN), tool(parameters=_OPEN)]


# --- Chat -----------------------------------------------------------------------------------------------------

_HELLO: Final[Json] = {"role": "user", "content": "Hello."}
_MEDIA: Final = ("application/pdf", "image/png", "audio/wav", "video/mp4", "text/plain", "audio/x-m4a;codec=a")
_FOREIGN: Final = (
    *("input_text", "output_text", "input_image", "input_file", "input_audio", "image", "document", "tool_use"),
    *("tool_result", "thinking", "redacted_thinking", "reasoning", "functionCall", "function_call", "inlineData"),
    *("refusal", "audio", "file", "video", "tool_call", "function", "search_result", "other"),
)


def _data(media: str) -> str:
    return f"data:{media};base64,AAAA"


_CHAT_PARTS: Final[Sequence[Any]] = (
    *({"type": "image_url", "image_url": {"url": url}} for url in ("https://example.com/a.png", _data("image/gif"))),
    *({"type": "image_url", "image_url": value} for value in ("https://example.com/a.png", {}, {"url": None})),
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    *({"type": "file", "file": {"filename": "a", "file_data": _data(media)}} for media in _MEDIA),
    *({"type": "file", "file": value} for value in ({"file_data": "AAAA"}, {"file_id": "file_1"}, {}, "x")),
    *({"type": kind} for kind in ("text", *_FOREIGN)),
    *({"type": "text", "text": text} for text in ("", " ", None)),
    {"type": "text", "text": "x", "file": {"file_data": _data("audio/wav")}},
)


def _chat() -> Iterator[Any]:
    for role, part in product(("user", "assistant", "system", "tool"), _CHAT_PARTS):
        yield [_HELLO, {"role": role, "content": [{"type": "text", "text": "See."}, part]}]
    for role, content in product(
        ("user", "assistant", "developer", "function", "tool", "other"), ("", _LIST, None, " ")
    ):
        yield [_HELLO, {"role": role, "content": content}]
    for member in ("tool_calls", "function_call", "refusal", "audio"):
        for value in (_LIST, None, "x", {"id": "audio_1"}):
            yield [_HELLO, {"role": "assistant", member: value}]
            yield [_HELLO, {"role": "user", member: value}]
    for id in ("", "call_1", "x" * 40, "x" * 41, "abcdefgh1", "abcdefgh", "abcdefgh12", "abcdefg-1"):
        call = {"id": id, "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
        yield [
            _HELLO,
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": id, "content": "x"},
        ]
    dotted = {"id": "call_1", "type": "function", "function": {"name": "a.b", "arguments": "{}"}}
    yield [
        _HELLO,
        {"role": "assistant", "tool_calls": [dotted]},
        {"role": "tool", "tool_call_id": "call_1", "content": "x"},
    ]


# --- Responses ------------------------------------------------------------------------------------------------

_URLS: Final = (
    *("https://example.com/a.png", "http://example.com/a.MP3?b=c", "https://example.com/a.mov", "file:///a.png"),
    *("x", "", "data:image/png,AAAA", *map(_data, _MEDIA), "data:image/png;name=a;base64,AAAA"),
)
_RESPONSES_PARTS: Final[Sequence[Any]] = (
    *({"type": "input_image", "image_url": url} for url in (*_URLS, None, {"url": "x"})),
    *({"type": "input_file", "file_data": data} for data in (*_URLS, None, 7)),
    *({"type": "input_file", "file_url": url} for url in _URLS),
    *({"type": kind} for kind in ("text", "image_url", *_FOREIGN)),
    *({"type": kind, "text": "x"} for kind in ("text", "input_text", "output_text", "refusal")),
    *({}, "x", None),
)


_WIDGET: Final[Json] = {"type": "function", "name": "create_widget", "parameters": _OPEN, "output_schema": _OPEN}
_SHOP: Final[Json] = {"type": "namespace", "name": "shop", "description": "A shop.", "tools": [_WIDGET]}
_SHOPS: Final = ("shop", "mall", "store", "bazaar", "arcade")
_BROUGHT: Final[Sequence[Json]] = (
    {"type": "additional_tools", "role": "developer", "tools": [{**_SHOP, "name": name} for name in _SHOPS]},
    {"type": "function_call", "call_id": "call_1", "name": "create_widget", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "call_1", "output": "{}"},
    {"type": "function_call", "call_id": "call_2", "name": "create_widget", "namespace": "shop", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "call_2", "output": "x"},
    {"type": "function_call", "call_id": "call_3", "name": "create_widget", "namespace": "mall", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "call_3", "output": "[" * 100_000},
)
"""Tools that an item brings, and calls of them: one without its namespace, and two whose output is no JSON, of which
one is nested deeper than a parser goes."""

_APPROVALS: Final = ("mcpr_1", "mcpr_2")

_SHELL: Final[Json] = {"type": "shell_call", "call_id": "call_1", "action": {"commands": ["ls"]}}
_SOMEWHERE: Final[Sequence[Json]] = (
    *({"execution": execution} for execution in ("server", "client")),
    *({"environment": {"type": kind}} for kind in ("local", "container_auto", "container_reference", None)),
)
"""Where a shell may run: the client's or the provider's."""


def _responses() -> Iterator[Any]:
    for role, part in product(("user", "assistant", "system"), _RESPONSES_PARTS):
        yield [_HELLO, {"role": role, "content": [part]}]
    call = {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": "{}"}
    for part in _RESPONSES_PARTS:
        yield [_HELLO, call, {"type": "function_call_output", "call_id": "call_1", "output": [part]}]
    for kind, id in product(
        ("reasoning", "message", "function_call", "item_reference"), ("", "x", "rs_1", "fc-1", "é")
    ):
        spoken: Json = {"role": "assistant", "content": "x"} if kind == "message" else {}
        yield [_HELLO, {"type": kind, "id": id, "summary": [], **(call if kind == "function_call" else {}), **spoken}]
    yield [_HELLO, {**call, "messages": []}]
    yield [_HELLO, *_BROUGHT]
    asked = [{"type": "mcp_approval_request", "id": id, "name": "ask", "server_label": "a"} for id in _APPROVALS]
    approved = [{"type": "mcp_approval_response", "approval_request_id": id, "approve": True} for id in _APPROVALS]
    named = {"type": "item_reference", "id": "mcpr_1"}
    yield from ([_HELLO, *more] for more in (asked, approved, [named, *approved]))
    yield from ([_HELLO, {**_SHELL, **members}] for members in _SOMEWHERE)
    patch = {"type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "x"}
    yield [_HELLO, patch, patch, {"type": "function_call_output", "call_id": "call_1", "output": "x"}]
    yield [_HELLO, {"type": "compaction", "id": "cmp_1", "encrypted_content": "AAAA"}]
    for id in ("", "x" * 64, "x" * 65):
        yield [_HELLO, {**call, "call_id": id}, {"type": "function_call_output", "call_id": id, "output": "x"}]


def _responses_tools() -> Iterator[Any]:
    yield from _functions(flat=True)
    strict = {"type": "function", "name": "read_file", "strict": True, "parameters": _OPEN}
    yield [{"type": "custom", "name": "run"}, strict]
    yield [{"type": "other", "name": "read_file", "parameters": {}}]
    for output in ("x", '{"a": 1}', "", "[", ["x"]):
        shop = [{"type": "function", "name": "read_file", "parameters": _OPEN, "output_schema": output}]
        yield shop
        yield [{"type": "namespace", "name": "shop", "description": "A shop.", "tools": shop}]
        yield [*shop, {"type": "namespace", "name": "shop", "description": "A shop.", "tools": shop}]


_POINTERS: Final = (
    *("$defs/b~1c", "$defs/b~0c", "$defs/0", "$defs/1", "properties/a/anyOf/0", "properties/a/anyOf/2"),
    *("properties/a/anyOf/x", "properties/b/type/str", "properties/b/none"),
)


def _answers() -> Iterator[Any]:
    """What a structured answer must be."""
    lost = {"$ref": "#/$defs/none"}
    schemas = [_object("a", a={"anyOf": [_TEXT, lost]}), _object("a", a={"properties": {"b": _TEXT}})]
    schemas += [_object("a", a={name: [lost]}) for name in ("enum", "const", "default", "examples")]
    for pointer in _POINTERS:
        refers = _object("a", "b", "c", a=_EITHER, b=_TEXT, c={"$ref": f"#/{pointer}"})
        schemas.append({**refers, "$defs": {"b/c": _TEXT, "b~c": _TEXT, "0": _TEXT}})
    strict = {"name": "answer", "strict": True}
    yield from ({"format": {"type": "json_schema", **strict, "schema": schema}} for schema in schemas)
    yield {"format": {"type": "text", **strict, "schema": _OPEN}}


# --- Messages -------------------------------------------------------------------------------------------------

_HEADS: Final = {
    "image/jpeg": "/9j/4AAQSkZJRgABAQ==",
    "image/png": "iVBORw0KGgoAAAANSUhEUg==",
    "image/gif": "R0lGODlhAQABAAAAACw=",
    "image/webp": "UklGRhoAAABXRUJQVlA4TA==",
    "": "UklGRhoAAABBVkkgTElTVA==",
}
_MARK: Final[Json] = {"cache_control": {"type": "ephemeral"}}


def _source(**members: Any) -> Json:
    return {"type": "image", "source": members}


_UNSEEN: Final[Sequence[Any]] = (({"type": "base64"}, "other"), ({"type": "other"}, "image"))
"""The types of a source, and of the block that has it, of which one is none of an image in base64."""

_LARGEST: Final = 5 * 1024 * 1024
_LARGE: Final = tuple("A" * length for length in (_LARGEST, _LARGEST + 4, _LARGEST * 4 // 3 + 1, _LARGEST * 4 // 3 + 8))

_BLOCKS: Final[Sequence[Any]] = (
    *(
        _source(type="base64", media_type=media, data=data)
        for media, data in product(
            ("image/jpeg", "image/png", "image/gif", "image/webp", "image/tiff"), _HEADS.values()
        )
    ),
    *(_source(type="base64", media_type="image/png", data=data) for data in ("", "x", "AAAA", None)),
    *(
        _source(type="base64", media_type="image/jpeg", data=data)
        for data in ("    iVBORw0KGgoA", "iVBORw0KGgoAAAAN!", "UklGWBoAAABXRUJQ")
    ),
    *({**_source(media_type="image/png", data=_HEADS["image/gif"], **kind), "type": what} for kind, what in _UNSEEN),
    *(_source(type="url", url="https://example.com"), _source(type="url"), _source(type="file"), _source(type="other")),
    *({"type": "text", "text": text} for text in ("", " ", "\n", None)),
    *({"type": "text", "text": "x", "citations": citations} for citations in ([], [{"type": "char_location"}], None)),
    *({"type": kind} for kind in (*_FOREIGN, "fallback", "compaction", "mcp_tool_use", "container_upload")),
    *({"type": f"{kind}_tool_result", "tool_use_id": "srvtoolu_1"} for kind in ("mcp", "advisor", "web_search")),
    {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}},
    *(
        {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}
        for id in ("srvtoolu_1", "x", "srvtoolu_")
    ),
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}, "caller": {"tool_id": "other"}},
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}, "caller": {"tool_id": ""}},
    {"type": "other", "text": " "},
    *({"type": "tool_use", "id": id, "name": "read_file", "input": {}} for id in ("toolu_1", "a.b", "", 7)),
    *({"type": "tool_use", "id": "toolu_1", "name": name, "input": {}} for name in ("", "a b", 7)),
    *({"type": "tool_result", "tool_use_id": id, "content": "x"} for id in ("toolu_1", "a.b", "")),
    *({"type": "thinking", "thinking": "x", "signature": signature} for signature in ("", "AAAA", None)),
    *({"type": "redacted_thinking", "data": data} for data in ("", "AAAA", None)),
)


def _anthropic() -> Iterator[Any]:
    text = {"type": "text", "text": "See."}
    for block in _BLOCKS:
        yield [{"role": "user", "content": [text, block]}]
        yield [_HELLO, {"role": "assistant", "content": [block, text]}, _HELLO]
        yield [_HELLO, {"role": "assistant", "content": [block]}]
        yield from _anthropic_results([block])
    yield from (
        [{"role": "user", "content": [_source(type="base64", media_type="image/png", data=large)]}] for large in _LARGE
    )
    for role, content in product(("user", "assistant", "system", "other"), ("", " ", _LIST, None)):
        yield [_HELLO, {"role": role, "content": content}]
        yield [_HELLO, {"role": role, "content": content}, _HELLO]
    for content in ("", [], None, [{"type": "tool_reference", "tool_name": name} for name in ("read_file", "other")]):
        yield from _anthropic_results(content)
    yield from ([{"role": "user", "content": [{**text, **_MARK}] * count}] for count in (4, 5))
    searched = {"role": "assistant", "content": [{"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1"}]}
    answered = {"role": "assistant", "content": "Hello."}
    yield from map(list, product((_HELLO, answered, searched, {"role": "system", "content": "Be brief."}), repeat=3))
    yield from _anthropic_openings()
    for name, kind in (("other", "other"), (7, "tool_reference")):
        yield from _anthropic_results([{"type": kind, "tool_name": name}])
    for kind, tool in (("tool_addition", {"name": "other"}), ("tool_addition", "other"), ("other", {"name": "other"})):
        *before, answer = next(_anthropic_results([{"type": "tool_reference", "tool_name": "other"}]))
        yield [*before, {**answer, "content": [*answer["content"], {"type": kind, "tool": tool}]}]


def _anthropic_openings() -> Iterator[Any]:
    """Histories that begin with calls and texts of the assistant's, in one message or several."""
    text = {"type": "text", "text": "See."}
    call: Json = {"type": "tool_use", "id": "a", "name": "read_file", "input": {}}
    one, other, unnamed = call, {**call, "id": "b"}, {**call, "id": ""}
    results = [{"type": "tool_result", "tool_use_id": id, "content": "x"} for id in ("a", "b")]
    for blocks in ([one, text], [text, one, text], [one, text, other, text], [one, other], [unnamed, one, one], [text]):
        for role, following in product(("assistant", "user"), (results[:1], results, [text])):
            yield [{"role": role, "content": blocks}, {"role": "user", "content": following}]
            yield [*({"role": role, "content": [block]} for block in blocks), {"role": "user", "content": following}]
    for first, second in ([one], [text]), ([one], [other, text]), ([text], [one, other]):
        for split in (results, results[:1]), ([*results, text], [text]):
            turn = [{"role": "assistant", "content": blocks} for blocks in (first, second)]
            yield [*turn, *({"role": "user", "content": blocks} for blocks in split)]


def _anthropic_results(content: Any) -> Iterator[Any]:
    call = {"type": "tool_use", "id": "toolu_1", "name": "read_file", "input": {}}
    for failed in (False, True):
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, "is_error": failed}
        yield [_HELLO, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def _anthropic_tools() -> Iterator[Any]:
    tool: Json = {"name": "read_file", "input_schema": _OPEN}
    yield from ([{**tool, "input_schema": schema, "strict": strict}] for schema in _SCHEMAS for strict in (True, False))
    yield from ([{**tool, "name": name}] for name in _NAMES)
    yield from ([{**tool, "type": kind}] for kind in ("custom", "function", None, "bash_20250124", "other"))
    yield from ([{**tool, **_MARK, "name": f"tool_{number}"} for number in range(count)] for count in (4, 5))
    yield from ([{**tool, "strict": True, "name": f"tool_{number}"} for number in range(count)] for count in (20, 21))
    yield from (
        [{**tool, "type": "bash_20250124", "strict": True, "input_schema": {"type": "object", "anyOf": [{}]}}],
        [{**tool, "defer_loading": True}],
        [{**tool, "defer_loading": True}, {**tool, "name": "a"}],
        [tool, tool],
    )


# --- Gemini ---------------------------------------------------------------------------------------------------

_PARTS: Final[Sequence[Any]] = (
    *({kind: {}} for kind in ("functionCall", "functionResponse", "executableCode", "toolCall", "toolResponse")),
    *(
        {"functionCall": {"name": name, "args": args}}
        for name, args in product(("read_file", "", None), (_OBJECT, None, "x", _LIST))
    ),
    *({"functionResponse": {"name": name, "response": {}}} for name in ("read_file", "", None)),
    *({"functionResponse": {"name": "read_file", "response": value}} for value in ("x", _LIST, None, 7)),
    *({"inlineData": {"mimeType": media, "data": data}} for media in _MEDIA[:3] for data in ("AAAA", "A", "", "a-_b")),
    *({"text": text} for text in ("", " ", None)),
    *({"text": "x", **others} for others in ({"inlineData": {"data": "AAAA"}}, {"functionCall": {"name": "a"}})),
    {"text": "x", "inlineData": {"data": "AAAA"}, "functionCall": {"name": "a"}},
    *({"thought": thought} for thought in (True, "true", "x")),
    *({"text": "x", "thoughtSignature": signature} for signature in ("", "AAAA", "A", "a b=", None)),
    *({"toolResponse": {"id": "a"}}, {}, {"other": 1}, {"text": "x", "other": 1}, {"thoughtSignature": "AAAA"}, "x"),
)


def _gemini_of_one_id() -> Iterator[Any]:
    """Four calls under one id and one under another, of which a response under the one has the name."""
    ids = dict.fromkeys(("d", "b", "c", "a"), "1") | {"e": "2"}
    calls = [{"functionCall": {"name": name, "id": id}} for name, id in ids.items()]
    named = ("e", "b", "c", "a", "e")
    results = [
        {"functionResponse": {"name": name, "id": id, "response": {}}}
        for name, id in zip(named, ids.values(), strict=True)
    ]
    yield [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": calls}, {"parts": results}]


def _gemini() -> Iterator[Any]:
    hello, text = {"role": "user", "parts": [{"text": "Hello."}]}, {"text": "See."}
    for part in _PARTS:
        yield [{"role": "user", "parts": [text, part]}]
        yield [hello, {"role": "model", "parts": [part]}, hello]
        yield [hello, {"role": "model", "parts": [part, text]}]
    yield [hello, {"role": "model", "parts": [{"toolCall": {}}, {"toolResponse": {}}]}, hello]
    yield from _gemini_of_one_id()
    for role in ("function", "system", "SYSTEM", "assistant", "USER", "other", "", None):
        yield [hello, {"role": role, "parts": [text]}]
    yield from ([hello, {"role": "user", "parts": parts}] for parts in (_LIST, None, _OBJECT, "x"))
    call, answer = {"functionCall": {"name": "read_file"}}, {"functionResponse": {"name": "read_file", "response": {}}}
    for calls, answers in product(
        ((call,), (call, call)), ((answer,), (answer, answer), (answer, text), (text, answer))
    ):
        yield [hello, {"role": "model", "parts": [*calls]}, {"role": "user", "parts": [*answers]}]
        yield [hello, {"role": "model", "parts": [*calls]}, *({"role": "user", "parts": [each]} for each in answers)]


_GEMINI_SCHEMAS: Final[Sequence[Json]] = (
    _object(a=dict.fromkeys(("description", "title", "nullable", "default", "example", "enum"))),
    _object(a={"anyOf": [{"description": "x"}, _TEXT]}),
    _object(a=_object(b={}), c={}),
    _object(properties={"type": "any"}, defs=_object(properties={"type": "any"})),
)
"""Types that are missing, beside each other and in each other, and names that mean something in a schema."""


def _gemini_tools() -> Iterator[Any]:
    for schema in (*_SCHEMAS, *_GEMINI_SCHEMAS):
        declared = {name: value for name, value in schema.items() if name not in ("additionalProperties", "$defs")}
        yield [{"functionDeclarations": [{"name": "read_file", "parameters": schema}]}]
        yield [{"functionDeclarations": [{"name": "read_file", "parameters": declared}]}]
        yield [{"functionDeclarations": [{"name": "read_file", "parameters": _opened(declared)}]}]
    yield from ([{"functionDeclarations": [{"name": name}]}] for name in _NAMES)
    for one, other in (("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")):
        yield [{"functionDeclarations": [{"name": "read_file", one: {"type": "OBJECT"}, other: {"type": "object"}}]}]
    yield from ([{"functionDeclarations": [{"name": "read_file"}] * count}] for count in (1, 2))
    yield from ([{"functionDeclarations": [{"name": f"f_{at}"} for at in range(count)]}] for count in (512, 513))
    yield from ([{"functionDeclarations": value}] for value in (_LIST, None, {"name": "read_file"}, "x"))


def _opened(schema: Any) -> Any:
    """The schema without what Gemini has no word for, however deep."""
    if isinstance(schema, dict):
        return {name: _opened(each) for name, each in schema.items() if name != "additionalProperties"}
    return [_opened(each) for each in schema] if isinstance(schema, list) else schema


# --- Interactions, Converse -----------------------------------------------------------------------------------


def _interactions() -> Iterator[Any]:
    hello = {"type": "user_input", "content": [{"type": "text", "text": "Hello."}]}
    call = {"type": "function_call", "id": "call_1", "name": "read_file", "arguments": {}}
    result = {"type": "function_result", "call_id": "call_1", "name": "read_file", "result": "x"}
    yield from ([hello, {**call, "arguments": value}, result] for value in (None, "x", _LIST, 7))
    yield from (
        [hello, call, {**result, "result": value}] for value in (None, "", _LIST, _OBJECT, 7, [{"type": "text"}])
    )
    yield from ([hello, call, {**result, "name": name}] for name in ("", None, "other"))
    yield from ([hello, call, {**result, "call_id": id}] for id in ("", None, "call_2"))
    yield from ([hello, *steps] for steps in ((call,), (result,), (call, result, result), (call, call, result)))
    yield from ([hello, call, *steps] for steps in ((hello,), (hello, result), (result, hello)))
    for signature in ("", None, "AAAA", "skip_thought_signature_validator"):
        yield [hello, {"type": "thought", "signature": signature}, call, result]
        yield [hello, {**call, "signature": signature}, result]
    for kind in ("google_search", "code_execution", "url_context"):
        made, found = {"type": f"{kind}_call", "id": "a"}, {"type": f"{kind}_result", "call_id": "a"}
        yield from ([hello, *steps] for steps in ((made,), (found,), (made, found), (found, made)))
    yield from ([hello, {name: []}] for name in ("role", "parts", "contents", "outputs"))


_DOCUMENT: Final[Json] = {"format": "txt", "name": "A page", "source": {"bytes": "AAAA"}}
_CONVERSE: Final[Sequence[Any]] = (
    *({kind: {}} for kind in ("image", "document", "video", "audio", "guardContent", "searchResult", "other")),
    *({"document": {**_DOCUMENT, "name": name}} for name in ("a.b", "a  b", "a\t b", "a/b", "", "(a) [b]", None)),
    *({"text": text} for text in ("", " ", "\n", None)),
    *({"text": "x", "image": {}}, {}, "x", {"cachePoint": {"type": "default"}}),
    *({"one": 1, "other": 2}, {"image": ""}, {"document": " "}, "json"),
    {"guardContent": {"content": [{"document": {**_DOCUMENT, "name": "a.b"}}]}},
    *({kind: {"source": {"s3Location": {"uri": "s3://a/b"}}}} for kind in ("document", "video", "image")),
    *({"json": value} for value in (_OBJECT, _LIST, "x", 7, None)),
    *(
        {"reasoningContent": {"reasoningText": {"text": "x", **more}}}
        for more in ({}, {"signature": ""}, {"signature": "A"})
    ),
    *({"reasoningContent": value} for value in ({"redactedContent": "AAAA"}, {"reasoningText": _OBJECT}, _OBJECT, "x")),
    *({"toolUse": {"toolUseId": "a", "name": name, "input": {}}} for name in _NAMES),
    *({"toolUse": {"toolUseId": id, "name": "read_file", "input": {}}} for id in _NAMES),
    *({"toolUse": {"toolUseId": "a", "name": "read_file", "input": value}} for value in (None, "x", _LIST)),
    *({"toolUse": {"toolUseId": "a", "name": "read_file", "input": {}, "type": "server_tool_use"}},),
)


def _converse() -> Iterator[Any]:
    text = {"text": "Hello."}
    hello = {"role": "user", "content": [text]}
    call: Json = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "read_file", "input": {}}}]}
    for block in _CONVERSE:
        yield [{"role": "user", "content": [block]}]
        yield [{"role": "user", "content": [text, block]}]
        yield [hello, {"role": "assistant", "content": [block, text]}, hello]
        yield [hello, {"role": "assistant", "content": [block]}]
        for status in ("success", "error"):
            result = {"toolUseId": "a", "content": [block], "status": status}
            yield [hello, call, {"role": "user", "content": [{"toolResult": result}]}]
            yield [hello, call, {"role": "user", "content": [{"toolResult": result}, text]}]
    blank, page = {"text": " "}, {"document": _DOCUMENT}
    for contents in ([blank, {"image": {}}], [blank, blank], [page, {"guardContent": {}}], [page, {"image": {}}]):
        yield [{"role": "user", "content": contents}]
    used, results = call["content"], [{"toolResult": {"toolUseId": "a", "content": [text]}}]
    yield [hello, call, {"role": "user", "content": [*results, page]}]
    yield [call, {"role": "user", "content": results}]
    other = [{"toolUse": {**each["toolUse"], "toolUseId": "b"}} for each in used]
    yield [hello, {"role": "assistant", "content": [*used, *other] * 2}, {"role": "user", "content": results}]
    yield [hello, call, {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "status": "error"}}]}]
    for role, content in product(("user", "assistant", "system", "other"), ("", _LIST, None, "x")):
        yield [hello, {"role": role, "content": content}]
    for content in (_LIST, None, ""):
        failed = {"toolUseId": "a", "content": content, "status": "error"}
        yield [hello, call, {"role": "user", "content": [{"toolResult": failed}]}]
    for count, name in product((5, 6), ("A page", "")):
        pages = [{"document": {**_DOCUMENT, "name": name or f"Page {at}"}} for at in range(count)]
        yield [{"role": "user", "content": [text, *pages]}]


def _converse_tools() -> Iterator[Any]:
    for name in _NAMES:
        yield [{"toolSpec": {"name": name, "inputSchema": {"json": _OPEN}}}]
    yield [{"toolSpec": {"name": "read_file", "inputSchema": {"json": _OPEN}}}] * 2
    yield [{"toolSpec": "read_file"}]


_PLACES: Final[Mapping[WireName, Mapping[str, Sequence[Any]]]] = {
    "openai-chat": {"tools": [*_functions(flat=False)], "messages": [*_chat()]},
    "openai-responses": {"tools": [*_responses_tools()], "input": [*_responses()], "text": [*_answers()]},
    "anthropic-messages": {"tools": [*_anthropic_tools()], "messages": [*_anthropic()]},
    "gemini-generate": {"tools": [*_gemini_tools()], "contents": [*_gemini()]},
    "gemini-interactions": {"input": [*_interactions()]},
    "bedrock-converse": {"toolConfig.tools": [*_converse_tools()], "messages": [*_converse()]},
}
