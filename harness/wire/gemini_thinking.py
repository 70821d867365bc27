"""Which of Google's models think by themselves, as data with sources, for both of Google's wires."""

from __future__ import annotations

from typing import Final

from harness.wire.models import THINKS, ModelFact

_DOCS: Final = "https://ai.google.dev/gemini-api/docs/thinking"

THINKING_MODELS: Final = (
    ModelFact(
        THINKS,
        "models for images, speech and live sound before Gemini 3",
        r"gemini-2\.[\w.-]*(?:image|tts|live|native-audio)",
        "a recording of gemini-2.5-flash-image",
        value=False,
    ),
    ModelFact(
        THINKS,
        "Gemini 2.5 Flash-Lite",
        r"gemini-2\.5-flash-lite",
        f"{_DOCS}; recordings of it without a setting",
        value=False,
    ),
    ModelFact(
        THINKS,
        "Gemini 2.5, Gemini 3 and later",
        r"gemini-(?:2\.5|[3-9]|\d\d)(?:\.\d+)?-",
        f"{_DOCS}; recordings of gemini-2.5-flash, gemini-2.5-pro, gemini-3-flash-preview, gemini-3-pro-preview, "
        "gemini-3.5-flash and gemini-3.6-flash without a setting",
    ),
    ModelFact(
        THINKS,
        "the names without a number, which mean newer models",
        r"gemini-(?:flash|pro)-latest",
        "recordings of gemini-flash-latest and gemini-pro-latest",
    ),
    ModelFact(
        THINKS,
        "Gemini 2.0 and older, Gemma",
        r"gemini-(?:1\.\d|2\.0)-|gemma-",
        "recordings of gemini-2.0-flash and gemini-1.5-flash without signatures and without thinking tokens",
        value=False,
    ),
)
"""The table says nothing about a name that no fact covers."""
