"""Facts about some of Google's models, as data with sources.

The table says nothing about a name that no fact covers: endpoints of tuned models have their own names, and an alias
such as ``gemini-flash-latest`` moves from one generation to the next.
"""

from __future__ import annotations

from typing import Final

from harness.wire.gemini_thinking import THINKING_MODELS
from harness.wire.models import ModelFact, ModelTable

KNOWN: Final = "known"
"""True: the name belongs to a family of Google's. Whether an account may use the model remains unknown."""

SIGNED_CALLS: Final = "signed calls"
"""True: calls go back with their thought signature; False: signatures are not checked."""

NO_PREFILL: Final = "no prefill"
"""True: the model does not continue a content of its own, and accepts nothing after function responses."""

ROLE_NAMES: Final = "role names"
"""The roles in the model's error message. The effect of roles other than user and model is unknown."""

UNSPLIT_ANSWERS: Final = "unsplit answers"
"""False: recordings show that the Developer API accepts answers to one turn that are split over contents."""

TOOLS_APART: Final = "tools apart"
"""True: the model refuses functions beside an answer in JSON, or beside Google's own tools."""

THINKING_LEVELS: Final = "thinking levels"
"""The values of ``thinkingLevel`` that the model accepts, least first: it is known to refuse all others."""

DOCUMENTED_LEVELS: Final = "documented thinking levels"
"""The values in the documentation, if nobody has reported a refusal of others."""

THINKING_BUDGET: Final = "thinking budget"
"""The least and the most ``thinkingBudget``, and whether 0 (no thinking) is accepted, too; -1 always is."""

INPUT_LIMIT: Final = "input limit"
"""The most tokens of a request."""

NO_LOGPROBS: Final = "no logprobs"
"""True: recordings show that the model refuses to return the probabilities of tokens."""

_THIRD_ON: Final = r"gemini-(?:[3-9]|\d\d)(?:\.\d+)?-"
_SECOND: Final = r"gemini-(?:1\.\d|2\.\d)-"

_SIGNATURES: Final = "https://ai.google.dev/gemini-api/docs/thought-signatures"
_THINKING: Final = "https://ai.google.dev/gemini-api/docs/generate-content/thinking#thinking-levels"
_MODELS: Final = "https://ai.google.dev/gemini-api/docs/models"

_MODEL_ENDS: Final = (
    "https://github.com/LibreChat-AI/agents/pull/323 (table of live answers), "
    "https://ai.google.dev/gemini-api/docs/whats-new-gemini-3.6"
)

MODELS: Final = ModelTable(
    *THINKING_MODELS,
    ModelFact(
        KNOWN,
        "the names of Gemini, Gemma and LearnLM",
        r"^(?:gemini-(?:\d+(?:\.\d+)?-)?(?:pro|flash|ultra|nano|argon|computer-use|live|robotics|exp)"
        r"|gemma-\d|learnlm-)(?:-?(?:pro|flash|lite|latest|preview|experimental|exp|image|generation|tts|live|native-audio"
        r"|dialog|translate|thinking|customtools|computer-use|robotics|er|vision|it|[ae]?\d[\w.]*))*$",
        _MODELS,
    ),
    ModelFact(SIGNED_CALLS, "image models of Gemini 3", r"gemini-[\w.-]*image", _SIGNATURES, value=False),
    ModelFact(SIGNED_CALLS, "Gemini 3 and later", _THIRD_ON, _SIGNATURES),
    ModelFact(
        SIGNED_CALLS,
        "Gemini 2.5 and older",
        _SECOND,
        f"{_SIGNATURES}, recordings of gemini-2.0-flash without signatures",
        value=False,
    ),
    ModelFact(
        NO_PREFILL,
        "Gemini 3.6 and later",
        r"gemini-(?:3\.(?:[6-9]|\d\d)|(?:[4-9]|\d\d)(?:\.\d+)?)-",
        _MODEL_ENDS,
    ),
    ModelFact(NO_PREFILL, "Gemini 3.5 Flash-Lite", "gemini-3\\.5-flash-lite", _MODEL_ENDS),
    ModelFact(
        ROLE_NAMES,
        "Gemini 3 and later",
        _THIRD_ON,
        "a public file that states verbatim production texts",
        value=("SYSTEM", "SYSTEM_1", "USER", "ASSISTANT", "DEVELOPER", "CONTEXT", "USER_CONTEXT", "MODEL", "USER"),
    ),
    ModelFact(
        UNSPLIT_ANSWERS,
        "Gemini 2.5 and older",
        _SECOND,
        "recordings TestGeminiNativeToolCalling.test_gemini_parallel_native_tool_calling_test_agent_kickoff and "
        "…_test_crew: gemini-2.5-flash with 200",
        value=False,
    ),
    ModelFact(
        TOOLS_APART,
        "Gemini 2.5 and older",
        _SECOND,
        "https://github.com/symfony/ai/issues/803, https://github.com/symfony/ai/issues/1777 (gemini-2.5-flash, 2026)",
    ),
    ModelFact(
        TOOLS_APART,
        "Gemini 3 and later",
        _THIRD_ON,
        "ten recordings of gemini-3-pro-preview with functions and application/json, with 200",
        value=False,
    ),
    ModelFact(
        THINKING_LEVELS,
        "Gemini 2.5 and older",
        _SECOND,
        "https://github.com/RooCodeInc/Roo-Code/issues/10700, https://github.com/dhyansraj/mcp-mesh/issues/1346",
        value=(),
    ),
    ModelFact(
        THINKING_LEVELS,
        "Gemini 3.7 Flash and later, Gemini 4",
        r"gemini-(?:3\.(?:[7-9]|\d\d)-flash(?!-lite)|4(?:\.\d+)?-)",
        f"{_THINKING}, https://github.com/can1357/oh-my-pi/issues/10543, "
        "https://github.com/fishjar/kiss-translator/issues/1048",
        value=("low", "medium", "high"),
    ),
    ModelFact(DOCUMENTED_LEVELS, "Gemini 3 Pro", r"gemini-3-pro(?!-image)", _THINKING, value=("low", "high")),
    ModelFact(DOCUMENTED_LEVELS, "Gemini 3.1 Pro", r"gemini-3\.1-pro", _THINKING, value=("low", "medium", "high")),
    ModelFact(
        DOCUMENTED_LEVELS,
        "Gemini 3 to 3.6 Flash, Flash-Lite",
        r"gemini-3(?:\.[1-6])?-flash(?!.*image)|gemini-3\.\d+-flash-lite(?!.*image)",
        _THINKING,
        value=("minimal", "low", "medium", "high"),
    ),
    ModelFact(
        THINKING_BUDGET,
        "Gemini 2.5 Pro",
        r"gemini-2\.5-pro",
        "https://ai.google.dev/gemini-api/docs/thinking, https://github.com/vercel/ai/issues/8027",
        value=(128, 32768, False),
    ),
    ModelFact(
        THINKING_BUDGET,
        "Gemini 2.5 Flash-Lite",
        r"gemini-2\.5-flash-lite",
        "https://ai.google.dev/gemini-api/docs/thinking",
        value=(512, 24576, True),
    ),
    ModelFact(
        THINKING_BUDGET,
        "Gemini 2.5 Flash",
        r"gemini-2\.5-flash(?!-image|.*tts)",
        "https://ai.google.dev/gemini-api/docs/thinking",
        value=(0, 24576, True),
    ),
    ModelFact(INPUT_LIMIT, "Gemini 2.5 text to speech", r"gemini-2\.5-[\w-]*tts", _MODELS, value=8192),
    ModelFact(INPUT_LIMIT, "Gemini 2.5 Flash Image", r"gemini-2\.5-flash-image", _MODELS, value=65536),
    ModelFact(INPUT_LIMIT, "Gemini 1.5 Pro", r"gemini-1\.5-pro", _MODELS, value=2_097_152),
    ModelFact(
        INPUT_LIMIT,
        "Flash and Pro since 1.5, Gemini 4 Argon",
        r"gemini-(?:1\.5-flash|2\.[05]-(?:flash|pro)|3(?:\.\d+)?-(?:flash|pro)|4-argon)(?!.*(?:image|live|audio))",
        f"{_MODELS}, https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/start/"
        "get-started-with-gemini-4",
        value=1_048_576,
    ),
    ModelFact(
        NO_LOGPROBS,
        "gemini-pro-latest, as recorded",
        r"gemini-pro-latest",
        "recording Scoreboard/gemini-pro-latest_thinking/GenSync-TopLogprobs",
    ),
)
