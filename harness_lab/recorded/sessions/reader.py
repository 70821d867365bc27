"""The content of a recorded response, whatever its wire."""

from __future__ import annotations

from harness.cassette.forms import Response
from harness.cassette.recordings.raw import unasked_form
from harness_lab.recorded.sessions import (
    anthropic_messages,
    bedrock_converse,
    gemini_generate,
    gemini_interactions,
    openai_chat,
    openai_responses,
)
from harness_lab.recorded.sessions.read_exchange import Unsupported
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedTurn
from harness_lab.recorded.sessions.replay import NoOracle, Replay

NO_SUCH_FORM = (ValueError, TypeError, LookupError, AttributeError)
"""Exceptions of a plain reading for a value that is not in the form of its wire."""


async def read(response: Response, replay: Replay) -> RecordedTurn | BrokenResponse | Unsupported:
    """The independent reading of a response, or the reason for which there is none.

    A body that cannot be read at all is broken, too: the session must report that.
    """
    body, streamed = response.body, response.streamed
    try:
        match response.wire:
            case "anthropic-messages" if streamed:
                broken = anthropic_messages.broken(body)
                return broken or anthropic_messages.streamed_turn(body, await replay.accumulated(response))
            case "anthropic-messages":
                return anthropic_messages.recorded_turn(body)
            case "bedrock-converse":
                return bedrock_converse.recorded_turn(body, streamed=streamed)
            case "gemini-generate":
                reason = unasked_form(body, streamed=streamed)
                return reason or gemini_generate.recorded_turn(body, streamed=streamed)
            case "gemini-interactions":
                return gemini_interactions.recorded_turn(body, streamed=streamed)
            case "openai-chat":
                return openai_chat.recorded_turn(body, streamed=streamed)
            case "openai-responses":
                return openai_responses.recorded_turn(body, streamed=streamed)
            case _:
                return "no session"
    except NoOracle:
        return "no oracle"
    except NO_SUCH_FORM as error:
        return BrokenResponse("", unreadable=repr(error))
