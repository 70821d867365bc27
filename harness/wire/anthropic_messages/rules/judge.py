"""The checks of the wire's rules, in the order in which the provider would complain: shape first, then meaning.

Every check finds where a rule is broken; the rule's row in ``table`` says the rest. Settings are judged once and again
only when they change; of a history only what is new, where the rest is known to break nothing (``memory``).
"""

from __future__ import annotations

from harness.wire.anthropic_messages.rules import (
    binding,
    content,
    images,
    limits,
    pairing,
    settings,
    shape,
    thinking,
    threads,
    tools,
    version,
)
from harness.wire.anthropic_messages.rules.history import History
from harness.wire.anthropic_messages.rules.memory import JudgedSettings, Memory
from harness.wire.base import Conversation, IssuedState, Violation

__all__ = ["violations"]

_SHAPE_OF_SETTINGS = (version.header, shape.of_settings, tools.tags, version.sampling_is_gone)

_SHAPE_OF_HISTORY = (shape.of_history, content.roles, content.tags)

_MEANING_OF_SETTINGS = (
    settings.known_model,
    settings.output_limit,
    tools.names,
    tools.schemas,
    tools.chosen_tool,
    settings.output_format,
    settings.thinking_mode,
    settings.thinking_budget,
    tools.forced_tool,
    settings.sampling,
    settings.effort,
    content.system_text_is_there,
)

_MEANING_OF_HISTORY = (
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
    pairing.server_tools,
    pairing.ends_with_user,
    thinking.starts_the_turn,
    thinking.starts_the_loop,
    thinking.off_in_a_loop,
    thinking.signatures,
    thinking.latest_turn,
    thinking.never_last,
    binding.bound_to_prefix,
    limits.context_window,
)


def violations(conversation: Conversation, sent: IssuedState, *, threads_kept: bool) -> list[Violation]:
    """Every rule that a resolved request breaks, given what was sent before it."""
    lost = list(threads.continuation(conversation, sent, threads_kept=threads_kept))
    if lost:
        return lost
    memory = Memory.of(sent)
    judged = _judged_settings(conversation, memory)
    prefix = memory.prefix(conversation, judged.settings)
    history = History(conversation, judged.settings, memory.issued, prefix)
    wrong_shape = [violation for check in _SHAPE_OF_HISTORY for violation in check(history)]
    wrong = [violation for check in _MEANING_OF_HISTORY for violation in check(history)]
    sent.memory = memory.after(judged, history, clean=not wrong_shape and not wrong)
    return [*judged.shape, *wrong_shape, *judged.meaning, *wrong]


def _judged_settings(conversation: Conversation, memory: Memory) -> JudgedSettings:
    asked = memory.settings(conversation)
    if memory.judged is not None and memory.judged.settings is asked:
        return memory.judged
    wrong_shape = [violation for check in _SHAPE_OF_SETTINGS for violation in check(asked)]
    wrong = [violation for check in _MEANING_OF_SETTINGS for violation in check(asked)]
    return JudgedSettings(asked, wrong_shape, wrong)
