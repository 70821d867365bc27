"""The checks of the wire's rules, in the order in which the provider would complain: shape first, then meaning.

Every check finds where a rule is broken; the rule's row in ``table`` says the rest. Settings are judged once and again
only when they change; of a history only what is new, where the rest is known to break nothing (``memory``), and only by
the checks that can find something in blocks of its types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.read import BEDROCK
from harness.wire.anthropic_messages.rules import (
    binding,
    content,
    images,
    limits,
    pairing,
    server_tools,
    settings,
    shape,
    signers,
    strict,
    thinking,
    threads,
    tools,
    version,
)
from harness.wire.anthropic_messages.rules.history import AnthropicHistory, Settings
from harness.wire.anthropic_messages.rules.issued import THINKING
from harness.wire.anthropic_messages.rules.memory import JudgedSettings, Memory
from harness.wire.base import Conversation, IssuedState

Check = Callable[[AnthropicHistory], Iterable[Finding]]

_SETTINGS_SHAPE_CHECKS = (version.header, shape.of_settings, tools.tags, version.sampling_is_gone)

_HISTORY_SHAPE_CHECKS: tuple[Check, ...] = (shape.of_history, content.roles, content.tags, server_tools.beta_blocks)

_SETTINGS_CHECKS = (
    settings.known_model,
    settings.output_limit,
    tools.names,
    tools.schemas,
    strict.schemas,
    tools.deferred,
    tools.chosen_tool,
    settings.output_format,
    settings.thinking_mode,
    settings.thinking_budget,
    tools.forced_tool,
    settings.sampling,
    settings.effort,
    content.system_text_is_there,
)

_HISTORY_CHECKS: tuple[Check, ...] = (
    content.content_is_there,
    content.text_is_there,
    content.cited,
    images.images,
    limits.cache_marks,
    pairing.places,
    pairing.system_entries,
    pairing.unique_ids,
    pairing.known_results,
    pairing.single_results,
    pairing.answered_calls,
    pairing.text_first,
    server_tools.server_tools,
    server_tools.callers,
    server_tools.references,
    server_tools.container_is_named,
    pairing.ends_with_user,
    thinking.starts_the_turn,
    thinking.starts_the_loop,
    thinking.off_in_a_loop,
    thinking.signatures,
    signers.same_signer,
    thinking.latest_turn,
    thinking.never_last,
    binding.bound_to_prefix,
    limits.context_window,
)

_CALLS, _RESULTS = ("tool_use",), ("tool_result",)

_ONLY_WITH: Mapping[Check, Iterable[str]] = {
    content.tags: content.FOREIGN,
    server_tools.beta_blocks: server_tools.BETAS,
    content.text_is_there: ("text",),
    images.images: ("image", *_RESULTS),
    pairing.places: (*_CALLS, *_RESULTS),
    pairing.unique_ids: _CALLS,
    pairing.known_results: _RESULTS,
    pairing.single_results: _RESULTS,
    pairing.answered_calls: _CALLS,
    pairing.text_first: _CALLS,
    server_tools.callers: (*_CALLS, "server_tool_use"),
    server_tools.references: (*_RESULTS, "tool_search_tool_result"),
    server_tools.container_is_named: _RESULTS,
    thinking.starts_the_turn: THINKING,
    thinking.starts_the_loop: _RESULTS,
    thinking.off_in_a_loop: THINKING,
    thinking.signatures: THINKING,
    signers.same_signer: THINKING,
    thinking.never_last: THINKING,
    binding.bound_to_prefix: THINKING,
}
"""Of which types of blocks a check needs one to find anything. Most histories have few types, and most checks are left
out."""


def violations(conversation: Conversation, issued: IssuedState, *, threads_kept: bool) -> list[Finding]:
    """Every rule that a resolved request breaks, given what was sent before it."""
    if _is_a_text_completion(conversation):
        return []
    lost = list(threads.continuation(conversation, issued, threads_kept=threads_kept))
    if lost:
        return lost
    memory = Memory.of(issued)
    judged = _judged_settings(conversation, memory)
    prefix = memory.prefix(conversation, judged.settings)
    history = AnthropicHistory(conversation, judged.settings, memory.issued, prefix)
    of_shape, of_content = _checks_of(history.kinds)
    wrong_shape = [finding for check in of_shape for finding in check(history)]
    wrong = [finding for check in of_content for finding in check(history)]
    issued.memory = memory.after(judged, history, clean=not wrong_shape and not wrong)
    return [*judged.shape, *wrong_shape, *judged.values, *wrong]


def _is_a_text_completion(conversation: Conversation) -> bool:
    """Whether it is of the API before this one, which old models have on Bedrock, at the same path."""
    body = conversation.body
    return conversation.collection == BEDROCK and "prompt" in body and "messages" not in body


def _judged_settings(conversation: Conversation, memory: Memory) -> JudgedSettings:
    asked = memory.settings(conversation)
    if memory.judged is not None and memory.judged.settings is asked:
        return memory.judged
    return _judged_alike(asked) if asked.length <= _SHORT else _judged(asked)


def _judged(asked: Settings) -> JudgedSettings:
    wrong_shape = [finding for check in _SETTINGS_SHAPE_CHECKS for finding in check(asked)]
    wrong = [finding for check in _SETTINGS_CHECKS for finding in check(asked)]
    return JudgedSettings(asked, wrong_shape, wrong)


_SHORT: Final = 64 * 1024
"""Bytes of settings that may be kept when their conversation is over."""

_judged_alike = lru_cache(maxsize=32)(_judged)
"""A loop that is run again has the settings that it had before."""


@lru_cache(maxsize=256)
def _checks_of(kinds: frozenset[str]) -> tuple[tuple[Check, ...], tuple[Check, ...]]:
    """The checks, of shape and of meaning, that can find something in a history with these types of blocks."""

    def can_find(check: Check) -> bool:
        return check not in _ONLY_WITH or not kinds.isdisjoint(_ONLY_WITH[check])

    return tuple(filter(can_find, _HISTORY_SHAPE_CHECKS)), tuple(filter(can_find, _HISTORY_CHECKS))
