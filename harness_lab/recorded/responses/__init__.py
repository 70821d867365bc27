"""Recorded responses under the rules about what servers send: the recordings decide the levels of the rules.

judged   every response of a corpus, with what its wire's strict reader finds
report   the counts as lines of plain text
"""

from harness_lab.recorded.responses.judged import JudgedResponse, judge_responses
from harness_lab.recorded.responses.report import blamed, response_report

__all__ = ["JudgedResponse", "blamed", "judge_responses", "response_report"]
