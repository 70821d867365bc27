"""A loop in Python: an async function, or a class with one, that takes the case and runs it.

Its event loop is in a thread of its own, so that a loop which blocks does not stop the endpoint from answering.
"""

from __future__ import annotations

import ast
import asyncio
import difflib
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Sequence, Set
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

from harness.errors import BadInput
from harness.targets.base import CaseRun, Isolation
from harness.targets.declaration import Declaration
from harness.targets.failed import TargetFailed
from harness.targets.loop_thread import LoopThread
from harness.targets.network_guard import watched
from harness.targets.raised import failure_of
from harness.trace import Event, Failure, problem_of
from harness.trace import Final as FinalEvent

Drive = Callable[[CaseRun], Awaitable[object]]


def is_found(module: str, directory: Path | None = None) -> bool:
    """Whether ``load_function`` would find the package of ``module``. Does not import it."""
    _search(directory or Path.cwd())
    return find_spec(module.partition(".")[0]) is not None


def undefined(address: str, directory: Path | None = None) -> str:
    """Why ``address`` cannot be imported: its module defines no such name. Reads the module without importing it.

    Empty if it defines the name, or if only an import can show it: the module has no source, or makes names as it runs
    (``from x import *``, ``globals()["run"] = ...``).
    """
    module, _, name = address.partition(":")
    file = _file_of(module, directory or Path.cwd())
    if file is None:
        return ""
    try:
        source = file.read_bytes()
        names = _names_of(source)
    except (OSError, SyntaxError, ValueError):
        return ""
    wanted = name.partition(".")[0]
    if wanted in names or names & {"*", "__getattr__"} or any(each in source for each in _MAKES_NAMES):
        return ""
    close = difflib.get_close_matches(wanted, sorted(each for each in names if not each.startswith("_")), n=1)
    hint = f"did you mean {module}:{close[0]}?" if close else "name a function or a class of this module"
    return f"{file} defines no {wanted!r}; {hint}"


@lru_cache(maxsize=8)
def _names_of(source: bytes) -> Set[str]:
    """The names that the source of a module binds. It is cached, because a run often asks for the same module."""
    return _names(ast.parse(source).body)


def _names(body: Sequence[ast.stmt]) -> set[str]:
    """The names that the statements of a module bind, in branches, too."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
        else:
            stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            names.update(node.id for node in stored if isinstance(node.ctx, ast.Store))
            names |= _names([node for node in ast.walk(statement) if isinstance(node, _BINDING)])
    return names


_MAKES_NAMES = (b"globals(", b"vars(", b"exec(", b"setattr(", b"__dict__")
"""With these a module may bind any name as it runs."""

_BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def place_of(address: str, directory: Path | None = None) -> str:
    """Where the function is defined, as ``FILE:LINE``. Reads the module without importing it.

    Only the file if it does not show the definition, and the address if the file is not found.
    """
    module, _, name = address.partition(":")
    file = _file_of(module, directory or Path.cwd())
    if file is None:
        return address
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return str(file)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    lines = (node.lineno for node in tree.body if isinstance(node, kinds) and node.name == name.partition(".")[0])
    return ":".join([str(file), *map(str, list(lines)[-1:])])


def _file_of(module: str, directory: Path) -> Path | None:
    """The source file of a module, found below its package without importing the package."""
    _search(directory)
    package, *below = module.split(".")
    spec = find_spec(package)
    if spec is None:
        return None
    places = [Path(spec.origin)] if spec.origin and not below else []
    for folder in spec.submodule_search_locations or () if below else ():  # of a namespace there may be several
        parent = Path(folder).joinpath(*below[:-1])
        places += [parent / f"{below[-1]}.py", parent / below[-1] / "__init__.py"]
    return next((place for place in places if place.is_file()), None)


def _search(directory: Path) -> None:
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))


def load_function(address: str, directory: Path | None = None) -> Drive:
    """The loop named ``package.module:name``: a function, or the method ``run`` of a new instance of a class.

    ``directory``, or else the working directory, is searched first. Raises ``BadInput`` if the module cannot be
    imported (it raises, or it exits), or if the name is nothing that can be called.
    """
    module_name, _, name = address.partition(":")
    _search(directory or Path.cwd())
    found: Any = _result_of(lambda: import_module(module_name), f"--target {address}: cannot import {module_name}")
    for part in name.split("."):
        if not hasattr(found, part):
            raise BadInput(f"--target {address}: the module {module_name} has no {name!r}{_hint(found, part)}")
        found = getattr(found, part)
    if inspect.isclass(found):
        found = getattr(_result_of(found, f"--target {address}: cannot make an instance of {name}"), "run", None)
    if not callable(found):
        raise BadInput(f"--target {address}: expected a function, or a class with a method 'run'")
    drive: Drive = found
    return drive


def _result_of(work: Callable[[], object], what: str) -> object:
    """The result of ``work``. Turns every exception of it into ``BadInput`` with a text that begins with ``what``."""
    try:
        return work()
    except (Exception, SystemExit) as error:
        first_line = str(error).partition("\n")[0]
        why = (
            f"it exits, with {error.code!r}"
            if isinstance(error, SystemExit)
            else f"{type(error).__name__}: {first_line}"
        )
        raise BadInput(f"{what}: {why}{_place_of(error)}") from error


def _place_of(error: BaseException) -> str:
    """Where the user's code has raised it, in brackets; empty if the text of the error shows that (syntax)."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [each for each in frames if each.filename != __file__ and not each.filename.startswith("<frozen")]
    inner = [each for each in own if not each.filename.endswith("importlib/__init__.py")]
    return f" ({inner[-1].filename}:{inner[-1].lineno})" if inner else ""


def _hint(found: object, part: str) -> str:
    close = difflib.get_close_matches(part, [name for name in dir(found) if not name.startswith("_")], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


@dataclass(frozen=True)
class FunctionTarget:
    """The loop at ``address`` (``package.module:name``), imported by ``prepare`` or else by the first case.

    ``function`` is the loop itself, if it need not be imported. ``passes`` are the user's variables that reach it
    although their names look like secrets.

    An exception of the loop is reported as an ``error`` event. If it returns and has emitted neither an ``error`` nor a
    ``final`` event, a ``final`` event is reported, whose text is the returned value if that is a text. After its caller
    has cancelled the run, neither is reported.
    """

    name: str
    address: str
    declaration: Declaration = field(default_factory=Declaration)
    isolation: Isolation = "worker"
    directory: Path | None = None
    function: Callable[[CaseRun], object] | None = field(default=None, repr=False, compare=False)
    passes: tuple[str, ...] = ()
    _thread: LoopThread = field(default_factory=LoopThread, repr=False, compare=False)

    @cached_property
    def _drive(self) -> Drive:
        if self.function is not None:
            return cast(Drive, self.function)
        return load_function(self.address, self.directory)

    def prepare(self) -> None:
        """Import the loop, so that no case loses time by that. Raises ``BadInput`` (``load_function``)."""
        _ = self._drive

    async def run(self, case_run: CaseRun) -> None:
        """Drive the loop once. Raises ``TargetFailed`` if it emits something that is no event."""
        drive = self._drive
        events = _CheckedEvents(case_run)
        cancelling = _Cancelling(events.case_run)
        try:
            with watched(case_run.note_blocked):
                returned = await self._thread.run(lambda: _driven(drive, cancelling))
        except asyncio.CancelledError:
            if _is_cancelled_here() or not cancelling.is_cancelled:
                raise
        except Exception as error:  # noqa: BLE001 - how a loop says that it has failed
            if not cancelling.is_cancelled:
                events.failed(error)
        else:
            if not cancelling.is_cancelled:
                events.returned(returned)
        await self._thread.close_what_was_left()
        if events.wrong is not None:
            raise events.wrong

    async def close(self) -> None:
        """End the thread that the loop ran in."""
        self._thread.close()


async def _driven(drive: Drive, cancelling: _Cancelling) -> object:
    try:
        if inspect.iscoroutinefunction(drive):
            cancelling.by_task()
            return await drive(cancelling.case_run)
        returned = await _in_a_thread(drive, cancelling.case_run)
        if not inspect.isawaitable(returned):
            return returned
        cancelling.by_task()
        return await returned
    except SystemExit as exit:
        raise _Left(f"the loop asked to end its process, with exit code {exit.code}") from None
    except asyncio.CancelledError:
        if _is_cancelled_here() or cancelling.is_cancelled:
            raise
        raise _Left("the loop cancelled itself") from None


def _is_cancelled_here() -> bool:
    """Whether the current task is cancelled, and not only something that it has awaited."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class _Cancelling:
    """Whether the caller has cancelled the run, and how the run is ended then.

    The function that the loop has registered is called, or else the task of an async function is cancelled. A thread
    cannot be stopped, so a blocking loop must register one; but a tool that runs in it ends (``CallableTool.now``).
    """

    def __init__(self, case_run: CaseRun) -> None:
        self._on_cancel = case_run.on_cancel
        self._is_named = False
        self.case_run = replace(case_run, on_cancel=self._by)
        self.is_cancelled = False
        self._on_cancel(self._note_cancel)

    def by_task(self) -> None:
        """From now on the loop runs in the current task."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None  # noqa: S101 - the caller is a coroutine
        if self._is_named:
            return
        self._on_cancel(partial(self._ends, lambda: loop.call_soon_threadsafe(task.cancel)))
        if self.is_cancelled:
            task.cancel()

    def _by(self, cancel: Callable[[], object]) -> None:
        self._is_named = True
        self._on_cancel(partial(self._ends, cancel))

    def _ends(self, cancel: Callable[[], object]) -> None:
        self._note_cancel()
        cancel()

    def _note_cancel(self) -> None:
        self.is_cancelled = True


async def _in_a_thread(drive: Drive, case_run: CaseRun) -> object:
    """Call a function that may block. It gets its own thread: a process waits for executor threads at its end."""
    outcome: Future[object] = Future()
    outcome.set_running_or_notify_cancel()  # who no longer waits for it does not keep it from ending
    context = copy_context()

    def work() -> None:
        try:
            outcome.set_result(context.run(drive, case_run))
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            outcome.set_exception(error)

    threading.Thread(target=work, daemon=True, name="blocking target").start()
    return await asyncio.wrap_future(outcome)


class _Left(Exception):
    """The loop tried to end its process, or its task."""


class _CheckedEvents:
    """Checks the events of the loop, passes them on, and adds an end event. ``wrong`` is the first refused one."""

    def __init__(self, case_run: CaseRun) -> None:
        self._emit = case_run.emit
        self._declared = case_run.emits
        self._ended = False
        self.wrong: TargetFailed | None = None
        self.case_run = replace(case_run, emit=self._take)

    def _take(self, event: Event) -> None:
        if problem := problem_of(event):
            # Raised where it is emitted, and kept for the end: the loop may catch what its own user's code raises.
            self.wrong = self.wrong or TargetFailed(f"{_emitted_at()}: emit: {problem}")
            raise self.wrong
        self._ended = self._ended or isinstance(event, Failure | FinalEvent)
        self._emit(event)

    def failed(self, error: Exception) -> None:
        if self.wrong is None:
            self._emit(failure_of(error))

    def returned(self, value: object) -> None:
        if not self._ended and (self._declared is None or "final" in self._declared):
            self._emit(FinalEvent("", text=value if isinstance(value, str) else None))


def _emitted_at() -> str:
    """``FILE:LINE`` of the call of ``emit``."""
    frame = sys._getframe(2)  # of who has called the caller
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
