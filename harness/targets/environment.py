"""How loops that were not written for the harness find its endpoint: by the variables that the official SDKs read."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["environment"]


def environment(wire: str, base_url: str, api_key: str = "harness") -> Mapping[str, str]:
    """The variables with which the provider's official SDKs ask the endpoint of a case.

    ``base_url`` is the case's own, without a version path: OpenAI's SDK wants ``/v1`` behind it, others add theirs.
    """
    if wire == "anthropic-messages":
        return {"ANTHROPIC_BASE_URL": base_url, "ANTHROPIC_API_KEY": api_key}
    if wire == "gemini-generate":
        return {"GOOGLE_GEMINI_BASE_URL": base_url, "GEMINI_API_KEY": api_key}
    return {"OPENAI_BASE_URL": f"{base_url}/v1", "OPENAI_API_KEY": api_key}
