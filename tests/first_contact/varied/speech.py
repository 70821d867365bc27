"""Six APIs in the fewest words: what a request has in it, and what an answer says. Standard library alone.

``history`` is a list in the API's own form. Nothing here knows the harness.
"""

import json
import os
from urllib.request import Request, urlopen

SCHEMA = {"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"]}


class Said:
    """An answer: its ``items`` as they go back into the history, its ``calls`` as (id, name), its ``text``."""

    def __init__(self, items, calls, text, name=None):
        self.items, self.calls, self.text, self.name = items, calls, text, name


class Api:
    """``models`` to choose from; ``streams``: whether ``pieces`` can read a stream of it."""

    models = ()
    streams = True
    forces = True
    names_the_last = False

    def post(self, path, body):
        headers = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
        headers |= {"x-api-key": "k", "x-goog-api-key": "k", "authorization": "Bearer k"}
        return urlopen(Request(os.environ["HARNESS_CASE_BASE_URL"] + path, json.dumps(body).encode(), headers))

    def ask(self, body, stream=False, pieces=None):
        """``pieces``: hang up after so many events of a stream; returns the text until then."""
        with self.post(self.path(body, stream), self.sent(body, stream)) as answer:
            if not stream:
                return self.whole(json.load(answer))
            events = []
            for line in answer:
                if line.startswith(b"data:") and line[5:].strip() != b"[DONE]":
                    events.append(json.loads(line[5:]))
                    if pieces is not None and len(events) >= pieces:
                        break
            return self.shown(events) if pieces is not None else self.joined(events)

    def sent(self, body, stream):
        return {**body, "stream": True} if stream else body

    def shown(self, events):
        return "".join(filter(None, map(self.piece, events)))


class Chat(Api):
    models = ("gpt-4o-mini", "gpt-4.1")

    def path(self, body, stream):
        return "/v1/chat/completions"

    def user(self, text):
        return {"role": "user", "content": text}

    def model(self, text):
        return {"role": "assistant", "content": text}

    def body(self, model, history, system, tools, force):
        head = [{"role": "system", "content": system}] if system else []
        body = {"model": model, "messages": [*head, *history]}
        if tools:
            body["tools"] = [{"type": "function", "function": {"name": each, "parameters": SCHEMA}} for each in tools]
        return body | ({"tool_choice": {"type": "function", "function": {"name": force}}} if force else {})

    def whole(self, answer):
        message = answer["choices"][0]["message"]
        item = {key: message[key] for key in ("role", "content", "reasoning_content", "tool_calls") if key in message}
        return Said([item], self.calls(item), item["content"] or "")

    def calls(self, item):
        return [(each["id"], each["function"]["name"]) for each in item.get("tool_calls") or []]

    def piece(self, event):
        return event["choices"][0]["delta"].get("content")

    def joined(self, events):
        calls = []
        for event in events:
            for part in event["choices"][0]["delta"].get("tool_calls") or []:
                if part["index"] == len(calls):
                    function = {"name": part["function"]["name"], "arguments": ""}
                    calls.append({"id": part["id"], "type": "function", "function": function})
                calls[part["index"]]["function"]["arguments"] += part["function"].get("arguments") or ""
        item = {"role": "assistant", "content": self.shown(events) or None}
        item |= {"tool_calls": calls} if calls else {}
        return Said([item], self.calls(item), item["content"] or "")

    def results(self, calls, value):
        return [{"role": "tool", "tool_call_id": call, "content": value(name)} for call, name in calls]


class Responses(Api):
    models = ("gpt-4.1", "gpt-5", "o4-mini")
    names_the_last = True

    def path(self, body, stream):
        return "/v1/responses"

    def user(self, text):
        return {"role": "user", "content": text}

    def model(self, text):
        return {"role": "assistant", "content": text}

    def body(self, model, history, system, tools, force):
        body = {"model": model, "input": history} | ({"instructions": system} if system else {})
        if tools:
            body["tools"] = [{"type": "function", "name": each, "parameters": SCHEMA} for each in tools]
        return body | ({"tool_choice": {"type": "function", "name": force}} if force else {})

    def follow(self, body, name):
        return body | {"previous_response_id": name}

    def whole(self, answer):
        output = answer["output"]
        calls = [(each["call_id"], each["name"]) for each in output if each["type"] == "function_call"]
        texts = [part["text"] for each in output if each["type"] == "message" for part in each["content"]]
        return Said(output, calls, "".join(texts), answer["id"])

    def piece(self, event):
        return event["delta"] if event["type"] == "response.output_text.delta" else ""

    def joined(self, events):
        return self.whole(next(each["response"] for each in events if each["type"] == "response.completed"))

    def results(self, calls, value):
        return [{"type": "function_call_output", "call_id": call, "output": value(name)} for call, name in calls]


class Anthropic(Api):
    models = ("claude-sonnet-4-5", "claude-haiku-4-5", "thinking:claude-sonnet-4-5")

    def path(self, body, stream):
        return "/v1/messages"

    def user(self, text):
        return {"role": "user", "content": text}

    def model(self, text):
        return {"role": "assistant", "content": text}

    def body(self, model, history, system, tools, force):
        thinks = model.startswith("thinking:") and not force
        body = {"model": model.removeprefix("thinking:"), "max_tokens": 2000, "messages": history}
        body |= {"system": system} if system else {}
        body |= {"thinking": {"type": "enabled", "budget_tokens": 1024}} if thinks else {}
        if tools:
            body["tools"] = [{"name": each, "description": each, "input_schema": SCHEMA} for each in tools]
        return body | ({"tool_choice": {"type": "tool", "name": force}} if force else {})

    def whole(self, answer):
        content = answer["content"]
        calls = [(each["id"], each["name"]) for each in content if each["type"] == "tool_use"]
        texts = [each["text"] for each in content if each["type"] == "text"]
        return Said([{"role": "assistant", "content": content}], calls, "".join(texts))

    def piece(self, event):
        return event.get("delta", {}).get("text")

    def joined(self, events):
        blocks, inputs = {}, {}
        for event in events:
            at, delta = event.get("index"), event.get("delta", {})
            if event["type"] == "content_block_start":
                blocks[at], inputs[at] = dict(event["content_block"]), ""
            for key in ("text", "thinking", "signature"):
                if at is not None and key in delta:
                    blocks[at][key] = blocks[at].get(key, "") + delta[key]
            if "partial_json" in delta:
                inputs[at] += delta["partial_json"]
        for at, block in blocks.items():
            if block["type"] == "tool_use":
                block["input"] = json.loads(inputs[at] or "{}")
        return self.whole({"content": [blocks[at] for at in sorted(blocks)]})

    def results(self, calls, value):
        said = [{"type": "tool_result", "tool_use_id": call, "content": value(name)} for call, name in calls]
        return [{"role": "user", "content": said}]


class Gemini(Api):
    models = ("gemini-2.5-flash", "gemini-3-pro-preview")

    def path(self, body, stream):
        how = "streamGenerateContent?alt=sse" if stream else "generateContent"
        return f"/v1beta/models/{body['model']}:{how}"

    def sent(self, body, stream):
        return {key: value for key, value in body.items() if key != "model"}

    def user(self, text):
        return {"role": "user", "parts": [{"text": text}]}

    def model(self, text):
        return {"role": "model", "parts": [{"text": text}]}

    def body(self, model, history, system, tools, force):
        body = {"model": model, "contents": history}
        body |= {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
        if tools:
            declared = [{"name": each, "description": each, "parameters": SCHEMA} for each in tools]
            body["tools"] = [{"functionDeclarations": declared}]
        choice = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [force]}}
        return body | ({"toolConfig": choice} if force else {})

    def whole(self, answer):
        return self.of_parts(answer["candidates"][0]["content"]["parts"])

    def of_parts(self, parts):
        used = [part["functionCall"] for part in parts if "functionCall" in part]
        texts = [part["text"] for part in parts if "text" in part and not part.get("thought")]
        calls = [(each.get("id"), each["name"]) for each in used]
        return Said([{"role": "model", "parts": parts}], calls, "".join(texts))

    def piece(self, event):
        parts = event["candidates"][0].get("content", {}).get("parts", [])
        return "".join(part.get("text", "") for part in parts if not part.get("thought"))

    def joined(self, events):
        return self.of_parts(
            [part for each in events for part in each["candidates"][0].get("content", {}).get("parts", [])]
        )

    def results(self, calls, value):
        named = [{"name": name, "response": {"output": value(name)}} | ({"id": i} if i else {}) for i, name in calls]
        return [{"role": "user", "parts": [{"functionResponse": each} for each in named]}]


class Interactions(Api):
    models = ("gemini-3-flash-preview", "gemini-2.5-flash")
    streams = False
    forces = False
    names_the_last = True

    def path(self, body, stream):
        return "/v1beta/interactions"

    def user(self, text):
        return {"type": "user_input", "content": [{"type": "text", "text": text}]}

    def model(self, text):
        return {"type": "model_output", "content": [{"type": "text", "text": text}]}

    def body(self, model, history, system, tools, force):
        body = {"model": model, "input": history, "store": False} | ({"system_instruction": system} if system else {})
        declared = [{"type": "function", "name": each, "description": each, "parameters": SCHEMA} for each in tools]
        return body | ({"tools": declared} if tools else {})

    def follow(self, body, name):
        return body | {"store": True} | ({"previous_interaction_id": name} if name else {})

    def whole(self, answer):
        steps = answer["steps"]
        calls = [(each["id"], each["name"]) for each in steps if each["type"] == "function_call"]
        texts = [part["text"] for each in steps if each["type"] == "model_output" for part in each["content"]]
        return Said(steps, calls, "".join(texts), answer.get("id"))

    def results(self, calls, value):
        return [
            {"type": "function_result", "call_id": call, "name": name, "result": {"value": value(name)}}
            for call, name in calls
        ]


class Bedrock(Api):
    models = ("anthropic.claude-3-5-sonnet-20240620-v1:0", "amazon.nova-pro-v1:0")
    streams = False

    def path(self, body, stream):
        return f"/model/{body['model'].replace(':', '%3A')}/converse"

    def sent(self, body, stream):
        return {key: value for key, value in body.items() if key != "model"}

    def user(self, text):
        return {"role": "user", "content": [{"text": text}]}

    def model(self, text):
        return {"role": "assistant", "content": [{"text": text}]}

    def body(self, model, history, system, tools, force):
        body = {"model": model, "messages": history} | ({"system": [{"text": system}]} if system else {})
        specs = [{"toolSpec": {"name": each, "description": each, "inputSchema": {"json": SCHEMA}}} for each in tools]
        choice = {"toolChoice": {"tool": {"name": force}}} if force else {}
        return body | ({"toolConfig": {"tools": specs, **choice}} if tools else {})

    def whole(self, answer):
        message = answer["output"]["message"]
        used = [each["toolUse"] for each in message["content"] if "toolUse" in each]
        texts = [each["text"] for each in message["content"] if "text" in each]
        return Said([message], [(each["toolUseId"], each["name"]) for each in used], "".join(texts))

    def results(self, calls, value):
        said = [{"toolResult": {"toolUseId": call, "content": [{"text": value(name)}]}} for call, name in calls]
        return [{"role": "user", "content": said}]


APIS = {kind.__name__.lower(): kind() for kind in (Chat, Responses, Anthropic, Gemini, Interactions, Bedrock)}
