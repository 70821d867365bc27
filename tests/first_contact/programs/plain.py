"""What the small programs beside it share: a POST with the standard library, and the events of a stream."""

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
