"""Names that options are checked against, here as plain words: importing the wires would double the start-up time.

``tests/cli`` holds them against the originals.
"""

from __future__ import annotations

__all__ = ["NATIVE_WIRES", "WIRES"]

NATIVE_WIRES = ("openai-responses", "openai-chat", "anthropic-messages", "gemini-generate")
WIRES = (*NATIVE_WIRES, "text-tags")
