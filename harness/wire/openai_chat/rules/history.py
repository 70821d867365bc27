"""A request, looked at once for all checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from harness.finding import Finding
from harness.ground.cached import cached_property
from harness.wire.base import IssuedState, Json
from harness.wire.lenient import objects, string
from harness.wire.openai_chat.models import LENIENT, MAKER, MODELS, OPENAI
from harness.wire.rule import Certainty, WireRule
from harness.wire.servers.table import SERVERS

Found = Iterator[Finding]
"""What a check finds."""


@dataclass(slots=True)
class CallBlock:
    """An assistant message with calls, and the tool messages that directly follow it.

    ``results`` are their places and ids. ``end`` is the first message after the block, or the last message of all.
    """

    at: int
    ids: list[str]
    results: list[tuple[int, str]] = field(default_factory=list)
    end: int = 0


class ChatHistory:
    """A request's body and what was sent before it. Members of any type may be anywhere.

    ``maker`` is the maker whose own server reads it: the maker of ``server`` if it is known, else the one that the
    model's name suggests.
    """

    def __init__(self, body: Json, state: IssuedState, server: str = "") -> None:
        self.body = body
        self.state = state
        self.server = server
        self.messages: list[Json] = body.get("messages") or []
        self.model = string(body.get("model"))
        served_by = SERVERS[server].maker if server in SERVERS else ""
        self.maker = served_by or string(MODELS.value(MAKER, self.model))

    @property
    def is_strict(self) -> bool:
        """Whether OpenAI's own server would read it. Only servers with other makers' names are known to be laxer."""
        return self.maker in (OPENAI, "")

    @property
    def pairs(self) -> Certainty | None:
        """How sure it is that the server checks calls and results at all; None: as sure as the rule."""
        return "inferred" if MODELS.holds(LENIENT, self.model) else None

    def in_words_of_its_maker(self, rule: WireRule) -> str | None:
        """The model maker's own wording; None, for the usual one, if it has none."""
        return self.maker if self.maker in _names(rule) else None

    def by_its_maker(self, rule: WireRule) -> str | None:
        """The wording of a rule that only some makers have: the server's, else the model maker's, else the first."""
        makers = (self.maker, string(MODELS.value(MAKER, self.model)))
        return next((maker for maker in makers if maker in _names(rule)), None)

    @cached_property
    def calls(self) -> list[tuple[str, Json]]:
        """Every call with its place."""
        return [
            (f"messages[{at}].tool_calls[{number}]", call)
            for at, message in enumerate(self.messages)
            for number, call in enumerate(calls_of(message))
        ]

    @cached_property
    def blocks(self) -> list[CallBlock]:
        """The assistant messages with calls, each with its results, in order."""
        return self._pairing[0]

    @cached_property
    def ends(self) -> dict[int, int]:
        """The end of each block, by its beginning."""
        return {block.at: block.end for block in self.blocks}

    @cached_property
    def orphans(self) -> list[int]:
        """Tool messages that follow no message with calls."""
        return self._pairing[1]

    @cached_property
    def made_at(self) -> dict[str, int]:
        """The last message that makes a call with this id."""
        return {call_id: block.at for block in self.blocks for call_id in block.ids}

    @cached_property
    def last_question(self) -> int:
        """The place of the user's last message; -1 if the user has none."""
        return max((at for at, message in enumerate(self.messages) if message.get("role") == "user"), default=-1)

    @cached_property
    def _pairing(self) -> tuple[list[CallBlock], list[int]]:
        blocks: list[CallBlock] = []
        orphans: list[int] = []
        open_block: CallBlock | None = None
        for at, message in enumerate(self.messages):
            if message.get("role") == "tool":
                if open_block:
                    open_block.results.append((at, string(message.get("tool_call_id"))))
                    open_block.end = at
                else:
                    orphans.append(at)
                continue
            if open_block:
                open_block.end = at
            ids = [string(call.get("id")) for call in calls_of(message)]
            open_block = CallBlock(at, ids, end=at) if ids else None
            if open_block:
                blocks.append(open_block)
        return blocks, orphans


def calls_of(message: Json) -> list[Json]:
    """The calls of an assistant message."""
    return objects(message.get("tool_calls")) if message.get("role") == "assistant" else []


def _names(rule: WireRule) -> set[str]:
    return {template.name for template in rule.templates}
