"""Real input: recorded provider traffic through the provider sessions, judged by independent readings.

Every recorded response goes through the session of its wire, on the official SDK; the turn must be what the
recording says. Sessions are so proven on what servers really send, not only on what the harness itself writes.

Every recorded request goes under the rules of its wire: what an endpoint took must break none that is certain, and what
it refused for its history must break the rule that says so.
"""

from __future__ import annotations

from harness_lab.corpus.exchanges import Recorded, exchanges_of, read_corpus, wire_of
from harness_lab.corpus.judge import Judge
from harness_lab.corpus.outcome import Outcome
from harness_lab.corpus.replay import Replay
from harness_lab.corpus.report import report
from harness_lab.corpus.request_report import request_report
from harness_lab.corpus.requests import Request, judge_requests

__all__ = [
    "Judge",
    "Outcome",
    "Recorded",
    "Replay",
    "Request",
    "exchanges_of",
    "judge_requests",
    "read_corpus",
    "report",
    "request_report",
    "wire_of",
]
