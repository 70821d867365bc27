"""Why no recording answers a request: the one that comes nearest, where the two differ, and what to do.

nearest      which recording it is
differences  where two JSON values differ; diff_text shows it, no longer than can be read
subject      what a difference is about, in the words of somebody who wrote an agent loop
miss         all of it together
"""

from __future__ import annotations

from harness.cassette.misses.miss import Miss, MissKind, explained

__all__ = ["Miss", "MissKind", "explained"]
