"""Real input: recorded provider traffic through the provider sessions, judged by independent readings.

Every recorded response goes through the session of its wire, on the official SDK; the turn must be what the
recording says. Sessions are so proven on what servers really send, not only on what the harness itself writes.
"""

from __future__ import annotations

from harness.corpus.exchanges import Recorded, read_corpus, wire_of
from harness.corpus.judge import Judge
from harness.corpus.outcome import Outcome
from harness.corpus.replay import Replay
from harness.corpus.report import report

__all__ = ["Judge", "Outcome", "Recorded", "Replay", "read_corpus", "report", "wire_of"]
