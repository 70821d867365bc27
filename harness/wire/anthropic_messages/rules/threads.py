"""Message threads: whether the turn that a request continues from is there to be continued."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import HISTORY_RULES
from harness.wire.anthropic_messages.rules.places import imported
from harness.wire.base import Conversation, IssuedState
from harness.wire.posted import Posted, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule


def _continue_again(posted: Posted) -> bool:
    """The thread continues its first response, which was already continued."""
    earlier = posted.body.get("diagnostics", {}).get("previous_message_id")
    thread = posted.body.get("thread", {})
    if earlier is None or thread.get("previous_message_id") in (None, earlier) or imported(posted):
        return False
    return put([thread], previous_message_id=earlier)


ANT_THREAD: Final = WireRule(
    "ANT-THREAD",
    "A request that continues a message thread names a response that was issued and has not been continued, to a "
    "server that keeps threads.",
    "The official SDK acts on the code: it sends the whole history again, or goes on without threads.",
    "certain",
    (
        "the SDK's error classes and its tool runner, anthropic 2.12: ThreadNotFoundError, "
        "ThreadAlreadyContinuedError, ThreadUnsupportedRequestError; the texts are ours",
    ),
    (
        ErrorTemplate(
            "This server does not support `thread`. Send the full conversation without `thread`.",
            code="thread_unsupported_request",
            name="unsupported",
        ),
        ErrorTemplate(
            "No usable thread state was found for `previous_message_id` {id}.",
            code="thread_not_found",
            status=404,
            name="lost",
        ),
        ErrorTemplate(
            "The response {id} has already been continued.", code="thread_already_continued", name="continued"
        ),
    ),
    wrong=(
        Wrong(
            "ant-thread-lost",
            "A thread goes on from a response that was never sent.",
            lambda it: put([it.body], thread={"type": "continue", "previous_message_id": "msg_01nobodyhassentthis"}),
            "one-call thread",
            says="lost",
        ),
        Wrong(
            "ant-thread-continued-again",
            "A thread goes on from a response that has been continued.",
            _continue_again,
            "thread",
            says="continued",
        ),
    ),
)

HISTORY_RULES.declare(ANT_THREAD)


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
    elif named is not None and _is_continued(named, issued):
        expected = "the id of the latest response"
        yield ANT_THREAD.broken("thread", expected=expected, got=named, template="continued", id=named)


def _is_continued(message_id: str, issued: IssuedState) -> bool:
    # A response that broke has not been kept, so its request may be sent again.
    return any(asked.continues == message_id and reply.complete for asked, reply in issued.turns)
