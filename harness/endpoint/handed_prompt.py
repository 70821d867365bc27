"""The prompt and the tools that the harness handed to a loop, and how plainly a request contains them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from harness.endpoint.recognition import RecognisedRequest, plain
from harness.wire import Text


@dataclass(frozen=True, slots=True)
class HandedPrompt:
    """What the loop received at the start. Without ``by_harness`` somebody else started it with their own prompt."""

    messages: Sequence[tuple[str, str]]
    tools: frozenset[str]
    by_harness: bool
    own_tools: bool = False

    def is_quoted(self, asked: RecognisedRequest) -> bool:
        """Whether the request contains the user's part of the prompt, as text or as JSON within a text."""
        sent = asked.user
        texts = [plain(text) for role, text in self.messages if role == "user"]
        return all(text in sent or json.dumps(text)[1:-1] in sent for text in texts)

    def is_ordered(self, asked: RecognisedRequest) -> bool:
        """Whether the request contains the system prompt. On some wires a loop may add to it."""
        return all(plain(text) in asked.system for role, text in self.messages if role == "system")

    def is_all(self, asked: RecognisedRequest) -> bool:
        """Whether the request contains the prompt and nothing else."""
        return all(
            sent == plain(" ".join(text for by, text in self.messages if by == role))
            for role, sent in (("system", asked.system), ("user", asked.user))
        )

    def plainness(self, asked: RecognisedRequest) -> int:
        """How plainly the request contains the prompt: 0 not at all, 1 among other words, 2 as a separate text, 3 with
        nothing else, 4 with tools to work on it."""
        if not self.is_quoted(asked):
            return 0
        if asked.tools:
            return 4
        if self.is_all(asked):
            return 3
        messages = asked.conversation.messages
        texts = {plain(part.text) for message in messages for part in message.parts if isinstance(part, Text)}
        return 2 if any(plain(text) in texts for role, text in self.messages if role == "user") else 1

    def begins_with(self, asked: RecognisedRequest) -> bool:
        """Whether a request that begins a conversation begins the main one.

        A request for a title or a topic quotes the prompt, too. But it offers no tools, has another system prompt, or
        demands JSON.
        """
        if self.own_tools:  # what an agent asks beside offers tools, too: a memory, a sub-agent
            return bool(asked.tools) and self.is_quoted(asked)
        if self.by_harness and not self.is_quoted(asked):  # a program may have a prompt of its own
            return bool(asked.tools) if self.tools else not asked.wants_json
        if asked.tools or self.is_all(asked) or self._are_described(asked):
            return True
        return not self.tools and not asked.wants_json

    def _are_described(self, asked: RecognisedRequest) -> bool:
        """Whether the system prompt describes the tools, as it does if calls are text."""
        if self.own_tools:
            return False
        system = asked.system
        return bool(self.tools) and all(name in system for name in self.tools)
