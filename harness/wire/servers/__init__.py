"""The servers of the wires, as data with evidence: how each is recognised, and which findings are certain on it.

model      a server, and what it does with requests that break a rule
table      the servers that are known
files      both out of servers.yaml and refusals.yaml
detect     which one has answered, or will
weigh      the level of a finding on a server
abilities  refusals that are no fault of the history: what a model or a server cannot do
"""

from __future__ import annotations

from harness.wire.servers.abilities import REASONS, Ability, ReasonKind, RefusalReason, refusal_reason, refusal_reasons
from harness.wire.servers.detect import By, KnownServer, detected, known_server, named
from harness.wire.servers.model import OWNERS, Practice, Server
from harness.wire.servers.table import SERVERS
from harness.wire.servers.weigh import weighed

__all__ = [
    "OWNERS",
    "REASONS",
    "SERVERS",
    "Ability",
    "By",
    "KnownServer",
    "Practice",
    "ReasonKind",
    "RefusalReason",
    "Server",
    "detected",
    "known_server",
    "named",
    "refusal_reason",
    "refusal_reasons",
    "weighed",
]
