"""Message threads: whether the turn that a request continues from is there to be continued."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.table.calls import ANT_THREAD
from harness.wire.base import Conversation, IssuedState


def continuation(conversation: Conversation, issued: IssuedState, *, threads_kept: bool) -> Iterator[Finding]:
    """ANT-THREAD: threads are served, the named turn was issued here, and it was not continued before.

    The SDK acts on the code, not on the text: it leaves threads (``thread_unsupported_request``) or sends the
    whole history again (the other two).
    """
    named = conversation.continues
    if not threads_kept and "thread" in conversation.body:
        yield ANT_THREAD.broken("thread", expected="no thread", got="thread")
    elif named is not None and issued.find(named) is None:
        expected = "the id of a response of this case"
        yield ANT_THREAD.broken("thread", expected=expected, got=named, template="lost", id=named)
    elif named is not None and _continued(named, issued):
        expected = "the id of the latest response"
        yield ANT_THREAD.broken("thread", expected=expected, got=named, template="continued", id=named)


def _continued(message_id: str, issued: IssuedState) -> bool:
    # A response that broke has not been kept, so its request may be sent again.
    return any(asked.continues == message_id and reply.complete for asked, reply in issued.turns)
