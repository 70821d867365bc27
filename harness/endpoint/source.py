"""Where the model's answers come from: a script, a recording, or a model that is asked now."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from harness.scenario import Cut, Step
from harness.trace import MAIN, End
from harness.wire import Conversation


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request for a source to answer, raw and parsed.

    ``path`` is as the provider would see it. Header names are as they came. ``number`` is its conversation's number in
    the case: ``MAIN``, or that of a side conversation; None if it was not identified. ``case`` is the case's id.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    conversation: Conversation
    number: int | None = MAIN
    case: str = ""


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """A recorded response. ``waits`` are the seconds before each chunk, or empty for none.

    ``cut`` is how the connection ended, if it ended in the middle of the response.
    """

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]
    waits: tuple[float, ...] = ()
    end: End = "eof"
    cut: Cut = field(default_factory=Cut)


@dataclass(frozen=True, slots=True)
class Unknown:
    """No recording answers this request. ``why`` is for a person. ``at`` is the place in the body that differs from the
    recording (``""`` if none is similar); ``expected`` and ``got`` are the two values there."""

    why: str
    at: str
    expected: str
    got: str


class Arriving(Protocol):
    """A response that is arriving. It is iterated once; raises ``ResponseBroken`` if it breaks off."""

    status: int
    headers: Mapping[str, str]

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def close(self, end: End) -> End:
        """End the response, delivered or abandoned as ``end`` names it. Returns how it really ended.

        A client that knows the terminal event leaves when it has seen it. If nothing came after it, the client has all.
        """


class ResponseBroken(Exception):
    """The response broke off in the middle; ``cut`` is how."""

    def __init__(self, why: str, cut: Cut | None = None) -> None:
        super().__init__(why)
        self.cut = cut or Cut()


@dataclass(frozen=True, slots=True)
class LiveResponse:
    """Somebody else answers: ``open`` sends the request."""

    open: Callable[[], Awaitable[Arriving]]


SourceResponse = Step | RecordedResponse | LiveResponse | Unknown
"""The possible answers of a source."""


class Source(Protocol):
    """Returns the answers of one case, one by one, and None after the last.

    ``left`` names the recordings that no request has asked for so far, one line each. If a source is opened anew and
    gives the same answers to the same requests, its member ``repeats`` is true. Any other source is kept as long as its
    conversation may continue.
    """

    def next(self, request: ModelRequest) -> SourceResponse | None:
        """Return the answer to the request; None if none is left."""

    def left(self) -> Sequence[str]:
        """Return the recordings that no request has asked for, one line each."""


class ScriptSource:
    """The steps of a scenario, one per request, in order. ``then`` answers all later requests.

    ``adapt`` adapts a step to a request. ``adapted`` are the steps that this changed, each with its new form. ``done``
    counts, by name, the acts that must precede the request for the next step.
    """

    repeats: Final = True

    def __init__(
        self,
        steps: Sequence[Step],
        then: Source | None = None,
        adapt: Callable[[Step, Conversation], Step] | None = None,
    ) -> None:
        self._steps = steps
        self._then = then
        self._adapt = adapt
        self._at = 0
        self.done: Counter[str] = Counter()
        self.adapted: list[tuple[Step, Step]] = []

    def next(self, request: ModelRequest) -> SourceResponse | None:
        """Return the next step; after the last one, the answer of ``then``."""
        if self._at >= len(self._steps):
            return None if self._then is None else self._then.next(request)
        self._at += 1
        self.done.clear()
        step = self._steps[self._at - 1]
        played = step if self._adapt is None else self._adapt(step, request.conversation)
        if played is not step:
            self.adapted.append((step, played))
        return played

    @property
    def script(self) -> ScriptSource:
        """Itself. A source that wraps another one returns the inner script."""
        return self

    @property
    def upcoming(self) -> Step | None:
        """The next step; None after the last one."""
        return self._steps[self._at] if self._at < len(self._steps) else None

    def left(self) -> Sequence[str]:
        """Return nothing: the expectations of a scenario determine how much of its script is needed."""
        return ()  # how much of a script is needed is for the scenario's expectations to say
