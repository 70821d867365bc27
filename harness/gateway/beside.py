"""What providers serve beside the model: lists of models, and counts of tokens.

Clients ask for them before or between the requests of a conversation. The answers are plausible: the model of the case,
and a count by the length of the request. Forms: as the providers' official SDKs read them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from harness.gateway.response_plan import ResponsePlan

__all__ = ["beside"]

_MODELS: Final = re.compile(r"(?:/[^/]+)*?(?P<version>/v\d\w*)?/models(?:/(?P<id>.*?))?/?")
_COUNT_GEMINI: Final = re.compile(r"(?:/[^/]+)*/models/[^/]+:countTokens")
_COUNTS: Final[Mapping[str, Mapping[str, str]]] = {
    "/messages/count_tokens": {},
    "/responses/input_tokens": {"object": "response.input_tokens"},
}
"""How the paths end that count tokens, and what their answers say beside ``input_tokens``."""

_BYTES_PER_TOKEN: Final = 4
_CREATED: Final = 1_767_225_600
_RELEASED: Final = "2026-01-01T00:00:00Z"
_INPUT: Final = 1_000_000
_OUTPUT: Final = 64_000


def beside(method: str, path: str, headers: Mapping[str, str], body: bytes, model: str) -> ResponsePlan | None:
    """The answer to a request that is no conversation; None where nothing of the kind is asked.

    ``path`` has no query, the names of ``headers`` are lower-case, ``body`` is decoded. ``model`` is what the list
    holds; empty for an empty list.
    """
    if method == "POST":
        return _count(path, body)
    found = _MODELS.fullmatch(path) if method in ("GET", "HEAD") else None
    if found is None:
        return None
    known, id = [model] if model else [], unquote(found["id"] or "")
    if "anthropic-version" in headers:
        return _json(_anthropic_model(id) if id else _anthropic_list(known))
    if "x-goog-api-key" in headers or (found["version"] or "").startswith(("/v1beta", "/v1alpha")):
        return _json(_gemini_model(id) if id else {"models": [_gemini_model(each) for each in known]})
    return _json(_openai_model(id) if id else {"object": "list", "data": [_openai_model(each) for each in known]})


def _count(path: str, body: bytes) -> ResponsePlan | None:
    tokens = max(1, len(body) // _BYTES_PER_TOKEN)
    if _COUNT_GEMINI.fullmatch(path):
        details = [{"modality": "TEXT", "tokenCount": tokens}]
        return _json({"totalTokens": tokens, "promptTokensDetails": details})
    more = next((more for end, more in _COUNTS.items() if path.rstrip("/").endswith(end)), None)
    return None if more is None else _json({**more, "input_tokens": tokens})


def _openai_model(name: str) -> Mapping[str, Any]:
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "system"}


def _anthropic_model(name: str) -> Mapping[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": _RELEASED,
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
        "capabilities": None,
        "max_input_tokens": _INPUT,
        "max_tokens": _OUTPUT,
    }


def _anthropic_list(names: list[str]) -> Mapping[str, Any]:
    ends = {"first_id": names[0], "last_id": names[-1]} if names else {"first_id": None, "last_id": None}
    return {"data": [_anthropic_model(each) for each in names], "has_more": False, **ends}


def _gemini_model(name: str) -> Mapping[str, Any]:
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name,
        "description": name,
        "inputTokenLimit": _INPUT,
        "outputTokenLimit": _OUTPUT,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def _json(value: Mapping[str, Any]) -> ResponsePlan:
    return ResponsePlan(200, {"content-type": "application/json"}, (json.dumps(value).encode(),))
