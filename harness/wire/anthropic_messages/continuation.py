from harness.wire.base import Conversation, Sent, Violation


def violations(conversation: Conversation, sent: Sent, *, threads: bool) -> list[Violation]:
    return []
