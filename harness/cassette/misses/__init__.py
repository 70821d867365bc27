"""Explains why no recording answers a request: the nearest recording, the differences, and what to do.

nearest      finds the nearest recording
differences  finds where two JSON values differ; diff_text shows that in a readable length
subject      what a difference is about, in words that the author of an agent loop uses
miss         the complete explanation
"""

from __future__ import annotations

from harness.cassette.misses.miss import Miss, MissKind, explained

__all__ = ["Miss", "MissKind", "explained"]
