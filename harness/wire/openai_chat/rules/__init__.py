"""The rules of Chat Completions: the table, and the checks that ask about each.

table     one value for each rule, with the API's own answers (wordings: the texts that many of them share)
shape     the request against its schema
contents  what a message holds
tools     declarations and choice
models    what the model takes; size: whether it all fits into it
pairing   results and their calls
thinking  what goes back with the calls
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.finding import Finding
from harness.wire.base import Conversation, IssuedState
from harness.wire.openai_chat.rules import contents, models, pairing, shape, size, thinking, tools
from harness.wire.openai_chat.rules.history import ChatHistory
from harness.wire.openai_chat.rules.table import RULES

__all__ = ["RULES", "violations"]

_SHAPES: tuple[Callable[[ChatHistory], Iterator[Finding]], ...] = (
    shape.model_is_named,
    models.parameters_are_taken,
    shape.fits_the_schema,
    tools.names_have_no_dots,
    tools.schemas_are_valid,
    tools.choice_is_declared,
    tools.answer_is_closed,
    contents.content_is_there,
    contents.only_users_show_images,
    contents.parts_are_of_this_wire,
    models.model_is_known,
    models.roles_are_taken,
    models.parts_are_taken,
    models.files_are_taken,
    models.tools_are_taken,
    models.forced_choice_is_taken,
    models.effort_is_taken,
    size.fits_into_the_window,
)

_PAIRING: tuple[Callable[[ChatHistory], Iterator[tuple[int, Finding]]], ...] = (
    pairing.results_follow_calls,
    pairing.results_name_calls,
    pairing.calls_are_answered_once,
    pairing.calls_are_answered,
    pairing.users_wait_for_the_assistant,
    pairing.ids_are_mistrals,
    thinking.reasoning_comes_back,
    thinking.signatures_come_back,
)
"""Each finding with the message at which the API, going through the history, meets it."""


def violations(conversation: Conversation, state: IssuedState) -> list[Finding]:
    """Every rule that the request breaks: shapes first, as the API validates them, then the history in order.

    A parameter that the model does not take is reported before anything of the shape (recording chat-bad-request).
    """
    history = ChatHistory(conversation.body, state, conversation.server)
    shapes = [finding for check in _SHAPES for finding in check(history)]
    met = sorted((found for check in _PAIRING for found in check(history)), key=lambda found: found[0])
    return shapes + [finding for _, finding in met]
