"""Checks a user's validator of requests with an example."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from harness.errors import BadInput
from harness.finding import Finding
from harness.fuzz.campaign import Falsified
from harness.fuzz.requests.example import RequestExample, change_of, last_request
from harness.fuzz.requests.loop import alone, loop_of
from harness.fuzz.subject import CommandSubject, Crashed, function
from harness.wire import NATIVE_WIRES, wire, wire_rules
from harness.wire.posted import Posted

Validator = Callable[[str, Mapping[str, Any]], Sequence[str] | None]
"""A user's validator. It returns what is wrong with a request of a wire; None if it does not know the wire."""

SIGNATURE: Final = (
    "complaints(wire: str, request: Mapping) -> Sequence[str] | None: what is wrong with a request "
    '{"method", "path", "headers", "body"} of openai-responses, openai-chat, anthropic-messages or gemini-generate; '
    "empty where it is accepted, None for a wire that it does not know. As a command: a line of JSON "
    '{"wire", "request"} is answered with {"complaints": [...]}'
)


def validator(target: str) -> Validator:
    """The validator that ``--target`` names. Raises ``BadInput`` if there is none."""
    if not target.startswith("cmd:"):
        return function(target, SIGNATURE)
    command = CommandSubject(target.removeprefix("cmd:"), SIGNATURE)

    def complaints(wire: str, request: Mapping[str, Any]) -> Sequence[str] | None:
        answer = command.ask({"wire": wire, "request": request})
        if "complaints" not in answer:
            raise Crashed(f"it answered without 'complaints': {str(answer)[:80]}")
        found: Sequence[str] | None = answer["complaints"]
        return found

    return complaints


class Theirs:
    """A validator sees one request at a time and knows nothing of earlier ones. So it must only judge what the request
    itself shows: no complaint about a valid one, and one about what the provider surely refuses."""

    def __init__(self, validator: Validator) -> None:
        self._validator = validator

    def hold(self, example: RequestExample) -> int:
        """Check an example. Returns how many requests it was shown. Raises ``Falsified``."""
        if example.wire not in NATIVE_WIRES:
            return 0
        try:
            loop = loop_of(example)
        except AssertionError:  # ours is wrong about it
            return 0
        asked = [asked.posted for asked in loop.played.requests] if not (example.change or example.damage) else []
        posted = last_request(example, loop.played)
        shown = [*asked[:-1], *([posted] if posted is not None else [])]
        asks = wire(example.wire)  # what is asked for beside the model's answers, no validator here knows
        shown = [each for each in shown if asks.route("POST", each.path) is not None]
        return sum(self._holds(example, each) for each in shown if _shows_all(example, each))

    def _holds(self, example: RequestExample, posted: Posted) -> int:
        try:
            body = json.loads(posted.content())
        except (ValueError, RecursionError):
            return 0
        complaints = self._complaints(
            example, {"method": "POST", "path": posted.path, "headers": posted.headers, "body": body}
        )
        if complaints is None or example.damage:
            return 1
        change = change_of(example)
        if change is None or not change.is_wrong:
            if complaints:
                raise Falsified("spares" if change else "accepts", "no complaint", "; ".join(complaints)[:600])
        elif not complaints and (sure := next(_sure(example, posted), None)):
            refusal = f"HTTP {sure.answered.status}: {sure.answered.message}"
            raise Falsified("finds", f"a complaint: {sure.id} at {sure.answered.place}, {refusal}"[:600], "none")
        return 1

    def _complaints(self, example: RequestExample, request: Mapping[str, Any]) -> list[str] | None:
        try:
            complaints = self._validator(example.wire, request)
        except BadInput:
            raise
        except Exception as error:
            raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error
        if complaints is None:
            return None
        if (
            isinstance(complaints, str)
            or not isinstance(complaints, Sequence)
            or not all(isinstance(each, str) for each in complaints)
        ):
            raise Falsified("raises", "a list of complaints, each a text", repr(complaints)[:200])
        return list(complaints)


def _shows_all(example: RequestExample, posted: Posted) -> bool:
    """Whether a correct request shows that it is correct: if the model did not think, only the response shows that."""
    change = change_of(example)
    right = not example.damage and not (change and change.is_wrong)
    return not (right and alone(wire(example.wire), posted))


def _sure(example: RequestExample, posted: Posted) -> Iterator[Finding]:
    """Findings that the provider was seen to refuse, word for word, and that the request itself shows."""
    for finding in alone(wire(example.wire), posted):
        templates = wire_rules()[finding.id].templates
        seen = any(template.seen and template.matches(finding.answered.message) for template in templates)
        if finding.level == "MUST" and finding.answered.status >= 400 and seen:
            yield finding
