"""Requests in files, judged by the rules of their wires: one pasted body, or all that a cassette holds.

judging   one request after the other, with the memory of what the recorded endpoint said
pasted    the body of one request, out of a file that somebody pasted it into
refusal   what an endpoint answered, beside what the rules say
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
