"""Histories that a request only names: OAI-18, OAI-19, OAI-CONNECTION, OAI-CONVERSATION."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.base import Conversation
from harness.wire.openai_responses.items import conversation_id
from harness.wire.openai_responses.rules.asked import Asked
from harness.wire.openai_responses.rules.book import RULES
from harness.wire.openai_responses.rules.places import names_its_history, stores_nothing
from harness.wire.posted import Posted, Wrong, drop, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim


def _name_a_response_alone(posted: Posted) -> bool:
    alone = not names_its_history(posted) and drop([posted.body], "input")
    return alone and put([posted.body], previous_response_id="resp_elsewhere")


OAI_18: Final = WireRule(
    "OAI-18",
    "previous_response_id names a response that was sent and stored.",
    "A loop that goes on from a response asked for with store false, or from one of another account, has lost its "
    "history.",
    "certain",
    (
        "recording nonexistent_previous_response_reference_carries_identity",
        "https://developers.openai.com/api/docs/guides/websocket-mode",
    ),
    (
        ErrorTemplate(
            "Previous response with id '{id}' not found.",
            "previous_response_id",
            "previous_response_not_found",
            seen="Previous response with id 'resp_REDACTED_1' not found.",
            name="not found",
        ),
    ),
    applies="inferred where nothing was sent in this case yet, because the response may be from before it",
    wrong=(
        Wrong(
            "responses-previous-unknown",
            "The response that is named was never sent.",
            lambda it: put([it.body], previous_response_id="resp_of_nobody"),
            "named-history one-call foreign-history",
        ),
        Wrong(
            "responses-unknown-response-alone",
            "A response that was never sent is named in the place of an input.",
            _name_a_response_alone,
            "foreign-history",
        ),
    ),
)


def _go_on_at(posted: Posted, connection: int) -> bool:
    """Name the response of one WebSocket on another, or over HTTP."""
    if not posted.connection or not posted.body.get("previous_response_id") or not stores_nothing(posted):
        return False
    posted.connection = connection
    return True


OAI_CONNECTION: Final = WireRule(
    "OAI-CONNECTION",
    "Over a WebSocket the response of a request with store false lives in its connection: it is named on no other "
    "connection, in no request over HTTP, and not again once a request that goes on from it has got an error.",
    "Connections end after an hour and whenever a network does. A loop that names the response before the loss is "
    "refused for as long as it does so; the whole input, without an id, goes through.",
    "certain",
    (
        "https://developers.openai.com/api/docs/guides/websocket-mode",
        "README of the Responses WebSocket client in the official SDK for Python, 3.54.0",
        "https://github.com/can1357/oh-my-pi/issues/925 (asked again with all input)",
    ),
    (
        ErrorTemplate(
            "Previous response with id '{id}' not found.",
            "previous_response_id",
            "previous_response_not_found",
            seen="Previous response with id 'resp_REDACTED_1' not found.",
            name="not found",
        ),
    ),
    applies="responses that were asked for over a WebSocket with store false",
    wrong=(
        Wrong(
            "responses-response-of-another-connection",
            "The response that is named lives in the WebSocket before this one.",
            lambda it: _go_on_at(it, it.connection + 1),
            "websocket",
        ),
        Wrong(
            "responses-response-of-a-connection-over-http",
            "The response that a request over HTTP names lives in a WebSocket.",
            lambda it: _go_on_at(it, 0),
            "websocket",
        ),
    ),
)


@RULES.check("history", OAI_18, OAI_CONNECTION)
def previous_response_exists(asked: Asked) -> Iterator[Finding]:
    """OAI-18. Only its connection keeps a response with ``store: false`` (OAI-CONNECTION).

    If nothing was sent yet, the response may be older than this case.
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
    """Why a request's connection does not know a response that is not stored; empty if it does."""
    here = asked.conversation.connection
    if here != made.connection:
        where = f"connection {here}" if here else "HTTP"
        return f"which lives in connection {made.connection}, and this request came over {where}"
    return "which its connection has dropped: a request that went on from it got an error" * (id in asked.state.evicted)


def _name_what_was_deleted(posted: Posted) -> bool:
    if not isinstance(posted.body.get("conversation"), str):
        return False
    posted.deleted = ("conv_that_was_deleted",)
    return put([posted.body], conversation="conv_that_was_deleted")


OAI_CONVERSATION: Final = WireRule(
    "OAI-CONVERSATION",
    "conversation names one that is stored: not one that was deleted.",
    "A loop that deletes a conversation and goes on in it has lost its history.",
    "certain",
    (
        "recording test_openai_conversation_id_auto_respects_pydantic_ai_conversation_id (a conversation is deleted)",
        "openai.resources.conversations of the SDK for Python, 3.54.0; the wording is that of servers that mirror the "
        "provider's",
    ),
    (ErrorTemplate("Conversation with id '{id}' not found.", status=404, name="deleted"),),
    applies="conversations that were deleted at this endpoint: one that it does not know may be from before the case",
    wrong=(
        Wrong(
            "responses-conversation-deleted",
            "The conversation that is named was deleted.",
            _name_what_was_deleted,
            "conversation",
        ),
    ),
)


@RULES.check("history", OAI_CONVERSATION)
def conversation_is_stored(asked: Asked) -> Iterator[Finding]:
    """OAI-CONVERSATION."""
    named = conversation_id(asked.body)
    if named and asked.state.stored.get(named, asked) is None:
        expected = "the id of a conversation that is stored"
        yield OAI_CONVERSATION.broken("conversation", expected=expected, got=f"{named}, which was deleted", id=named)


OAI_19: Final = WireRule(
    "OAI-19",
    "A request names a previous response or a conversation, not both.",
    "A loop that moves to conversations and still sets previous_response_id fails on its second turn.",
    "certain",
    (
        "https://platform.openai.com/docs/api-reference/responses/create",
        "the wording is that of a server that mirrors OpenAI's; param is inferred",
    ),
    (
        verbatim(
            "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Ensure you are only "
            "providing one of these parameters.",
            None,
            "mutually_exclusive_parameters",
            name="both",
        ),
    ),
    wrong=(
        Wrong(
            "responses-histories-two",
            "A response and a conversation are named.",
            lambda it: put(
                [it.body],
                previous_response_id=it.body.get("previous_response_id", "resp_of_nobody"),
                conversation={"id": "conv_of_nobody"},
            ),
            "named-history conversation",
        ),
    ),
)


@RULES.check("history", OAI_19)
def history_has_one_name(asked: Asked) -> Iterator[Finding]:
    """OAI-19."""
    if asked.previous and conversation_id(asked.body):
        yield OAI_19.broken("previous_response_id", expected="previous_response_id or conversation", got="both")
