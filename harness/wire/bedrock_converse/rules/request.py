"""A request as the checks look at it: its messages as entries of blocks, the model, and what was issued to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from harness.finding import Finding
from harness.ground.cached import cached_property
from harness.wire.base import Conversation, IssuedState, Json
from harness.wire.bedrock_converse.blocks import SERVER_TOOL, kind_of
from harness.wire.bedrock_converse.models import MODELS
from harness.wire.json_text import compact
from harness.wire.lenient import entries, members, objects, string

Found = Iterator[Finding]
"""What a check finds."""

BLOCKS: Final = frozenset(
    [
        *("text", "image", "document", "video", "audio", "toolUse", "toolResult", "guardContent", "cachePoint"),
        *("reasoningContent", "citationsContent", "searchResult", "toolAddition", "toolRemoval"),
    ]
)
"""The kinds of content blocks that botocore 1.44 knows."""

FROM_THE_MODEL: Final = "The model returned the following errors: "
"""The service's text in front of an error of the model's own API."""

_LONGEST: Final = 160


def brief(value: Any) -> str:
    """A value as a finding shows it."""
    return f"{value if isinstance(value, str) else compact(value):.{_LONGEST}}"


@dataclass(frozen=True, slots=True)
class Block:
    """A content block. ``value`` is the value of its member ``kind``."""

    kind: str
    value: Any
    native: Json
    at: str

    @property
    def id(self) -> str:
        """The ``toolUseId`` of a call or a result."""
        return string(members(self.value).get("toolUseId"))


@dataclass(frozen=True)
class Entry:
    """A message. ``content`` is the value of that member, whatever it is."""

    number: int
    role: str
    content: Any

    @property
    def at(self) -> str:
        """Its place: ``messages.2``."""
        return f"messages.{self.number}"

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Its blocks that are objects, each under its number in the list."""
        return tuple(
            Block(kind_of(block), block.get(kind_of(block)), block, f"{self.at}.content.{number}")
            for number, block in enumerate(entries(self.content))
            if isinstance(block, dict)
        )

    @cached_property
    def calls(self) -> tuple[Block, ...]:
        """The calls that the client runs."""
        if self.role != "assistant":
            return ()
        return tuple(each for each in self._of("toolUse") if members(each.value).get("type") != SERVER_TOOL)

    @cached_property
    def results(self) -> tuple[Block, ...]:
        """The results that the client sends; results of server tools belong to the assistant."""
        return () if self.role == "assistant" else self._of("toolResult")

    @cached_property
    def reasoning(self) -> tuple[Block, ...]:
        """The blocks of reasoning."""
        return self._of("reasoningContent")

    def _of(self, kind: str) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.kind == kind)


@dataclass(frozen=True)
class ConverseRequest:
    """A request beside what the endpoint has issued."""

    conversation: Conversation
    issued: IssuedState

    @property
    def body(self) -> Json:
        """Its body."""
        return self.conversation.body

    def fact(self, name: str) -> Any:
        """The fact with this name about the model; None if there is none."""
        return MODELS.value(name, self.conversation.model)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The messages that are objects, each under its number in the list."""
        return tuple(
            Entry(number, string(message.get("role")), message.get("content"))
            for number, message in enumerate(entries(self.body.get("messages")))
            if isinstance(message, dict)
        )

    @cached_property
    def tool_config(self) -> Json:
        """The declaration of tools; empty if there is none."""
        return members(self.body.get("toolConfig"))

    @cached_property
    def specs(self) -> tuple[Json, ...]:
        """The declarations of tools that the client runs."""
        tools = objects(self.tool_config.get("tools"))
        return tuple(tool["toolSpec"] for tool in tools if isinstance(tool.get("toolSpec"), dict))

    @cached_property
    def choice(self) -> str:
        """The member with the choice among tools; empty if there is none."""
        return kind_of(members(self.tool_config.get("toolChoice")))

    @cached_property
    def thinking(self) -> str:
        """How Claude is asked to think: the type in its own field."""
        return string(members(members(self.body.get("additionalModelRequestFields")).get("thinking")).get("type"))
