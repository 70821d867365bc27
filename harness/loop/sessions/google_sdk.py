"""google-genai: what both sessions that are built on it need."""

from __future__ import annotations

from typing import Final

from google import genai
from google.genai import types

API_VERSION: Final = "v1"
"""The SDK's own default since 3.0. It is set here so that no environment variable changes it."""

ONE_ATTEMPT: Final = types.HttpRetryOptions(attempts=1)
"""The engine repeats requests itself, in the same way on every wire."""


def client_with(api_key: str, options: types.HttpOptions) -> genai.Client:
    """A client of the Gemini API, and not of Vertex AI, whatever environment variables say."""
    return genai.Client(vertexai=False, api_key=api_key, http_options=options)
