"""A request as the rules look at it: its history, its settings, the model that it asks, and what was issued to it."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from harness.finding import Finding
from harness.ground.cached import cached_property
from harness.wire.base import Conversation, IssuedState, Json
from harness.wire.gemini_generate.models import MODELS
from harness.wire.gemini_generate.parts import ContentEntry, camel_keys, contents, listed
from harness.wire.gemini_generate.rules.history import GeminiHistory
from harness.wire.gemini_generate.rules.issued import IssuedPart, issued_parts
from harness.wire.gemini_generate.rules.matching import Matching, match
from harness.wire.lenient import entries

DOCUMENTED: Final = "https://ai.google.dev/gemini-api/docs/thought-signatures"
"""Where Google says what signatures are for: the evidence of several rules."""

Found = Iterator[Finding]
"""What a check finds."""

_LONGEST: Final = 160
"""Characters of a value that a finding shows."""


@dataclass(frozen=True)
class Request:
    """A request beside what the endpoint has issued."""

    conversation: Conversation
    issued: IssuedState

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.conversation.model

    def fact(self, name: str) -> Any:
        """The fact with this name about the model; None if there is none."""
        return MODELS.value(name, self.model)

    @property
    def vertex(self) -> bool:
        """Whether Vertex AI is asked: by the path, or by the named server if the path is unknown."""
        return is_vertex(self.conversation) or self.conversation.server == "vertex"

    @property
    def version(self) -> str:
        """The API version in the path; without one that which Google's messages name."""
        found = re.match(r"/(v\d\w*)/", self.conversation.collection)
        return found[1] if found else "v1beta"

    @cached_property
    def body(self) -> Json:
        """The body with the names of its members in camelCase."""
        return camel_keys(self.conversation.body)

    @cached_property
    def contents(self) -> tuple[ContentEntry, ...]:
        """The contents of the body, with camelCase keys."""
        return contents(self.body)

    @cached_property
    def history(self) -> GeminiHistory:
        """The contents as turns."""
        return GeminiHistory.of(self.contents)

    @cached_property
    def parts(self) -> Mapping[Hashable, list[IssuedPart]]:
        """The parts that the endpoint has issued, by all that shows them."""
        return issued_parts(self.issued)

    @cached_property
    def matching(self) -> Matching:
        """The model turns that the endpoint has issued. The first request's own contents are nobody's."""
        if not self.issued.turns:
            return ()
        prompt, own = entries(self.issued.turns[0][0].body.get("contents")), entries(self.body.get("contents"))
        start = len(prompt) if own[: len(prompt)] == prompt else 0
        turns = [turn for turn in self.history.model_turns if turn.last.at >= start]
        return match(turns, self.issued, start)

    @cached_property
    def generation(self) -> Json:
        """The members of ``generationConfig``, with camelCase keys."""
        return _settings(self.body.get("generationConfig"))

    @cached_property
    def calling(self) -> Json:
        """``toolConfig.functionCallingConfig``."""
        return _settings(_settings(self.body.get("toolConfig")).get("functionCallingConfig"))

    @cached_property
    def tools(self) -> tuple[Json, ...]:
        """The tools of the body, with camelCase keys."""
        return tuple(map(camel_keys, listed(self.body.get("tools"))))

    @cached_property
    def functions(self) -> tuple[tuple[str, Json], ...]:
        """Every declared function with its place in the API's spelling."""
        return tuple(
            (f"tools[{tool}].function_declarations[{index}]", camel_keys(function))
            for tool, value in enumerate(self.tools)
            for index, function in enumerate(listed(value.get("functionDeclarations")))
        )


def is_vertex(conversation: Conversation) -> bool:
    """Whether the path is Vertex AI's, whose models belong to a project or a publisher."""
    return "/projects/" in conversation.collection or "/publishers/" in conversation.collection


def brief(text: object, longest: int = _LONGEST) -> str:
    """What a finding shows of a value."""
    shown = str(text)
    return shown if len(shown) <= longest else f"{shown[:longest]}… ({len(shown)} characters)"


def _settings(value: Any) -> Json:
    return camel_keys(value) if isinstance(value, dict) else {}
