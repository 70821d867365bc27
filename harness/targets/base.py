"""What the harness asks of a system under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from harness.scenario import CallerAction, Round, Skill, Tool
from harness.targets.declaration import Declaration
from harness.targets.environment import AsProvider, environment
from harness.targets.moments import AtTool, Moments, no_moment
from harness.trace import AgUiRecord, Event, JsonValue
from harness.wire import Call, WireName

if TYPE_CHECKING:
    from harness.targets.agent import Workspace
    from harness.targets.command.running import Connect, Start
    from harness.targets.tools import CallableTool

Isolation = Literal["in-process", "worker", "command"]
"""Where a target's loop runs: within the harness, its requests taken below the SDK; in a worker process, over loopback
HTTP, since what others have written may end or block its process; or as a command, in processes of its own."""


def _unobserved(event: Event) -> bool:  # noqa: ARG001 - nobody watches the tools
    return False


def _unrecorded(record: AgUiRecord) -> None:
    """Nobody records what the events of the loop were read from."""


def _unwatched(what: str) -> None:
    """Nobody minds whom the loop asks."""


def _at_any_time(seconds: float) -> None:
    """Nobody asks when something has happened."""


def _without_alias(name: str) -> None:
    """Nobody else asks the endpoint for this case under another name."""


def _nothing_to_take_in(take_in: Callable[[], None]) -> None:
    """What the loop emits does not come by a way of its own."""


def _never(action: Callable[..., object]) -> None:
    """The caller does nothing while the loop runs."""


def _nothing_issued() -> Sequence[Sequence[Call]]:
    return ()


@dataclass(frozen=True, slots=True)
class CaseRun:
    """One case, as a target receives it.

    ``base_url`` is the case's own endpoint without a version path. ``prompt`` are (role, text) pairs. ``emit``
    takes every event in the order in which the loop emits it. ``turn_limit`` None means the target's own.
    ``options`` are the codes that the tool ``retrieve_option`` reads. What only some profiles have comes last:
    ``skills``, ``resolve`` (what becomes of calls that wait) and ``caller`` (what a caller does between turns), as in
    ``harness.scenario.Scenario``. ``emits`` is the target's declaration (``Declaration.emits``). ``reasons``: the model
    thinks before it answers. ``case`` is the id of the case. With ``as_provider`` the loop connects to the provider's
    own host, and ``base_url`` is that of the provider.

    ``issued`` and ``observe`` are for tools that the harness runs: the calls that the model has made so far, turn by
    turn, as the endpoint sent them, and what takes the events of the tools; it returns True where it took one.
    ``note_blocked`` takes the name of each host beside the endpoint that the loop tried to reach and that was blocked.
    ``note_agui`` takes each event of a loop that reports to its user in AG-UI, before what was read from it is emitted.
    ``note_waited`` takes the name of each tool that has waited in vain for another call of its turn.
    ``note_passed`` takes the seconds that a loop would have waited, where it does not really wait: what it does
    afterwards is recorded as so much later.
    ``alias`` takes another name under which requests of this case reach the endpoint: that of a process which runs one
    case after another. ``before_requests`` takes a function that reads in all that the loop has emitted so far, where
    events come by another way than the loop's requests: it is called before each request is recorded.

    A case with a timeline may consist of several runs in one conversation, in which its caller acts. ``number`` counts
    them from 1; in all but the first ``prompt`` is what the user says next. ``state`` is the loop's own store: it is
    empty at first, and each run finds there what the ones before have put in. A run that is ``resumed`` finds it as a
    new process would, so it must be JSON. With ``compacts`` nothing is asked: the loop is to compact the history that
    it has stored, perhaps with a request for a summary, and to return. ``on_cancel`` takes what cancels the run;
    without it an async loop is cancelled as an asyncio task. ``on_say`` takes what is called with each text that the
    user says while the run goes on. Both may be called in another thread. ``at_tool`` is for tools that the harness
    runs. ``workspace`` are the folders of the case, for a program that has them made for each. ``transport`` is
    the channel on which the loop is to ask (``harness.wire.channels``); empty: over HTTP.
    """

    wire: WireName
    model: str
    base_url: str
    prompt: Sequence[tuple[str, str]]
    tools: Sequence[Tool]
    emit: Callable[[Event], None]
    stream: bool = True
    turn_limit: int | None = None
    options: Sequence[str] = ()
    api_key: str = "harness"
    profile: str = "universal"
    skills: Mapping[str, Skill] = field(default_factory=dict)
    resolve: Sequence[Round] = ()
    caller: Mapping[int, Sequence[CallerAction]] = field(default_factory=dict)
    issued: Callable[[], Sequence[Sequence[Call]]] = _nothing_issued
    observe: Callable[[Event], bool] = _unobserved
    note_blocked: Callable[[str], None] = _unwatched
    emits: frozenset[str] | None = None
    reasons: bool = False
    note_waited: Callable[[str], None] = _unwatched
    note_passed: Callable[[float], None] = _at_any_time
    case: str = ""
    as_provider: AsProvider | None = None
    alias: Callable[[str], None] = _without_alias
    before_requests: Callable[[Callable[[], None]], None] = _nothing_to_take_in
    answer_schema: Mapping[str, JsonValue] | None = None
    has_timeline: bool = False
    number: int = 1
    state: dict[str, JsonValue] = field(default_factory=dict)
    resumed: bool = False
    compacts: bool = False
    on_cancel: Callable[[Callable[[], object]], None] = _never
    on_say: Callable[[Callable[[str], object]], None] = _never
    at_tool: AtTool = no_moment
    workspace: Workspace | None = None
    transport: str = ""
    note_agui: Callable[[AgUiRecord], None] = _unrecorded

    @property
    def callables(self) -> tuple[CallableTool, ...]:
        """The tools as things to call, for a loop that runs them itself. Ask once: what they share is made anew."""
        from harness.targets.tools import callables

        moments = Moments(self.observe, self.at_tool, self.issued, self.note_waited)
        return callables(self.tools, self.options, moments)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables by which the provider's official SDKs find the endpoint, and a key for it."""
        return environment(self.wire, self.base_url, self.api_key)


class Target(Protocol):
    """A system under test behind a small driver.

    ``run`` drives the loop once. A failure that the loop reports to its user (an event) is not raised; what is
    raised is a crash of the target.
    """

    @property
    def name(self) -> str:
        """The name under which reports list the target."""

    @property
    def declaration(self) -> Declaration:
        """What the loop can do: wires, profiles, capabilities, events."""

    @property
    def isolation(self) -> Isolation:
        """Where the loop runs."""

    async def run(self, case_run: CaseRun) -> None:
        """Drive the loop once, for one case. Raises whatever crashes the target."""

    async def close(self) -> None:
        """Release what the target has opened; it is not used again."""


@runtime_checkable
class Sealable(Protocol):
    """A target whose loops are processes that can be started behind a seal."""

    def sealed(self, start: Start, connect: Connect) -> Target:
        """The same target, which has ``start`` start its processes and ``connect`` reach ports behind the seal."""
        ...


@runtime_checkable
class HasWorkspace(Protocol):
    """A target whose loops may want folders of their own for each case."""

    def workspace(self, files: Mapping[str, str]) -> AbstractContextManager[Workspace | None]:
        """The folders of a case while the block runs, with ``files`` in the work directory; None: it wants none."""
        ...


@runtime_checkable
class KeepsToFolders(Protocol):
    """A target whose loops may write the folders of their case and no others, behind a seal that can see to it."""

    @property
    def keeps_to_folders(self) -> bool:
        """Whether they do."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """A target that knows the version of its program."""

    @property
    def asks_version(self) -> bool:
        """Whether it starts a command to know it."""
        ...

    def versions(self) -> Mapping[str, str]:
        """The version by the name of what has it; nothing where it is not known."""
        ...


@runtime_checkable
class Preparing(Protocol):
    """A target that has something to do before its first case which takes long and is no part of any case: imports."""

    def prepare(self) -> None:
        """Do it, before any deadline begins. Raises ``BadInput`` where the target cannot be driven at all."""
