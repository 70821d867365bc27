"""A request as the rules look at it: its messages with their places, merged into turns, and what was issued."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.ground.cached import cached_property
from harness.wire.anthropic_messages.blocks import blocks_of
from harness.wire.anthropic_messages.models import MODELS
from harness.wire.anthropic_messages.rules.issued import THINKING, IssuedReplies
from harness.wire.base import Conversation, Json
from harness.wire.judge import Carried, Value
from harness.wire.lenient import entries, objects, string
from harness.wire.same_json import json_key

_DIRECT = {"type": "direct"}
"""The caller of what the model itself has called."""


class MessagePlace:
    """The place of a message: ``at`` is its place in the body as sent, ``number`` its place in ``messages``."""

    __slots__ = ("at", "number", "role")

    def __init__(self, at: str, number: int, role: str) -> None:
        self.at = at
        self.number = number
        self.role = role

    @property
    def is_kept(self) -> bool:
        """Whether it is a model's turn that the server itself keeps in a thread: no client has sent it."""
        return self.role == "assistant" and self.at.startswith("thread.")


class ContentBlock:
    """A content block and the place of its message.

    It does not refer to the message itself, because reference cycles stay in memory until the collector finds them.

    ``id`` is the id of a call, or the id that a result names; ``""`` for none.
    """

    __slots__ = ("entry", "id", "index", "kind", "native")

    def __init__(self, entry: MessagePlace, index: int, native: Json) -> None:
        self.entry = entry
        self.index = index
        self.native = native
        self.kind = kind = str(native.get("type"))
        self.id = string(native.get("tool_use_id" if kind.endswith("_result") else "id"))

    @property
    def at(self) -> str:
        """The place of the block in the body as sent."""
        return f"{self.entry.at}.content.{self.index}"


class MessageItem(MessagePlace):
    """A message of the request."""

    __slots__ = ("blocks", "message")

    def __init__(self, at: str, number: int, message: Json) -> None:
        super().__init__(at, number, str(message.get("role")))
        self.message = message
        place = MessagePlace(at, number, self.role)
        blocks = blocks_of(message.get("content"))
        self.blocks = [ContentBlock(place, index, block) for index, block in enumerate(blocks)]


class Run:
    """Consecutive messages of one role, a turn: the provider joins them before it checks a history.

    ``calls``, ``results`` and ``thinking`` are the blocks that most rules are about, ``programmed`` the calls made by a
    program of the provider's.
    """

    __slots__ = ("blocks", "calls", "entries", "kinds", "programmed", "results", "role", "thinking")

    def __init__(self, role: str) -> None:
        self.role = role
        self.entries: list[MessageItem] = []
        self.blocks: list[ContentBlock] = []
        self.calls: list[ContentBlock] = []
        self.programmed: list[ContentBlock] = []
        self.results: list[ContentBlock] = []
        self.thinking: list[ContentBlock] = []
        self.kinds: set[str] = set()

    def append(self, entry: MessageItem) -> None:
        """Add a message, which has the same role as those before it."""
        self.entries.append(entry)
        self.blocks += entry.blocks
        for block in entry.blocks:
            kind = block.kind
            self.kinds.add(kind)
            if kind == "tool_use":
                self.calls.append(block)
                if block.native.get("caller", _DIRECT) != _DIRECT:
                    self._note_caller(block)
            elif kind == "server_tool_use":
                self._note_caller(block)
            elif kind == "tool_result":
                self.results.append(block)
            elif kind in THINKING:
                self.thinking.append(block)

    def _note_caller(self, block: ContentBlock) -> None:
        caller = block.native.get("caller")
        if isinstance(caller, dict) and "tool_id" in caller:
            self.programmed.append(block)

    def of(self, *kinds: str) -> list[ContentBlock]:
        """The blocks of these types."""
        if self.kinds.isdisjoint(kinds):
            return []
        return [block for block in self.blocks if block.kind in kinds]

    @property
    def natives(self) -> list[Json]:
        """The blocks as they are in the body."""
        return [block.native for block in self.blocks]


def is_server_tool(kind: str) -> bool:
    """Whether blocks of this type are calls of tools that the provider runs."""
    return kind in ("server_tool_use", "mcp_tool_use")


def is_server_result(block: ContentBlock) -> bool:
    """Whether a block is the result of a tool that the provider runs; a client's result is ``tool_result``."""
    return block.kind.endswith("_tool_result")


@dataclass(frozen=True, eq=False)
class Settings:
    """A request without its history: the other members of its body, its headers, and its destination.

    Two are equal if they are the same JSON, including the types and the order of the members.
    """

    body: Json
    headers: Mapping[str, str]
    collection: str = ""

    @classmethod
    def of(cls, conversation: Conversation) -> Settings:
        """The members of a request without its messages, with its headers."""
        body = {name: value for name, value in conversation.body.items() if name != "messages"}
        return cls(body, conversation.headers, conversation.collection)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Settings) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @cached_property
    def _key(self) -> tuple[bytes, frozenset[tuple[str, str]], str]:
        return json_key(self.body), frozenset(self.headers.items()), self.collection

    @property
    def length(self) -> int:
        """How many bytes it takes to keep them, roughly."""
        return len(self._key[0])

    @cached_property
    def model(self) -> str:
        """The model that is asked."""
        return string(self.body.get("model"))

    @property
    def betas(self) -> str:
        """The betas that its headers ask for, separated by commas; ``""`` for none."""
        return self.headers.get("anthropic-beta", "")

    @cached_property
    def thinking(self) -> Json:
        """How the request asks for thinking; empty if it does not."""
        asked = self.body.get("thinking")
        return asked if isinstance(asked, dict) else {}

    @cached_property
    def manual(self) -> bool:
        """Whether it asks for thinking with a budget: the extended thinking before adaptive thinking."""
        return self.thinking.get("type") == "enabled"

    @cached_property
    def window(self) -> int:
        """How many tokens fit; 0 if unknown."""
        window = MODELS.value("window", self.model)
        if LARGER_WINDOW in self.betas:
            window = MODELS.value("beta-window", self.model) or window
        return window if isinstance(window, int) else 0

    @cached_property
    def counted_output(self) -> int:
        """How many tokens of the answer have to fit, too."""
        output = self.body.get("max_tokens")
        return output if isinstance(output, int) and MODELS.holds("counts-output", self.model) else 0

    @cached_property
    def size(self) -> int:
        """The characters of the instructions, counted likewise."""
        return sum(map(size_of, blocks_of(self.body.get("system"))))

    @cached_property
    def marked(self) -> int:
        """How many marks its tools and its instructions have."""
        return sum(map(is_marked, [*objects(self.body.get("tools")), *objects(self.body.get("system"))]))

    @cached_property
    def custom_tools(self) -> list[tuple[int, Json]]:
        """The tools that the client runs, with their places."""
        tools = enumerate(entries(self.body.get("tools")))
        return [(at, tool) for at, tool in tools if isinstance(tool, dict) and tool.get("type", "custom") in _CUSTOM]

    @cached_property
    def strict_tools(self) -> list[tuple[int, Json]]:
        """The custom tools whose arguments are made to fit their schema."""
        return [(at, tool) for at, tool in self.custom_tools if tool.get("strict") is True]

    @cached_property
    def tool_names(self) -> frozenset[str] | None:
        """The names of all tools; None if some belong to an MCP server, which a request does not list."""
        tools = objects(self.body.get("tools"))
        if self.body.get("mcp_servers") or any(str(tool.get("type")).startswith("mcp") for tool in tools):
            return None
        return frozenset(tool["name"] for tool in tools if isinstance(tool.get("name"), str))

    @cached_property
    def container(self) -> str:
        """The id of the container that the request names; ``""`` for none."""
        named = self.body.get("container")
        return string(named.get("id") if isinstance(named, dict) else named)


_CUSTOM = ("custom", None)
LARGER_WINDOW = "context-1m"
"""The beta with which more fits."""


def is_marked(block: Json) -> bool:
    """Whether the provider is asked to cache all up to this block."""
    return block.get("cache_control") is not None


def texts_of(blocks: Iterable[Json]) -> Iterator[str]:
    """What blocks show the model as text for certain: texts, and those in results."""
    for block in blocks:
        inner = blocks_of(block.get("content")) if block.get("type") == "tool_result" else [block]
        for each in inner:
            if each.get("type") == "text" and isinstance(each.get("text"), str):
                yield each["text"]


def size_of(block: Json) -> int:
    """How many characters that is, with one for the end of each text."""
    if block.get("type") == "text":  # as most blocks
        text = block.get("text")
        return len(text) + 1 if isinstance(text, str) else 0
    return sum([len(text) + 1 for text in texts_of([block])])


@dataclass(frozen=True, slots=True)
class Prefix:
    """The messages before the judged ones, ``length`` of them. They broke no rule.

    ``carried`` is what checks must know of them.
    """

    length: int = 0
    carried: Mapping[Carried[HistoryPart, Any], Any] = field(default_factory=dict)


class HistoryPart:
    """Messages that follow each other, also joined to turns (``runs``), beside what was issued."""

    def __init__(self, entries: Sequence[MessageItem], issued: IssuedReplies) -> None:
        self.entries = entries
        self.runs = _runs(entries)
        self.issued = issued

    @cached_property
    def blocks(self) -> list[ContentBlock]:
        """All their blocks."""
        return [block for entry in self.entries for block in entry.blocks]


class AnthropicHistory(HistoryPart):
    """What the rules about messages check: the messages after ``prefix``, and the facts about the prefix.

    ``latest`` is the latest assistant turn among them, and ``kinds`` are the types of their blocks.
    """

    def __init__(self, conversation: Conversation, settings: Settings, issued: IssuedReplies, prefix: Prefix) -> None:
        self.conversation = conversation
        self.settings = settings
        self.prefix = prefix
        self._through: dict[Carried[HistoryPart, Any], Any] = {}
        self.messages: list[Any] = entries(conversation.body.get("messages"))
        super().__init__(self._entries(), issued)
        self.latest = next((run for run in reversed(self.runs) if run.role == "assistant"), None)
        self.kinds = frozenset([block.kind for block in self.blocks])

    def before(self, carried: Carried[HistoryPart, Value]) -> Value:
        """What a check has declared to carry, before the judged messages."""
        value: Value = self.prefix.carried.get(carried, carried.start)
        return value

    def through(self, carried: Carried[HistoryPart, Value]) -> Value:
        """The same behind the last message."""
        if carried not in self._through:
            self._through[carried] = carried.add(self.before(carried), self)
        value: Value = self._through[carried]
        return value

    def _entries(self) -> list[MessageItem]:
        """The messages after the prefix; an entry that is no object is an empty message."""
        read, start = self.conversation.messages, self.prefix.length
        offset = 1 if read and read[0].at == "system" else 0
        places = read[offset + start :]
        natives = [(number, each) for number, each in enumerate(self.messages[start:], start) if isinstance(each, dict)]
        return [MessageItem(message.at, *native) for message, native in zip(places, natives, strict=True)]

    def place(self, number: int) -> str:
        """The place of the message with this number in the body as sent; the entry need not be a message at all."""
        own = next((entry for entry in self.entries if not entry.at.startswith("thread.")), None)
        if own is not None:
            earlier = own.number - int(own.at.rpartition(".")[2])
        else:
            earlier = self.entries[-1].number + 1 if self.entries else 0
        return f"messages.{number - earlier}" if number >= earlier else f"thread.messages.{number}"

    def issued_as(self, run: Run) -> Sequence[Json]:
        """The blocks that were issued as this turn; empty if it was not issued here."""
        return self.issued.items((block.native, block.entry.number) for block in run.blocks)


def _runs(spoken: Sequence[MessageItem]) -> list[Run]:
    """The messages joined by role, without the ``system`` entries between them."""
    runs: list[Run] = []
    for entry in spoken:
        if entry.role == "system":
            continue
        if not runs or runs[-1].role != entry.role:
            runs.append(Run(entry.role))
        runs[-1].append(entry)
    return runs
