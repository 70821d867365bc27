"""Facts about some of Google's models on Interactions, as data with sources."""

from __future__ import annotations

from typing import Final

from harness.wire.gemini_thinking import THINKING_MODELS
from harness.wire.models import ModelFact, ModelTable

SIGNED_CALLS: Final = "signed calls"
"""True: in a stateless request, calls go back after the signed thought that came before them."""

LISTED_RESULTS: Final = "results as lists"
"""False: the model refuses a result that is a list of contents."""

THINKING_LEVELS: Final = "thinking levels"
"""The values of ``thinking_level`` that the model accepts, least first: it is known to refuse all others."""

_SIGNED: Final = (
    "https://github.com/allenhutchison/obsidian-gemini/pull/1269 (gemini-3.6-flash), "
    "https://github.com/googleapis/js-genai/issues/1735"
)

MODELS: Final = ModelTable(
    *THINKING_MODELS,
    ModelFact(SIGNED_CALLS, "image models of Gemini 3", r"gemini-[\w.-]*image", _SIGNED, value=False),
    ModelFact(SIGNED_CALLS, "Gemini 3 and later", r"gemini-(?:[3-9]|\d\d)(?:\.\d+)?-", _SIGNED),
    ModelFact(
        LISTED_RESULTS,
        "Gemini 2.5 and older",
        r"gemini-(?:1\.\d|2\.\d)-",
        "https://github.com/allenhutchison/obsidian-gemini (a comment in its interactions mapper: 400 on 2.5 models)",
        value=False,
    ),
    ModelFact(
        THINKING_LEVELS,
        "Gemini 3.7 Flash and later, Gemini 4",
        r"gemini-(?:3\.(?:[7-9]|\d\d)-flash(?!-lite)|4(?:\.\d+)?-)",
        "https://github.com/fishjar/kiss-translator/issues/1048",
        value=("low", "medium", "high"),
    ),
)
