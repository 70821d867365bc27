"""Requests as a program writes them that keeps its own messages, on the four native wires.

A framework has messages of its own kind, and writes each provider's request from them; so does this. What it writes may
be a conversation that no model ever had: examples, a log, a test's history with ids of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.wire import NativeWireName

Choice = Literal["auto", "any", "none"] | tuple[str]
"""What a request asks of calls; a tuple names the tool."""


@dataclass(frozen=True, slots=True)
class Says:
    """Text of somebody. ``picture`` and ``paper`` are files in base64, ``name`` is that of the user."""

    who: Literal["system", "user", "assistant"]
    text: str
    picture: str = ""
    paper: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """A call. ``arguments`` as JSON."""

    id: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Calls:
    """A turn of a model with calls. ``thought`` is thinking with a signature (Anthropic and Gemini)."""

    calls: Sequence[Do]
    text: str = ""
    thought: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Gives:
    """The result of a call."""

    call: Do
    text: str
    failed: bool = False
    picture: str = ""


Message = Says | Calls | Gives


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that is offered."""

    name: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """A request. ``form`` is the schema that the answer must have, ``more`` are further members of the body."""

    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    choice: Choice = "auto"
    stream: bool = False
    form: Mapping[str, Any] | None = None
    model: str = ""
    stop: str = ""


def _data(kind: str, data: str) -> str:
    return f"data:{kind};base64,{data}"


# --- OpenAI Chat ----------------------------------------------------------------------------------------------------


def chat(ask: Ask) -> tuple[str, dict[str, Any]]:
    """The path and the body of a request."""
    body: dict[str, Any] = {"model": ask.model or "gpt-4.1", "messages": [_chat_message(m) for m in ask.messages]}
    if ask.tools:
        body["tools"] = [
            {"type": "function", "function": {"name": tool.name, "parameters": tool.parameters}} for tool in ask.tools
        ]
        named = isinstance(ask.choice, tuple)
        body["tool_choice"] = (
            {"type": "function", "function": {"name": ask.choice[0]}} if named else _OPENAI_CHOICES[str(ask.choice)]
        )
    if ask.form is not None:
        form = {"name": "answer", "schema": ask.form}
        body["response_format"] = {"type": "json_schema", "json_schema": form} if ask.form else {"type": "json_object"}
    if ask.stop:
        body["stop"] = [ask.stop]
    if ask.stream:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    return "/v1/chat/completions", body


_OPENAI_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


def _chat_message(message: Message) -> dict[str, Any]:
    match message:
        case Says():
            content: Any = message.text
            if message.picture or message.paper:
                picture = {"type": "image_url", "image_url": {"url": _data("image/png", message.picture)}}
                file = {"filename": "a.pdf", "file_data": _data("application/pdf", message.paper)}
                content = [{"type": "text", "text": message.text}]
                content += [picture] * bool(message.picture)
                content += [{"type": "file", "file": file}] * bool(message.paper)
            return {"role": message.who, "content": content, **({"name": message.name} if message.name else {})}
        case Calls():
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.tool, "arguments": json.dumps(call.arguments)},
                }
                for call in message.calls
            ]
            return {"role": "assistant", "content": message.text or None, "tool_calls": calls}
        case Gives():
            return {"role": "tool", "tool_call_id": message.call.id, "content": message.text}


# --- OpenAI Responses -----------------------------------------------------------------------------------------------


def responses(ask: Ask) -> tuple[str, dict[str, Any]]:
    """The path and the body of a request."""
    items = [item for message in ask.messages for item in _items(message)]
    body: dict[str, Any] = {"model": ask.model or "gpt-4.1", "input": items}
    if ask.tools:
        body["tools"] = [{"type": "function", "name": tool.name, "parameters": tool.parameters} for tool in ask.tools]
        named = isinstance(ask.choice, tuple)
        body["tool_choice"] = {"type": "function", "name": ask.choice[0]} if named else _OPENAI_CHOICES[str(ask.choice)]
    if ask.form is not None:
        form = {"type": "json_schema", "name": "answer", "schema": ask.form} if ask.form else {"type": "json_object"}
        body["text"] = {"format": form}
    if ask.stream:
        body["stream"] = True
    return "/v1/responses", body


def _items(message: Message) -> list[dict[str, Any]]:
    match message:
        case Says():
            content: Any = message.text
            if message.picture or message.paper:
                picture = {"type": "input_image", "image_url": _data("image/png", message.picture)}
                file = {"type": "input_file", "filename": "a.pdf"}
                content = [{"type": "input_text", "text": message.text}]
                content += [picture] * bool(message.picture)
                content += [{**file, "file_data": _data("application/pdf", message.paper)}] * bool(message.paper)
            return [{"type": "message", "role": message.who, "content": content}]
        case Calls():
            text = [{"type": "message", "role": "assistant", "content": message.text}] if message.text else []
            calls = [
                {
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.tool,
                    "arguments": json.dumps(call.arguments),
                }
                for call in message.calls
            ]
            return [*text, *calls]
        case Gives():
            output: Any = message.text
            if message.picture:
                output = [{"type": "input_image", "image_url": _data("image/png", message.picture)}]
            return [{"type": "function_call_output", "call_id": message.call.id, "output": output}]


# --- Anthropic Messages ---------------------------------------------------------------------------------------------


def anthropic(ask: Ask) -> tuple[str, dict[str, Any]]:
    """The path and the body of a request. Messages of one role in a row are one."""
    messages: list[dict[str, Any]] = []
    for message in ask.messages:
        if isinstance(message, Says) and message.who == "system":
            continue
        role, blocks = _blocks(message)
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] = [*messages[-1]["content"], *blocks]
        else:
            messages.append({"role": role, "content": blocks})
    system = "\n".join(each.text for each in ask.messages if isinstance(each, Says) and each.who == "system")
    body: dict[str, Any] = {"model": ask.model or "claude-sonnet-4-6", "max_tokens": 2000, "messages": messages}
    body |= {"system": system} if system else {}
    if ask.tools:
        body["tools"] = [{"name": tool.name, "input_schema": tool.parameters} for tool in ask.tools]
        named = isinstance(ask.choice, tuple)
        body["tool_choice"] = {"type": "tool", "name": ask.choice[0]} if named else {"type": ask.choice}
    if ask.form:
        body["output_config"] = {"format": {"type": "json_schema", "schema": ask.form}}
    if ask.stop:
        body["stop_sequences"] = [ask.stop]
    return "/v1/messages", {**body, **({"stream": True} if ask.stream else {})}


def _block(kind: str, media: str, data: str) -> dict[str, Any]:
    return {"type": kind, "source": {"type": "base64", "media_type": media, "data": data}}


def _blocks(message: Message) -> tuple[str, list[dict[str, Any]]]:
    match message:
        case Says():
            picture = [_block("image", "image/png", message.picture)] * bool(message.picture)
            paper = [_block("document", "application/pdf", message.paper)] * bool(message.paper)
            return message.who, [{"type": "text", "text": message.text}, *picture, *paper]
        case Calls():
            thought, signature = message.thought or ("", "")
            thinking = [{"type": "thinking", "thinking": thought, "signature": signature}] if message.thought else []
            text = [{"type": "text", "text": message.text}] if message.text else []
            calls = [
                {"type": "tool_use", "id": call.id, "name": call.tool, "input": call.arguments}
                for call in message.calls
            ]
            return "assistant", [*thinking, *text, *calls]
        case Gives():
            picture = [_block("image", "image/png", message.picture)] if message.picture else []
            content: Any = picture or message.text
            failed = {"is_error": True} if message.failed else {}
            return "user", [{"type": "tool_result", "tool_use_id": message.call.id, "content": content, **failed}]


# --- Gemini ---------------------------------------------------------------------------------------------------------


def gemini(ask: Ask) -> tuple[str, dict[str, Any]]:
    """The path and the body of a request."""
    contents: list[dict[str, Any]] = []
    for message in ask.messages:
        if isinstance(message, Says) and message.who == "system":
            continue
        role, parts = _parts(message)
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] = [*contents[-1]["parts"], *parts]
        else:
            contents.append({"role": role, "parts": parts})
    body: dict[str, Any] = {"contents": contents}
    system = [{"text": each.text} for each in ask.messages if isinstance(each, Says) and each.who == "system"]
    body |= {"systemInstruction": {"parts": system}} if system else {}
    if ask.tools and ask.form is None:  # models before Gemini 3 refuse tools beside a form
        declared = [{"name": tool.name, "parametersJsonSchema": tool.parameters} for tool in ask.tools]
        body["tools"] = [{"functionDeclarations": declared}]
        named = isinstance(ask.choice, tuple)
        some = {"mode": "ANY", "allowedFunctionNames": [*ask.choice]} if named else {"mode": str(ask.choice).upper()}
        body["toolConfig"] = {"functionCallingConfig": some}
    settings: dict[str, Any] = {}
    if ask.form is not None:
        settings |= {"responseMimeType": "application/json"}
        settings |= {"responseJsonSchema": ask.form} if ask.form else {}
    if ask.stop:
        settings |= {"stopSequences": [ask.stop]}
    body |= {"generationConfig": settings} if settings else {}
    how = "streamGenerateContent?alt=sse" if ask.stream else "generateContent"
    return f"/v1beta/models/{ask.model or 'gemini-2.5-flash'}:{how}", body


def _parts(message: Message) -> tuple[str, list[dict[str, Any]]]:
    match message:
        case Says():
            files = [("image/png", message.picture), ("application/pdf", message.paper)]
            inline = [{"inlineData": {"mimeType": kind, "data": data}} for kind, data in files if data]
            return {"user": "user", "assistant": "model"}[message.who], [{"text": message.text}, *inline]
        case Calls():
            text = [{"text": message.text}] if message.text else []
            calls = [{"functionCall": {"name": call.tool, "args": call.arguments}} for call in message.calls]
            return "model", [*text, *calls]
        case Gives():
            said = {"error" if message.failed else "output": message.text}
            parts: list[dict[str, Any]] = [{"functionResponse": {"name": message.call.tool, "response": said}}]
            if message.picture:
                parts += [{"inlineData": {"mimeType": "image/png", "data": message.picture}}]
            return "user", parts


WRITERS: dict[NativeWireName, Any] = {
    "openai-responses": responses,
    "openai-chat": chat,
    "anthropic-messages": anthropic,
    "gemini-generate": gemini,
}
"""How each wire says a request: its path and its body."""
