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
    """A request that a source shall answer: as it came, and as it was read.

    ``path`` is as the provider would see it. Header names are as they came. ``number`` is that of its conversation in
    the case: ``MAIN``, or that of one beside it; None where it could not be identified. ``case`` is the case's id.
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
    """A response as it was recorded: ``waits`` are the seconds before each chunk, or empty for none.

    ``cut`` is how the connection ended, where it did so in the middle of it.
    """

    status: int
    headers: Mapping[str, str]
    chunks: tuple[bytes, ...]
    waits: tuple[float, ...] = ()
    end: End = "eof"
    cut: Cut = field(default_factory=Cut)


@dataclass(frozen=True, slots=True)
class Unknown:
    """No recording answers this request. ``why`` is for a person, ``at`` where in the body it differs from what is
    recorded (``""`` where nothing is near), ``expected`` and ``got`` the two sides there."""

    why: str
    at: str
    expected: str
    got: str


class Arriving(Protocol):
    """A response that comes in now. Iterated once; raises ``ResponseBroken`` where it breaks off."""

    status: int
    headers: Mapping[str, str]

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def close(self, end: End) -> End:
        """It has been delivered, or nobody wants the rest: ``end`` says which. Returns how it ended in truth.

        A client that knows the terminal event goes away when it has seen it; if nothing came behind it, it has all.
        """


class ResponseBroken(Exception):
    """The response broke off in the middle; ``cut`` is how."""

    def __init__(self, why: str, cut: Cut | None = None) -> None:
        super().__init__(why)
        self.cut = cut or Cut()


@dataclass(frozen=True, slots=True)
class LiveResponse:
    """Somebody else answers: ``open`` asks."""

    open: Callable[[], Awaitable[Arriving]]


SourceResponse = Step | RecordedResponse | LiveResponse | Unknown
"""What a source may answer with."""


class Source(Protocol):
    """Gives the answers of one case, None when there is none left.

    ``left`` names the recordings that no request has asked for by now, one line each. A source that answers the same
    when it is opened anew and asked the same has a member ``repeats`` that is true; any other is kept for as long as
    its conversation may go on.
    """

    def next(self, request: ModelRequest) -> SourceResponse | None:
        """Return the answer to the request; None where there is none left."""

    def left(self) -> Sequence[str]:
        """Return the recordings that no request has asked for, one line each."""


class ScriptSource:
    """The steps of a scenario, one per request, in order. ``then`` answers what comes after them.

    ``adapt`` makes of a step what it is for a request; ``adapted`` are those of which it has made others, each with
    what it has become. ``done`` counts, by their names, the acts that the next step wants before it is asked for.
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
        """Return the next step; after the last one, what ``then`` answers."""
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
        """Itself: a source with another one inside has that one's script."""
        return self

    @property
    def upcoming(self) -> Step | None:
        """The step that comes next; None behind the last one."""
        return self._steps[self._at] if self._at < len(self._steps) else None

    def left(self) -> Sequence[str]:
        """Return nothing: the expectations of a scenario say how much of its script is needed."""
        return ()  # how much of a script is needed is for the scenario's expectations to say
