"""The checks of the wire's rules, in the order in which the provider would complain: shape first, then meaning.

Every check finds where a rule is broken; the rule's row in ``table`` says the rest. Settings are judged once and again
only when they change; of a history only what is new, where the rest is known to break nothing (``memory``).
"""

from __future__ import annotations

from harness.finding import Finding
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
from harness.wire.anthropic_messages.rules.history import AnthropicHistory
from harness.wire.anthropic_messages.rules.memory import JudgedSettings, Memory
from harness.wire.base import Conversation, IssuedState

__all__ = ["violations"]

_SETTINGS_SHAPE_CHECKS = (version.header, shape.of_settings, tools.tags, version.sampling_is_gone)

_HISTORY_SHAPE_CHECKS = (shape.of_history, content.roles, content.tags, server_tools.beta_blocks)

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

_HISTORY_CHECKS = (
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


def violations(conversation: Conversation, issued: IssuedState, *, threads_kept: bool) -> list[Finding]:
    """Every rule that a resolved request breaks, given what was sent before it."""
    lost = list(threads.continuation(conversation, issued, threads_kept=threads_kept))
    if lost:
        return lost
    memory = Memory.of(issued)
    judged = _judged_settings(conversation, memory)
    prefix = memory.prefix(conversation, judged.settings)
    history = AnthropicHistory(conversation, judged.settings, memory.issued, prefix)
    wrong_shape = [finding for check in _HISTORY_SHAPE_CHECKS for finding in check(history)]
    wrong = [finding for check in _HISTORY_CHECKS for finding in check(history)]
    issued.memory = memory.after(judged, history, clean=not wrong_shape and not wrong)
    return [*judged.shape, *wrong_shape, *judged.values, *wrong]


def _judged_settings(conversation: Conversation, memory: Memory) -> JudgedSettings:
    asked = memory.settings(conversation)
    if memory.judged is not None and memory.judged.settings is asked:
        return memory.judged
    wrong_shape = [finding for check in _SETTINGS_SHAPE_CHECKS for finding in check(asked)]
    wrong = [finding for check in _SETTINGS_CHECKS for finding in check(asked)]
    return JudgedSettings(asked, wrong_shape, wrong)
