"""Message threads: whether the turn that a request continues from is there to be continued."""

from __future__ import annotations

from collections.abc import Iterator

from harness.wire.base import Conversation, Sent, Violation

__all__ = ["continuation"]


def continuation(conversation: Conversation, sent: Sent, *, threads_kept: bool) -> Iterator[Violation]:
    """ANT-THREAD: threads are served, the named turn was issued here, and it was not continued before.

    The SDK acts on the code, not on the text: it leaves threads (``thread_unsupported_request``) or sends the
    whole history again (the other two).
    """
    if not threads_kept and "thread" in conversation.body:
        message = "This server does not support `thread`. Send the full conversation without `thread`."
        yield _broken(message, "thread_unsupported_request", "no thread", "thread")
    elif conversation.continues is not None and sent.find(conversation.continues) is None:
        message = f"No usable thread state was found for `previous_message_id` {conversation.continues}."
        yield _broken(message, "thread_not_found", "the id of a response of this case", conversation.continues, 404)
    elif conversation.continues is not None and _continued(conversation.continues, sent):
        message = f"The response {conversation.continues} has already been continued."
        yield _broken(message, "thread_already_continued", "the id of the latest response", conversation.continues)


def _continued(message_id: str, sent: Sent) -> bool:
    # A response that broke has not been kept, so its request may be sent again.
    return any(asked.continues == message_id and reply.complete for asked, reply in sent.turns)


def _broken(message: str, code: str, expected: str, got: str, status: int = 400) -> Violation:
    return Violation("ANT-THREAD", message, "thread", expected, got, status=status, code=code)
