"""Judges requests in files by the rules of their wires: one pasted body, or all requests in a cassette.

judging   one request after another, with a memory of the recorded endpoint's answers
pasted    the body of one request, out of a file that somebody pasted it into
refusal   compares an endpoint's error with the findings of the rules
error_rules   the rules that a pasted error is about; error_messages is what it says, known_errors what providers answer
"""

from __future__ import annotations

from harness.lint.cassettes import CassetteReport, JudgedInteraction, judge_cassette
from harness.lint.error_messages import messages_in
from harness.lint.error_rules import FoundRule, Sureness, rules_for
from harness.lint.json_file import MOST_BYTES
from harness.lint.judging import Judge, Judgement, LintedRequest, host_of
from harness.lint.pasted import Pasted, read_pasted
from harness.lint.refusal import ExplainedRefusal, explain, message_of

__all__ = [
    "MOST_BYTES",
    "CassetteReport",
    "ExplainedRefusal",
    "FoundRule",
    "Judge",
    "JudgedInteraction",
    "Judgement",
    "LintedRequest",
    "Pasted",
    "Sureness",
    "explain",
    "host_of",
    "judge_cassette",
    "message_of",
    "messages_in",
    "read_pasted",
    "rules_for",
]
