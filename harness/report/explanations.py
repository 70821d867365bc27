"""The statements, reasons and sources of the rules in a run's findings, each rule once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harness.rules import RULES
from harness.servers.rules import ResponseRule, every_rule
from harness.wire import WireRule, wire_rules
from harness.wire.channels import words

FINDINGS: Final[Mapping[str, tuple[str, str]]] = {
    "expect/outcome": (
        "The run ends with the outcome that the scenario expects.",
        "The outcome is how the loop says that it has ended: completed, truncated, refused, failed, turn-limit or "
        "deferred.",
    ),
    "expect/turns": (
        "The endpoint answers as many model turns as the scenario expects.",
        "With fewer turns the loop has ended too early; with more it has asked again without a reason.",
    ),
    "expect/requests": (
        "The loop sends as many requests as the scenario expects, retries included.",
        "With fewer requests the loop has ended too early, or has not retried; each one more costs money.",
    ),
    "expect/events": (
        "The loop emits the events that the scenario expects, in this order.",
        "The events are what the user of the loop sees. The finding shows the first event that differs.",
    ),
    "expect/sent": (
        "The request contains the texts that the scenario expects, and none that the scenario excludes.",
        "The model knows only what the request contains: a missing text is a lost result, prompt or instruction.",
    ),
    "expect/ran": (
        "The loop runs the tool calls that the scenario expects.",
        "A call that does not run leaves the model without its effect.",
    ),
    "expect/not_ran": (
        "The loop does not run the tool calls that the scenario forbids.",
        "Such a call is incomplete, invalid or not approved: its effect cannot be undone.",
    ),
    "expect/offered": (
        "The request declares the tools that the scenario expects, and none that the scenario excludes.",
        "The model cannot call a tool that it is not offered, and may call one that was withdrawn.",
    ),
    "expect/reported": (
        "The loop reports each tool call as the scenario expects: its tool, its input, its output and its success.",
        "These events are all that the user of the loop sees of the work of its tools.",
    ),
    "expect/results": (
        "The result of each call goes back to the model as the tool has returned it, under that call.",
        "The model goes on with what the results say: one that is lost, made up or under another call misleads it.",
    ),
    "expect/final": (
        "The final event contains the code that the scenario expects.",
        "The code of the final event is the result that the user of the loop gets.",
    ),
    "expect/error": (
        "The run ends with the error that the scenario expects.",
        "The kind and the message of the error are all that the user of the loop learns about the failure.",
    ),
    "expect/timeline": (
        "Each moment comes at which the scenario's caller does something.",
        "Without it the case shows nothing of what it is there for.",
    ),
    "expect/files": (
        "The files of the work directory are at the end as the scenario expects.",
        "What an agent leaves is its work; a file that must not be there shows that a call ran which must not.",
    ),
    "expect/subagents": (
        "The loop starts every sub-agent that the scenario expects.",
        "A task that no sub-agent has done is missing in the result.",
    ),
    "script/call": (
        "The tool calls of the script have a tool and arguments that the request allows.",
        "A model does not make a call that the request does not allow: the test would prove nothing.",
    ),
    "script/requests": (
        "The loop sends one request for each turn of the script.",
        "With fewer requests the loop has ended too early; with more it has asked again without a reason.",
    ),
    "cassette/miss": (
        "The cassette has a recording of every request.",
        "Nothing else answers: in a replay no request is sent to a provider.",
    ),
    "cassette/unplayed": (
        "The loop sends every request that was recorded.",
        "The loop sends fewer requests than it did when they were recorded.",
    ),
    "target/wire": (
        "A target sends its requests in the API format (wire) of its case.",
        "Requests in another format show nothing about this one. Declare 'wires' of the target, or choose with --wire.",
    ),
    "target/request": (
        "A target sends at least one request to the endpoint.",
        "A loop that sends no request has not passed. Check that it uses the base URL of the case.",
    ),
    "target/end": (
        "A loop ends its run.",
        "It waits, or goes round, for ever: its user gets no answer, and no error.",
    ),
    "target/transport": (
        f"In a case over {words('many')} a target opens one.",
        f"Requests over HTTP show nothing about {words('many')}. Have the loop use them, or leave --transport out.",
    ),
    "target/conversation": (
        "At least one request of a target belongs to the conversation of the scenario's prompt.",
        "Requests of other conversations, such as titles and summaries, show nothing about the scenario.",
    ),
    "target/exit": (
        "The command of 'harness serve' ends with exit code 0.",
        "No rule is broken in its requests. The reason for the failure is in the output of the command.",
    ),
    "gateway/request": (
        "Each request of a client reaches the model behind the gateway.",
        "The gateway has answered by itself: with an error of its own, or from a cache.",
    ),
    "gateway/answer": (
        "Each request of a client gets an answer in time.",
        "The model has answered at once; a client that waits does not know that.",
    ),
    "probe/answer": (
        "A right request gets HTTP 200 and a whole answer.",
        "Clients that ask so get an error, or an answer that they cannot read.",
    ),
    "probe/arguments": (
        "The arguments of a call fit the schema of its tool.",
        "A call without what it needs cannot be run; servers that guide the model by the schema make none.",
    ),
    "probe/limit": (
        "An answer that reaches the token limit has the stop reason for it.",
        "A client takes half an answer for a whole one.",
    ),
    "probe/tokens": (
        "A request with a tool counts more prompt tokens than one without.",
        "Prices, and how full the context window is, are reckoned from these counts.",
    ),
    "target/network": (
        "A target sends requests to the endpoint only.",
        "The answers of other hosts cannot be judged, and no request may reach them.",
    ),
}
"""The statement and the reason of every finding that no rule makes, by its name."""


def explanations(broken: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The explanations of rules by their ids, as a finding has them (``Finding.id``). Unknown ids are left out."""
    known = {id: _explanation_of(id) for id in broken}
    return {id: text for id, text in known.items() if text is not None}


def _explanation_of(id: str) -> dict[str, Any] | None:
    wire_rule = wire_rules().get(id)
    if wire_rule is not None:
        return _of_wire(wire_rule)
    if (answer_rule := every_rule().get(id)) is not None:
        return _of_answers(answer_rule)
    if id in RULES:
        rule = RULES[id]
        return {"level": rule.level, "statement": rule.statement, "why": rule.why, "source": [rule.source]}
    statement, why = FINDINGS.get(id, ("", ""))
    return {"level": "MUST", "statement": statement, "why": why, "source": []} if statement else None


def _of_answers(rule: ResponseRule) -> dict[str, Any]:
    return {"level": rule.level, "statement": rule.statement, "why": rule.recordings, "source": list(rule.evidence)}


def _of_wire(rule: WireRule) -> dict[str, Any]:
    return {
        "level": rule.level,
        "statement": rule.statement,
        "why": rule.why,
        "source": list(rule.evidence),
        "applies": rule.applies,
        "seen": [template.seen for template in rule.templates if template.seen],
    }
