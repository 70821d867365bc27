"""What the small programs beside it share: a POST with the standard library, the events of a stream, forms of tools."""

import json
import os
from urllib.request import Request, urlopen

OPENAI = os.environ["OPENAI_BASE_URL"]
ANTHROPIC = os.environ["ANTHROPIC_BASE_URL"] + "/v1"
GEMINI = os.environ["GOOGLE_GEMINI_BASE_URL"] + "/v1beta"


def opened(url, body):
    headers = {
        "content-type": "application/json",
        "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}",
        "x-api-key": os.environ["ANTHROPIC_API_KEY"],
        "x-goog-api-key": os.environ["GEMINI_API_KEY"],
        "anthropic-version": "2023-06-01",
    }
    return urlopen(Request(url, json.dumps(body).encode(), headers))


def post(url, body):
    with opened(url, body) as answer:
        return json.load(answer)


def events(answer):
    """The JSON objects of an SSE stream, as they arrive."""
    for line in answer:
        if line.startswith(b"data:") and line[5:].strip() != b"[DONE]":
            yield json.loads(line[5:])


def schema(**members):
    """Of an object that must have these members, each with its type."""
    return {"type": "object", "properties": {each: {"type": members[each]} for each in members}, "required": [*members]}


def chat_tool(name, description=None, /, **members):
    described = {"description": description} if description else {}
    return {"type": "function", "function": {"name": name, **described, "parameters": schema(**members)}}


def responses_tool(name, description, /, **members):
    return {"type": "function", "name": name, "description": description, "parameters": schema(**members)}


def strict_tool(name, description, /, **members):
    parameters = {**schema(**members), "additionalProperties": False}
    return {"type": "function", "name": name, "description": description, "strict": True, "parameters": parameters}


def anthropic_tool(name, description, /, **members):
    return {"name": name, "description": description, "input_schema": schema(**members)}
