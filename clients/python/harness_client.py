"""Connects an agent loop with agent-loop-harness: the loop runs as a command, in a Python environment of its own.

    from harness_client import serve

    def run(case):
        client = openai.OpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key)
        ...
        return "the answer to the user"

    serve(run)

``run`` may also be an async function. ``serve`` reads the case from standard input, calls ``run`` and reports what it
returns or raises; if the target file declares ``persistent: true``, it does so for one case after another. Standard
output belongs to the protocol: what the loop prints goes to standard error.

This file needs nothing but Python 3.9 or newer. Copy it beside the loop, or install agent-loop-harness-client.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

PROTOCOL = 1
"""The version of the protocol that this file speaks: the member ``harness`` of a case."""


# --- events: what the loop reports to its user --------------------------------------------------------------


@dataclass(frozen=True)
class TurnStart:
    """The loop asks the model for turn ``turn``; the first is 1."""

    turn: int


@dataclass(frozen=True)
class Assistant:
    """A piece of the model's text. ``id`` is the same for all pieces of one turn, and another one in each turn."""

    text: str
    id: str


@dataclass(frozen=True)
class Thinking:
    """A piece of the model's thinking. ``id`` is as in ``Assistant``."""

    text: str
    id: str


@dataclass(frozen=True)
class ToolStart:
    """A tool call has begun. ``id`` is that of the model's call, ``input`` what its arguments are."""

    id: str
    name: str
    input: Any = None


@dataclass(frozen=True)
class ToolArguments:
    """A piece of a call's arguments as the user gets it: text, as the model writes it. ``id`` is that of the call."""

    id: str
    text: str


@dataclass(frozen=True)
class SetCode:
    """The whole code that the user sees now; ``id`` is the call that it results from, or of which it is a preview."""

    code: str
    id: str | None = None
    preview: bool = False


@dataclass(frozen=True)
class ToolResult:
    """A tool call has ended. ``output`` is any JSON value; ``ok`` is false if the tool has failed, None: not known."""

    id: str
    name: str
    output: Any
    ok: bool | None


@dataclass(frozen=True)
class Failure:
    """The run cannot go on. ``kind``: ``http``, ``stream``, ``turn-limit``, ``tool-retries`` or ``raised``."""

    kind: str
    message: str


@dataclass(frozen=True)
class Final:
    """The run has ended. ``outcome``: ``completed``, ``truncated``, ``refused``, ``turn-limit`` or ``deferred``.

    ``text`` is the answer to the user; ``code`` is empty but for loops that write code.
    """

    code: str = ""
    outcome: str = "completed"
    text: str | None = None


Event = Union[TurnStart, Assistant, Thinking, ToolStart, ToolArguments, SetCode, ToolResult, Failure, Final]

_KINDS = {
    TurnStart: "turnStart",
    Assistant: "assistant",
    Thinking: "thinking",
    ToolStart: "toolStart",
    ToolArguments: "toolArguments",
    SetCode: "setCode",
    ToolResult: "toolResult",
    Failure: "error",
    Final: "final",
}


# --- the case -----------------------------------------------------------------------------------------------


class Message(NamedTuple):
    """One message of the prompt; ``role`` is ``system`` or ``user``."""

    role: str
    text: str


class ToolRaised(Exception):
    """The tool has failed, as the scenario wants it. ``str`` of it is the message for the model."""


class CaseEnded(RuntimeError):
    """Something of a case that has ended (a thread, a task) emits an event or calls a tool."""


class _DescribedTool:
    """What the model is offered, and how the harness is asked to run it.

    ``parameters`` is a JSON Schema. ``kind`` is ``function``, ``output``, ``external`` or ``unapproved``; ``extra`` is
    what the tool says to the model beside its result, empty for most.
    """

    def __init__(self, case: Case, declaration: Mapping[str, Any]) -> None:
        self.name: str = declaration["name"]
        self.description: str = declaration["description"]
        self.parameters: dict[str, Any] = declaration["parameters"]
        self.kind: str = declaration["kind"]
        self.extra: str = declaration["extra"]
        self._case = case

    def now(self, arguments: Any, *, id: str | None = None) -> Any:
        """Run the tool and return its result.

        ``arguments`` is an object, or the text that the model wrote if the loop does not parse it; ``id`` is that of
        the model's call, for a loop that has it. Raises ``ToolRaised`` if the tool fails, and
        ``asyncio.CancelledError`` if the run is cancelled meanwhile, or was before.
        """
        return self._case._call(self.name, arguments, id).result()


class Tool(_DescribedTool):
    """A tool as a plain function: ``tool(city="Oslo")``. Any thread may call it."""

    def __call__(self, /, **arguments: Any) -> Any:
        """Run the tool on these arguments and return its result. Raises ``ToolRaised`` if the tool fails."""
        return self.now(arguments)


class CallableTool(_DescribedTool):
    """A tool for loops on asyncio: ``await tool({"city": "Oslo"}, id=call_id)``."""

    async def __call__(self, arguments: Any, *, id: str | None = None) -> Any:
        """As ``now``, without blocking the event loop."""
        return await asyncio.wrap_future(self._case._call(self.name, arguments, id))


class Case:
    """One case. Its attributes are the members of the case's line.

    ``wire`` is the API format to ask in, ``base_url`` the endpoint without ``/v1``, ``api_key`` a dummy key.
    ``reasons`` says whether the scripted model thinks before it answers; ``turn_limit`` is how many model turns to make
    at most (None: the loop's own limit). ``tools`` are plain functions, ``callables`` the same tools for asyncio.
    ``raw`` is the line as it was read, ``is_over`` whether the case has ended.

    A case may have several runs in one conversation (``number``, from 1); each calls the loop with a new ``Case``, in
    which ``prompt`` is what the user says next. ``state`` is a dict for what the loop needs of the runs before: the
    next run finds it as this one leaves it, however that ends, perhaps in another process (``resumed``: it is). So it
    must be JSON.

    A run that is cancelled (``is_cancelled``) gets an ``asyncio.CancelledError``: an async function as any task that is
    cancelled, and a plain function wherever it is, also while it waits for a response, if ``serve`` was called in the
    main thread. How it ends then is not judged.
    """

    def __init__(self, raw: dict[str, Any], harness: _Harness) -> None:
        self.raw = raw
        self.id: str = raw["case"]
        self.wire: str = raw["wire"]
        self.model: str = raw["model"]
        self.reasons: bool = raw["reasons"]
        self.base_url: str = raw["base_url"]
        self.api_key: str = raw["api_key"]
        self.prompt = tuple(Message(each["role"], each["text"]) for each in raw["prompt"])
        self.stream: bool = raw["stream"]
        self.turn_limit: int | None = raw["turn_limit"]
        self.profile: str = raw["profile"]
        self.resolve = raw["resolve"]
        self.caller = raw["caller"]
        self.number: int = raw.get("run", 1)
        self.state: dict[str, Any] = raw.get("state", {})
        self.resumed: bool = raw.get("resumed", False)
        self.tools = tuple(Tool(self, each) for each in raw["tools"])
        self.callables = tuple(CallableTool(self, each) for each in raw["tools"])
        self.is_over = False
        self.is_cancelled = False
        self._harness = harness
        self._has_end = False
        self._stored = json.dumps(self.state)
        self._cancel: Callable[[], object] | None = None
        self._listeners: list[Callable[[str], object]] = []

    def emit(self, event: Event) -> None:
        """Report ``event`` at the moment at which the loop reports it to its user. Any thread may call it.

        Raises ``TypeError`` for what is no event, and ``CaseEnded`` after the end of the case.
        """
        if type(event) not in _KINDS:
            raise TypeError(f"emit: expected one of {', '.join(each.__name__ for each in _KINDS)}, got {event!r}")
        self._has_end = self._has_end or isinstance(event, (Failure, Final))
        self._harness.send(self, {"event": _KINDS[type(event)], **vars(event)})

    def on_cancel(self, cancel: Callable[[], object]) -> None:
        """Have ``cancel`` called, in another thread, if the caller cancels the run: a loop that ends itself then.

        The run then gets no exception but from tools that it calls.
        """
        self._cancel = cancel

    def on_say(self, say: Callable[[str], object]) -> None:
        """Have ``say`` called, in another thread, with each text that the user says while the run goes on.

        ``case.on_say(texts.append)`` is enough for a loop that looks at ``texts`` before each request.
        """
        self._listeners.append(say)

    def _call(self, name: str, arguments: Any, id: str | None) -> Future[Any]:
        plain = dict(arguments) if isinstance(arguments, Mapping) else arguments
        return self._harness.call(self, {"name": name, "arguments": plain, **({} if id is None else {"id": id})})

    def _returned(self, value: object) -> None:
        """The loop has returned this, which is its end if it has emitted none."""
        if not self._has_end:
            self.emit(Final(text=value if isinstance(value, str) else None))

    def _store(self) -> None:
        """Send the state if it is another than before. What is no JSON is an error that the harness reports."""
        if "state" not in self.raw:
            return  # the harness is older than runs
        try:
            stored = json.dumps(self.state, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            self._harness.send(self, {"state": f"case.state is no JSON: {error}"})
            return
        if stored != self._stored:
            self._harness.send(self, {"state": self.state})


# --- serving cases ------------------------------------------------------------------------------------------

Loop = Callable[[Case], Any]


def serve(loop: Loop) -> None:
    """Run ``loop``, a function or an async function of a ``Case``, on the case or the cases of this process.

    The text that it returns is its answer; None is no text. What it raises is reported as an ``error`` event, and its
    traceback goes to standard error. Returns when there is no other case. Raises ``SystemExit`` if the harness has not
    started this process.
    """
    interrupt = _Interrupt()
    harness = _Harness(*_pipes(), interrupt)
    tasks = _Tasks()
    try:
        raw = harness.next_case()
        if raw is None:
            raise SystemExit("harness_client: there is no case on standard input; start this with 'harness run'")
        while raw is not None:
            case = Case(raw, harness)
            harness.begin(case)
            _run(loop, case, tasks, interrupt)
            harness.end(case)
            raw = harness.next_case() if raw["persistent"] else None
    finally:
        tasks.close()
        interrupt.close()


def _run(loop: Loop, case: Case, tasks: _Tasks, interrupt: _Interrupt) -> None:
    """Run the loop on one case. What ends the process (``sys.exit``) is raised: its exit code is the loop's end."""
    try:
        try:
            with interrupt.armed():
                returned = loop(case)
            if inspect.isawaitable(returned):
                returned = tasks.run(returned, case)
        finally:
            case._store()
    except (Exception, asyncio.CancelledError) as error:
        if not (case.is_cancelled and isinstance(error, asyncio.CancelledError)):
            traceback.print_exc()
        if not case.is_cancelled:
            case.emit(failure_of(error))
    else:
        if not case.is_cancelled:
            case._returned(returned)


class _Interrupt:
    """Raises ``asyncio.CancelledError`` in the main thread, where a plain function runs, wherever it waits there.

    By a signal, since nothing else breaks off a call that blocks. Its handler raises while it is ``armed``, and not
    within what must not be broken off (``unbroken``): then at the end of that.
    """

    def __init__(self) -> None:
        self._main = threading.main_thread()
        self._armed = False
        self._unbroken = 0
        self._pending = False
        self._before: Any = None
        self.is_possible = hasattr(signal, "SIGURG") and threading.current_thread() is self._main
        if self.is_possible:
            self._before = signal.signal(signal.SIGURG, self._arrived)

    def now(self) -> bool:
        """Raise it, from another thread; False where that is not possible, or no plain function runs."""
        if not (self.is_possible and self._armed and self._main.ident):
            return False
        self._pending = True
        threading.Thread(target=self._insist, args=(self._main.ident,), daemon=True).start()
        return True

    def _insist(self, main: int) -> None:
        """A signal that arrives just before a call blocks does not break that off, so it is sent until it has."""
        while self._pending:
            signal.pthread_kill(main, signal.SIGURG)
            time.sleep(0.05)

    @contextmanager
    def armed(self) -> Iterator[None]:
        self._armed = True
        try:
            yield
        finally:
            self._armed = self._pending = False

    @contextmanager
    def unbroken(self) -> Iterator[None]:
        if threading.current_thread() is not self._main:
            yield
            return
        self._unbroken += 1
        try:
            yield
        finally:
            self._unbroken -= 1
        self._arrived()

    def close(self) -> None:
        if self.is_possible:
            signal.signal(signal.SIGURG, self._before or signal.SIG_DFL)

    def _arrived(self, *_signal: object) -> None:
        if self._pending and self._armed and not self._unbroken:
            self._pending = False  # once: what the loop then does is not broken off
            raise asyncio.CancelledError(_CANCELLED)


class _Tasks:
    """One event loop for all cases of the process, since clients that outlive a case are bound to theirs."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, work: Awaitable[Any], case: Case) -> Any:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        loop, task = self._loop, self._loop.create_task(_awaited(work))
        case._harness.cancel_by(case, lambda: loop.call_soon_threadsafe(_soon, loop, task.cancel))
        return loop.run_until_complete(task)

    def close(self) -> None:
        if self._loop is None:
            return
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        self._loop.run_until_complete(_all_of(left))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], object], moments: int = 10) -> None:
    """Call when what came before has been taken: results that the loop has not yet looked at."""
    if moments:
        loop.call_soon(_soon, loop, call, moments - 1)
    else:
        call()


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


async def _all_of(tasks: set[asyncio.Task[Any]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


_CANCELLED = "the caller has cancelled the run"


# --- the protocol -------------------------------------------------------------------------------------------


def _pipes() -> tuple[int, int]:
    """The pipes from and to the harness. From now on everybody else reads nothing, and prints on standard error."""
    if os.isatty(0):
        raise SystemExit("harness_client: standard input is a terminal; start this with 'harness run --target ...'")
    sys.stdout.flush()
    pipes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)  # what was printed is there if the case is given up
    return pipes


class _Harness:
    """The other side of the pipes. One thread reads; whoever writes has the lock."""

    def __init__(self, source: int, output: int, interrupt: _Interrupt) -> None:
        self._output = output
        self._interrupt = interrupt
        self._case: Case | None = None
        self._task: Callable[[], object] | None = None
        self._lock = threading.Lock()
        self._cases: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._keys = itertools.count(1)  # of all cases, so that a late result is that of no other call
        self._calls: dict[int, tuple[Future[Any], threading.Thread]] = {}
        threading.Thread(target=self._listen, args=(source,), daemon=True, name="harness_client").start()

    def next_case(self) -> dict[str, Any] | None:
        """The next case's line; None if there is no other."""
        raw = self._cases.get()
        if raw is not None and raw.get("harness") != PROTOCOL:
            got = raw.get("harness")
            raise SystemExit(
                f"harness_client speaks version {PROTOCOL} of the protocol, got {got!r}: copy a newer file"
            )
        return raw

    def send(self, case: Case, line: dict[str, Any]) -> None:
        """Write a line of this case. Raises ``CaseEnded`` after its end."""
        with self._interrupt.unbroken(), self._lock:
            _check_open(case)
            self._write(line)

    def call(self, case: Case, call: dict[str, Any]) -> Future[Any]:
        """Ask for a tool to be run; its result comes later.

        Raises ``CaseEnded`` after the end of the case, and ``asyncio.CancelledError`` once its run is cancelled.
        """
        result: Future[Any] = Future()
        result.set_running_or_notify_cancel()  # who no longer waits for it does not keep it from coming
        with self._interrupt.unbroken(), self._lock:
            _check_open(case)
            if case.is_cancelled:
                raise asyncio.CancelledError(_CANCELLED)
            key = next(self._keys)
            self._calls[key] = result, threading.current_thread()
            try:
                self._write({"call": {"key": key, **call}})
            except BaseException:
                del self._calls[key]
                raise
        return result

    def begin(self, case: Case) -> None:
        """What comes from now on is for this case."""
        with self._lock:
            self._case, self._task = case, None

    def cancel_by(self, case: Case, task: Callable[[], object]) -> None:
        """The case runs in a task, which ``task`` cancels; at once, if its run was cancelled already."""
        with self._lock:
            self._task = task
            cancelled = case.is_cancelled and case._cancel is None
        if cancelled:
            task()

    def end(self, case: Case) -> None:
        """Nothing of this case is written any more, and calls of it that wait get no result."""
        with self._lock:
            case.is_over = True
            self._case = None
            self._drop_calls(CaseEnded("the case has ended"))
            if case.raw["persistent"]:
                self._write({"done": case.id})

    def _write(self, line: dict[str, Any]) -> None:
        data = memoryview(json.dumps(line).encode("ascii") + b"\n")
        while data:
            data = data[os.write(self._output, data) :]

    def _listen(self, source: int) -> None:
        for line in _lines(source):
            message = json.loads(line)
            if "result" in message:
                self._settle(message["result"])
            elif "cancel" in message:
                self._cancelled()
            elif "say" in message:
                self._spoken(message["say"])
            else:
                self._cases.put(message)
        with self._lock:
            self._drop_calls(CaseEnded("the harness has gone"))
        self._cases.put(None)

    def _cancelled(self) -> None:
        """The caller cancels the run: calls of tools that wait end, and so does the task, or the function."""
        with self._lock:
            case, task = self._case, self._task
            if case is None:
                return  # it came too late
            case.is_cancelled = True
            ends_by_itself = case._cancel is not None
            breaks_off = not ends_by_itself and (task is not None or self._interrupt.now())
            spared = threading.main_thread() if breaks_off else None  # what waits there is broken off with the rest
            self._drop_calls(asyncio.CancelledError(_CANCELLED), spared)
        _attempt(case._cancel or task or _nothing)

    def _spoken(self, text: str) -> None:
        case = self._case
        for say in case._listeners if case is not None else ():
            _attempt(say, text)

    def _settle(self, came: Mapping[str, Any]) -> None:
        with self._lock:
            result, _ = self._calls.pop(came["key"], (None, None))
        if result is None:
            return  # of a case that has ended, or a run that was cancelled
        if came["ok"]:
            result.set_result(came["output"])
        else:
            result.set_exception(ToolRaised(came["output"]))

    def _drop_calls(self, why: BaseException, spared: threading.Thread | None = None) -> None:
        for key, (result, thread) in list(self._calls.items()):
            if thread is not spared:
                del self._calls[key]
                result.set_exception(why)


def _nothing() -> None:
    """The function has been interrupted, or cannot be."""


def _attempt(callback: Callable[..., object], *words: str) -> None:
    """Call what the loop has named; what it raises must not end the thread that reads."""
    try:
        callback(*words)
    except Exception:
        traceback.print_exc()


def _check_open(case: Case) -> None:
    if case.is_over:
        raise CaseEnded(f"the case {case.id} has ended")


def _lines(pipe: int) -> Iterator[bytes]:
    """By ``os.read``: a buffered file that a thread reads cannot be closed at the end of the process."""
    begun: list[bytes] = []
    while data := os.read(pipe, 65_536):
        *whole, rest = data.split(b"\n")
        for line in whole:
            yield b"".join([*begun, line])
            begun.clear()
        begun.append(rest)


# --- failures -----------------------------------------------------------------------------------------------

_LONGEST = 2_000

_BROKEN = {
    "APIConnectionError",
    "APITimeoutError",
    "RemoteProtocolError",
    "ReadError",
    "ConnectError",
    "ConnectionError",
    "ClientConnectionError",
    "ClientPayloadError",
    "ConnectionClosed",  # of websockets; its code is that of a close frame
    "HTTPClientError",  # of botocore, as the next; its streams raise what urllib3 raises
    "EventStreamError",
    "IncompleteRead",
}
"""Exceptions of HTTP clients and SDKs that say that the connection, or the stream, is broken."""


def failure_of(error: BaseException) -> Failure:
    """The event for an exception.

    Of kind ``http`` if it has a status of 400 or more, ``stream`` if the connection is broken, ``raised`` otherwise;
    what it was raised from counts, too.
    """
    message = f"{type(error).__name__}: {error}"[:_LONGEST]
    for each in _causes(error):
        if any(kind.__name__ in _BROKEN for kind in type(each).__mro__):
            return Failure("stream", message)
        status = _status(each)
        if status is not None and status >= 400:
            return Failure("http", message)
        if status is not None or isinstance(each, OSError):
            return Failure("stream", message)
    return Failure("raised", message)


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    places = (
        (error, "status_code"),
        (error, "status"),
        (error, "code"),
        (response, "status_code"),
    )
    found = (getattr(owner, name, None) for owner, name in places)
    return next((each for each in found if isinstance(each, int) and each >= 100), _in_dictionary(response))


def _in_dictionary(response: object) -> int | None:
    """The status in the response of an exception of botocore, which is a dictionary."""
    metadata = response.get("ResponseMetadata") if isinstance(response, dict) else None
    status = metadata.get("HTTPStatusCode") if isinstance(metadata, dict) else None
    return status if isinstance(status, int) else None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
