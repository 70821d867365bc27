"""Reasons why ours may continue otherwise than a recorded loop, while both are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from harness.imports.comparison import Reason
from harness.imports.continuation import ModelTurn
from harness.imports.continued import Continued, signed_proofs
from harness.imports.judging import NOT_STORED
from harness.imports.links import PLACEHOLDER
from harness.wire import WireName, wire
from harness.wire.lenient import entries

_ENCRYPTED: Final = "reasoning.encrypted_content"
_WITH_ENVELOPE: Final[WireName] = "gemini-generate"
"""The wire whose results are objects with members that the loop names."""


def _at(place: str, name: str, why: str, applies: Callable[[Continued], bool]) -> Reason[Continued]:
    return Reason(why, lambda continued: (place,) if applies(continued) else (), name)


def _of_turns(applies: Callable[[ModelTurn, ModelTurn], bool]) -> Callable[[Continued], bool]:
    """Whether both sides send the turn back, and the predicate is true of the recorded one and ours, in this order."""
    return lambda each: all(each.turns) and applies(*each.turns)  # type: ignore[arg-type]


def _thinks_beside_calls_only(each: Continued) -> bool:
    recorded, ours = each.turns
    return bool(wire(each.wire).thinking_model and recorded and ours and not ours.calls and not ours.thinking)


def _keeps_no_reasoning(each: Continued) -> bool:
    return _ENCRYPTED not in entries(each.step.asked.body.get("include"))


DIFFERENCES: tuple[Reason[Continued], ...] = (
    _at(
        "thinking",
        "thinking left out",
        "the recorded loop does not send thinking back; ours always does",
        _of_turns(lambda recorded, _: not recorded.thinking),
    ),
    _at(
        "thinking",
        "thinking without calls",
        "the recorded loop sends thinking of every turn back; on Chat ours only beside calls",
        _thinks_beside_calls_only,
    ),
    _at(
        f"rule {NOT_STORED}",
        "reasoning not stored",
        "the recorded loop did not ask for encrypted reasoning, as ours does, so what came is lost",
        _keeps_no_reasoning,
    ),
    _at(
        "proofs",
        "proofs left out",
        "the recorded loop does not send every signature back; ours always does",
        _of_turns(
            lambda recorded, ours: (
                {*signed_proofs(recorded)} <= {*ours.proofs} and Counter(signed_proofs(recorded)) < Counter(ours.proofs)
            )
        ),
    ),
    _at(
        "proofs",
        "proofs repeated",
        "the recorded loop gives every call the signature of one; ours sends each where it came",
        _of_turns(
            lambda recorded, ours: (
                {*signed_proofs(recorded)} <= {*ours.proofs} and len(signed_proofs(recorded)) > len(ours.proofs)
            )
        ),
    ),
    _at(
        "proof made up",
        "proof made up",
        "the recorded loop sends Google's placeholder where the model signed nothing; ours sends nothing",
        _of_turns(lambda recorded, _: PLACEHOLDER in recorded.proofs),
    ),
    _at(
        "text",
        "text left out",
        "the recorded loop drops what the model said beside its calls; ours never does",
        _of_turns(lambda recorded, _: not recorded.text),
    ),
    _at(
        "text",
        "text trimmed",
        "the recorded loop cuts white space off what the model said; ours sends it as it came",
        _of_turns(lambda recorded, ours: bool(recorded.text.strip()) and recorded.text == ours.text.strip()),
    ),
    _at(
        "text",
        "white space added",
        "the recorded loop says white space where the model said nothing",
        _of_turns(lambda recorded, ours: bool(recorded.text) and not ours.text and not recorded.text.strip()),
    ),
    _at(
        "items without words",
        "server items left out",
        "the recorded loop drops items of built-in tools; ours sends them back as they came",
        _of_turns(lambda recorded, ours: Counter(recorded.others) < Counter(ours.others)),
    ),
    _at(
        "turn",
        "turn named by its id",
        "the recorded loop names the turn (previous_response_id); ours sends it",
        lambda each: each.link is not None and each.link.sent.turn is None,
    ),
    Reason(
        "the recorded loop gives calls ids of its own; ours only where the model gives none or repeats one",
        lambda each: each.changed_ids,
        "ids changed",
    ),
    Reason(
        "the same JSON value, written anew by the recorded loop",
        lambda each: each.respelled_arguments,
        "arguments spelled otherwise",
    ),
    Reason(
        "the recorded loop sends text as it is; tools of ours return JSON, which is sent as such",
        lambda each: each.respelled_results if each.wire != _WITH_ENVELOPE else (),
        "results as JSON text",
    ),
    Reason(
        "the recorded loop names the members of a Gemini response; ours sends output or error",
        lambda each: each.respelled_results if each.wire == _WITH_ENVELOPE else (),
        "results in an envelope",
    ),
    _at(
        "order of results",
        "results in another order",
        "the recorded loop sends results as they came; ours in the order of the calls",
        lambda each: each.link is not None,
    ),
    _at(
        "order of text and calls",
        "parts in another order",
        "the recorded loop has an order of its own for text and calls; ours has the model's",
        lambda each: each.keeps_the_order,
    ),
)
"""Every way in which a recorded loop and ours may both be right."""
