"""Rules about the request as a whole: its model, what it asks, and the history that it names."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.base import Conversation
from harness.wire.openai_models import KNOWN, OPENAI_MODELS
from harness.wire.openai_responses.read import conversation_id
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.table import OAI_02, OAI_03, OAI_18, OAI_19, OAI_CONNECTION, OAI_CONVERSATION
from harness.wire.openai_responses.rules.words import brief


def model_is_named(asked: Asked) -> Iterator[Finding]:
    """OAI-02. Only a name that no model can have is certainly unknown; others may be those of another server."""
    model = asked.body.get("model")
    if not model:
        if not asked.body.get("prompt"):
            yield OAI_02.broken("model", expected="the name of a model", got=_type_words(model), template="missing")
    elif isinstance(model, str) and OPENAI_MODELS.value(KNOWN, model) is None:
        impossible = any(character.isspace() for character in model)
        expected = "the name of a model of OpenAI's"
        yield OAI_02.broken(
            "model", expected=expected, got=model, certainty=None if impossible else "inferred", model=model
        )


def _type_words(value: object) -> str:
    return "nothing" if value is None else brief(value)


def something_is_asked(asked: Asked) -> Iterator[Finding]:
    """OAI-03. An empty input counts as none."""
    if all(
        asked.body.get(name) in (None, "", []) for name in ("input", "previous_response_id", "prompt", "conversation")
    ):
        got = "an empty input" if asked.body.get("input") is not None else "none of them"
        yield OAI_03.broken("input", expected="input, or the name of an earlier response", got=got)


def previous_response_exists(asked: Asked) -> Iterator[Finding]:
    """OAI-18. A response that was asked for with ``store: false`` is not kept, but for its connection (OAI-CONNECTION).

    Where nothing was sent yet, the response may be one from before this case.
    """
    previous = asked.previous
    if not isinstance(previous, str) or not previous:
        return
    turn = asked.state.find(previous)
    if turn is not None and turn[0].connection and turn[0].body.get("store") is False:
        if lost := _lost(previous, turn[0], asked):
            expected = "the whole input, and no previous_response_id"
            got = f"{previous}, {lost}"
            yield OAI_CONNECTION.broken("previous_response_id", expected=expected, got=got, id=previous)
    elif turn is None or turn[0].body.get("store") is False:
        yield OAI_18.broken(
            "previous_response_id",
            expected="the id of a response that was sent and stored",
            got=f"{previous}, which was {'not sent' if turn is None else 'asked for with store: false'}",
            certainty=None if asked.state.turns else "inferred",
            id=previous,
        )


def _lost(id: str, made: Conversation, asked: Asked) -> str:
    """Why the connection of a request does not know a response that nobody has stored; empty where it does."""
    here = asked.conversation.connection
    if here != made.connection:
        where = f"connection {here}" if here else "HTTP"
        return f"which lives in connection {made.connection}, and this request came over {where}"
    return "which its connection has dropped: a request that went on from it got an error" * (id in asked.state.evicted)


def conversation_is_stored(asked: Asked) -> Iterator[Finding]:
    """OAI-CONVERSATION."""
    named = conversation_id(asked.body)
    if named and asked.state.stored.get(named, asked) is None:
        expected = "the id of a conversation that is stored"
        yield OAI_CONVERSATION.broken("conversation", expected=expected, got=f"{named}, which was deleted", id=named)


def history_has_one_name(asked: Asked) -> Iterator[Finding]:
    """OAI-19."""
    if asked.previous and conversation_id(asked.body):
        yield OAI_19.broken("previous_response_id", expected="previous_response_id or conversation", got="both")
