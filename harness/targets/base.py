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


def _observe_nothing(event: Event) -> bool:  # noqa: ARG001 - nobody watches the tools
    return False


def _record_nothing(record: AgUiRecord) -> None:
    """The default of ``note_agui``: nobody records from what the events of the loop were read."""


def _note_nothing(what: str) -> None:
    """The default of ``note_blocked`` and ``note_waited``: nobody notes the name."""


def _at_any_time(seconds: float) -> None:
    """The default of ``note_passed``: nobody notes when something has happened."""


def _without_alias(name: str) -> None:
    """The default of ``alias``: no request of this case reaches the endpoint under another name."""


def _nothing_to_take_in(take_in: Callable[[], None]) -> None:
    """The default of ``before_requests``: the events of the loop do not come by a way of their own."""


def _never(action: Callable[..., object]) -> None:
    """The caller does nothing while the loop runs."""


def _nothing_issued() -> Sequence[Sequence[Call]]:
    return ()


@dataclass(frozen=True, slots=True)
class CaseRun:
    """One case, as a target receives it.

    ``base_url`` is the case's own endpoint without a version path. ``prompt`` are (role, text) pairs. ``emit``
    takes every event in the order in which the loop emits it. ``turn_limit`` None means the target's own.
    ``options`` are the codes that the tool ``retrieve_option`` reads. Only some profiles have ``skills``, ``resolve``
    (what becomes of calls that wait) and ``caller`` (what a caller does between turns), as in
    ``harness.scenario.Scenario``. ``emits`` is the target's declaration (``Declaration.emits``). ``reasons``: the model
    thinks before it answers. ``case`` is the id of the case. With ``as_provider`` the loop connects to the provider's
    own host, and ``base_url`` is the provider's base URL.

    ``issued`` and ``observe`` are for tools that the harness runs. ``issued`` returns the calls that the model has made
    so far, turn by turn, as the endpoint sent them. ``observe`` takes an event of a tool; True means that it took it.
    ``note_blocked`` takes the name of each host beside the endpoint that the loop tried to reach and that was blocked.
    ``note_agui`` takes each event of a loop that reports to its user in AG-UI, before what was read from it is emitted.
    ``note_waited`` takes the name of each tool that has waited in vain for another call of its turn.
    ``note_passed`` takes the seconds that a loop would have waited if it does not really wait: what it does afterwards
    is recorded that much later.
    ``alias`` takes another name under which requests of this case reach the endpoint: the name of a process which runs
    one case after another. ``before_requests`` takes a function that reads all events that the loop has emitted so far,
    if they do not come with the loop's requests. That function is called before each request is recorded.

    A case with a timeline may consist of several runs in one conversation, in which its caller acts. ``number`` counts
    them from 1; in all but the first ``prompt`` is what the user says next. ``state`` is the loop's own store: it is
    empty at first, and each run finds there what earlier runs have put in. A run that is ``resumed`` finds it as a
    new process would, so it must be JSON. With ``compacts`` the user asks nothing: the loop is to compact the history
    that it has stored, perhaps with a request for a summary, and to return. ``on_cancel`` takes a function that cancels
    the run; without it an async loop is cancelled as an asyncio task. ``on_say`` takes a function that is called with
    each text that the user says while the run goes on. Both functions may be called in another thread. ``at_tool`` is
    for tools that the harness runs. ``workspace`` has the folders of the case, for a program that wants them made for
    each case. ``transport`` is the channel on which the loop is to ask (``harness.wire.channels``); empty means HTTP.
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
    observe: Callable[[Event], bool] = _observe_nothing
    note_blocked: Callable[[str], None] = _note_nothing
    emits: frozenset[str] | None = None
    reasons: bool = False
    note_waited: Callable[[str], None] = _note_nothing
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
    note_agui: Callable[[AgUiRecord], None] = _record_nothing

    @property
    def callables(self) -> tuple[CallableTool, ...]:
        """The tools as callables, for a loop that runs them itself. Ask once: each time their shared state is new."""
        from harness.targets.tools import callables

        moments = Moments(self.observe, self.at_tool, self.issued, self.note_waited)
        return callables(self.tools, self.options, moments)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables by which the provider's official SDKs find the endpoint, and a key for it."""
        return environment(self.wire, self.base_url, self.api_key)


class Target(Protocol):
    """A system under test behind a small driver.

    ``run`` drives the loop once. A failure that the loop reports to its user (an event) is not raised. An exception is
    a crash of the target.
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
        """Drive the loop once, for one case. Raises the exception that crashes the target."""

    async def close(self) -> None:
        """Release what the target has opened; it is not used again."""


@runtime_checkable
class Sealable(Protocol):
    """A target whose loops are processes that can be started behind a seal."""

    def sealed(self, start: Start, connect: Connect) -> Target:
        """The same target, but ``start`` starts its processes and ``connect`` reaches ports behind the seal."""
        ...


@runtime_checkable
class HasWorkspace(Protocol):
    """A target whose loops may want folders of their own for each case."""

    def workspace(self, files: Mapping[str, str]) -> AbstractContextManager[Workspace | None]:
        """The folders of a case while the block runs, with ``files`` in the work directory; None if it wants none."""
        ...


@runtime_checkable
class KeepsToFolders(Protocol):
    """A target whose loops may write only the folders of their case, behind a seal that can enforce this."""

    @property
    def keeps_to_folders(self) -> bool:
        """Whether its loops may write only the folders of their case."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """A target that knows the version of its program."""

    @property
    def asks_version(self) -> bool:
        """Whether it starts a command to find the version."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Names of programs or packages with their versions; empty if no version is known."""
        ...


@runtime_checkable
class Preparing(Protocol):
    """A target with slow work before its first case that is no part of any case: imports."""

    def prepare(self) -> None:
        """Do that work, before any deadline begins. Raises ``BadInput`` if the target cannot be driven at all."""
