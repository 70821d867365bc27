"""All checks, in the order in which the provider complains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.lenient import string
from harness.wire.openai_models import KNOWN, OPENAI_MODELS
from harness.wire.openai_responses.rules import (
    approvals,
    compaction,
    files,
    functions,
    growth,
    lengths,
    pairing,
    reasoning,
    settings,
    support,
    thinking,
    tools,
)
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.table import OAI_04, OAI_05, OAI_06, OAI_07, OAI_08, OAI_20, OAI_22
from harness.wire.rule import WireRule

_VENDOR: Final = re.compile(r"[a-z][\w-]*[/.][a-z]", re.IGNORECASE)

Check = Callable[[Asked], Iterable[Finding]]


def _shape(rule: WireRule) -> Check:
    """What the schema finds for a rule."""

    def check(asked: Asked) -> Iterable[Finding]:
        return asked.misshapen.get(rule.id, ())

    return check


def _item_ids(asked: Asked) -> Iterable[Finding]:
    """OAI-07, for ids that the endpoint did not issue itself. Servers of other makers have ids of their own."""
    found = asked.misshapen.get(OAI_07.id, ())
    issued = {entry.at for entry in asked.entries if found and string(entry.raw.get("id")) in asked.issued.items}
    known = OPENAI_MODELS.holds(KNOWN, asked.model)
    return [each if known else replace(each, level="INFO") for each in found if each.answered.place not in issued]


def _unknown_members(asked: Asked) -> Iterable[Finding]:
    """OAI-05. Other makers' servers, routers and clouds have parameters of their own beside the model's."""
    found = asked.misshapen.get(OAI_05.id, ())
    elsewhere = bool(found) and _is_served_elsewhere(asked.model)
    return [replace(each, level="INFO") if elsewhere and _is_a_setting(each) else each for each in found]


def _is_served_elsewhere(model: str) -> bool:
    """By its name: another maker's, or one with a vendor in front (``openai/gpt-5``, ``openai.gpt-oss-120b``)."""
    return OPENAI_MODELS.value(KNOWN, model) is False or _VENDOR.match(model) is not None


def _is_a_setting(found: Finding) -> bool:
    """Whether it is about a parameter beside the input, and one that Chat does not have under this name."""
    answered = found.answered
    return answered.code == "unknown_parameter" and "[" not in answered.place and "." not in answered.place


CHECKS: Final[tuple[Check, ...]] = (
    settings.model_is_named,  # OAI-02
    settings.something_is_asked,  # OAI-03
    _shape(OAI_04),
    _unknown_members,  # OAI-05
    _shape(OAI_06),
    _item_ids,  # OAI-07
    _shape(OAI_08),
    pairing.items_are_unique,  # OAI-09
    pairing.calls_are_answered,  # OAI-10
    approvals.requests_are_answered,  # OAI-10
    pairing.outputs_have_a_call,  # OAI-11, OAI-13
    approvals.approvals_have_a_request,  # OAI-11
    pairing.outputs_are_unique,  # OAI-12
    reasoning.reasoning_keeps_its_item,  # OAI-14
    reasoning.items_keep_their_reasoning,  # OAI-15
    reasoning.reasoning_can_be_found,  # OAI-16
    reasoning.encrypted_content_is_untouched,  # OAI-17
    thinking.reasoning_text_comes_back,  # OAI-DS
    functions.calls_keep_their_namespace,  # OAI-NS
    functions.outputs_fit_their_schema,  # OAI-OUTSCHEMA
    settings.previous_response_exists,  # OAI-18, OAI-CONNECTION
    settings.conversation_is_stored,  # OAI-CONVERSATION
    settings.history_has_one_name,  # OAI-19
    _shape(OAI_20),
    files.files_can_be_read,  # OAI-21
    _shape(OAI_22),
    tools.schemas_are_closed,  # OAI-23
    tools.chosen_tool_is_declared,  # OAI-24
    tools.tool_names_are_well_formed,  # OAI-25
    support.settings_are_supported,  # OAI-26
    support.history_fits_the_window,  # OAI-27
    growth.history_only_grows,  # OAI-28
    tools.answers_are_closed,  # OAI-FORMAT
    lengths.nothing_is_too_long,  # OAI-LENGTH
)
"""The checks of the rules, but for OAI-01, which the reader of requests finds, and OAI-COMPACT."""


def violations(conversation: Conversation, state: IssuedState) -> list[Finding]:
    """``Wire.violations``; linear in what the case has sent and been sent."""
    asked = Asked(conversation, state)
    if conversation.aside == compaction.COMPACT:
        return [*compaction.compaction_waits_for_outputs(asked)]
    return [finding for check in CHECKS for finding in check(asked)]
