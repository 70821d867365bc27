"""Collects what the automatic model did in all conversations of a run; anything else was not tried."""

from __future__ import annotations

from harness.endpoint import REASONING, CaseEndpoint
from harness.scenario.words import either
from harness.wire import Conversation, Reply, ThinkingPart, wire

_MOST_NAMED = 3
_WITHOUT_TOOLS = (
    "no request offered tools, so the automatic model called none: a program that describes its tools in its prompt "
    "needs a scenario, 'harness serve SCENARIO -- COMMAND'"
)


class Tried:
    """Counts what the conversations of a run got, without keeping the conversations."""

    def __init__(self) -> None:
        self._asked = self._offered = self._reasoned = self._parallel = self._streamed = False
        self._may_reason = self._may_call_more = False
        self._models: dict[str, None] = {}

    def add(self, endpoint: CaseEndpoint) -> None:
        """Count a conversation. Only answers of the automatic model count, and only if tools are offered."""
        if endpoint.case.source != "automatic":
            return
        self._asked = True
        for number, reply in endpoint.replies.items():
            asked, full = endpoint.conversations[number]
            if asked.tools or full.tools:
                self._add(asked, reply)

    def _add(self, asked: Conversation, reply: Reply) -> None:
        choice = wire(asked.wire).tool_choice(asked.body)
        self._offered = True
        self._models.setdefault(asked.model)
        self._streamed = self._streamed or asked.stream
        self._parallel = self._parallel or len(reply.turn.calls) > 1
        self._reasoned = self._reasoned or any(map(_is_thought, reply.turn.parts))
        self._may_reason = self._may_reason or REASONING.thought(asked, "") is not None
        self._may_call_more = self._may_call_more or not (choice.alone or choice.required or choice.forbidden)

    @property
    def without_tools(self) -> str:
        """A note if no request offered tools; empty if one did, or if another model answers."""
        return _WITHOUT_TOOLS if self._asked and not self._offered else ""

    @property
    def note(self) -> str:
        """A note on what was not tried, and how to try it; empty if everything was."""
        left: list[str] = []
        if not self._offered:
            return self.without_tools
        if not self._reasoned:
            names = either(list(self._models)[:_MOST_NAMED])
            how = "--rounds reasoning tries it" if self._may_reason else "your request must ask for it"
            left.append(f"reasoning ({names} does not reason by itself: {how})")
        if not self._parallel:
            how = "--rounds parallel tries them" if self._may_call_more else "each request forbids them"
            left.append(f"parallel calls ({how})")
        if not self._streamed:
            left.append("streaming (no request asks for a stream)")
        return f"not tried: {', '.join(left)}" if left else ""


def _is_thought(part: object) -> bool:
    return isinstance(part, ThinkingPart) or bool(getattr(part, "signature", ""))
