"""The preview of what a model has written, for every page that shows one: a frame that is locked twice.

It is JavaScript. ``preview.js`` expects a section with two sandboxed frames, ``#empty``, ``#size``, ``#code`` and the
buttons ``#show-preview`` and ``#show-code``, and a page whose policy allows the trusted type ``preview``.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["PREVIEW"]

PREVIEW = Path(__file__).parent / "preview.js"
"""An ES module that exports ``Preview``."""
