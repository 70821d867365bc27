"""What a recorded response says, whatever its wire."""

from __future__ import annotations

from harness.recording.forms import Response
from harness_lab.corpus import anthropic_messages, gemini_generate, openai_chat, openai_responses
from harness_lab.corpus.outcome import Reason
from harness_lab.corpus.replay import NoOracle, Replay
from harness_lab.corpus.said import Broken, Said

__all__ = ["NO_SUCH_FORM", "read"]

NO_SUCH_FORM = (ValueError, TypeError, LookupError, AttributeError)
"""What a plain reading raises on a value that is not in the form of its wire."""


async def read(response: Response, replay: Replay) -> Said | Broken | Reason:
    """The independent reading of a response, or the reason for which there is none.

    A body that cannot be read at all is broken, too: the session must say so.
    """
    body, streamed = response.body, response.streamed
    try:
        match response.wire:
            case "anthropic-messages" if streamed:
                broken = anthropic_messages.broken(body)
                return broken or anthropic_messages.said_in_stream(body, await replay.accumulated(response))
            case "anthropic-messages":
                return anthropic_messages.said(body)
            case "gemini-generate":
                reason = gemini_generate.unsupported(body, streamed=streamed)
                return reason or gemini_generate.said(body, streamed=streamed)
            case "openai-chat":
                return openai_chat.said(body, streamed=streamed)
            case "openai-responses":
                return openai_responses.said(body, streamed=streamed)
    except NoOracle:
        return "no oracle"
    except NO_SUCH_FORM as error:
        return Broken("", unreadable=repr(error))
