"""What servers and gateways must send, judged: one answer by itself, and what was sent beside what arrived.

A server is asked by a client, and its answer must follow the grammar of its wire. A gateway has two sides: the
``upstream``, which sent something to it, and the client, at which something arrived, on the same wire or on another.

    judge_response    one answer, by the strict reader of its wire
    compare           what the upstream sent beside what arrived at the client
    compare_forms     a streamed answer beside the whole answer to the same request
    compare_returned  what the upstream sent, compared with what came back to it in the next request
    same_forms        whether a model has sent the same in both forms
    about_thinking    whether a finding is about thinking that goes back
    thinking_is_lost  whether a client's wire has no member for the proofs of a model's thinking
    unsigned          the signatures that an answer does not give, so that none can be asked for at the client
    causes            a loss at the client with what the upstream complains of in the next request: one cause
    inevitable        what a wire cannot say, so that it is no loss
    rules_of, every_rule, probe_rule   the rules by wire, by id, and by what a probe asks

Nothing here opens a socket or a file.
"""

from __future__ import annotations

from harness.servers.rules.comparing import (
    AnswerSide,
    compare,
    compare_forms,
    compare_returned,
    same_forms,
    thinking_is_lost,
    unsigned,
)
from harness.servers.rules.consequences import ServerCause, about_thinking, causes
from harness.servers.rules.judging import judge_response
from harness.servers.rules.losses import InevitableLoss, inevitable
from harness.servers.rules.table import every_rule, probe_rule, rules_of
from harness.wire.response_rule import Content, ProbeStep, ReceivedResponse, ResponseRule

__all__ = [
    "AnswerSide",
    "Content",
    "InevitableLoss",
    "ProbeStep",
    "ReceivedResponse",
    "ResponseRule",
    "ServerCause",
    "about_thinking",
    "causes",
    "compare",
    "compare_forms",
    "compare_returned",
    "every_rule",
    "inevitable",
    "judge_response",
    "probe_rule",
    "rules_of",
    "same_forms",
    "thinking_is_lost",
    "unsigned",
]
