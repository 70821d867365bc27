"""A cassette for code that is tested in this process, without the gateway: what it asks is recorded, or answered."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, get_args

from harness.cassette.failures import Missed, Unplayed
from harness.cassette.interaction import Cassette
from harness.errors import BadInput, HarnessError

if TYPE_CHECKING:  # and imported where a cassette is opened: most who read cassettes open none
    from harness.cassette.cassette_writer import CassetteWriter, Mode
    from harness.secrets.redactor import Redactor

__all__ = ["Missed", "Unplayed", "Use", "use"]

P = ParamSpec("P")
R = TypeVar("R")


def use(
    path: str | Path, mode: Mode = "once", *, redactor: Redactor | None = None, values: Mapping[str, str] | None = None
) -> Use:
    """Record the requests of this process on the cassette ``path``, or answer them from it.

    A context manager that gives the ``CassetteWriter``, and a decorator of functions, ``async`` or not::

        with harness.cassette.use("cassettes/weather.yaml") as cassette:
            client = openai.OpenAI(api_key=os.environ["OPENAI_API_KEY"] if cassette.records else "none is needed")

    Clients on httpx2, httpx, aiohttp, requests, urllib3 and http.client are seen, by way of vcrpy (the extra ``vcr``).
    Modes are vcrpy's: ``once`` records where there is no file and replays where there is one, ``none`` only replays,
    ``new_episodes`` replays what it has and records the rest, ``all`` records everything anew.

    A request is answered by the next unplayed recording with the same match key (``harness.cassette.matching``), its
    secrets replaced as they are in the file. ``values`` are secrets by name, beside those that are known by their
    shape. A ``redactor`` of your own takes the place of both; ``values`` are then only looked for in what is written.

    Raises, on entry, ``BadInput``: the file cannot be read (it is left as it is), another cassette is open in this
    process, or vcrpy is not installed. Inside, from the request: ``Missed``, or ``BadInput`` for what must not be
    kept. At the end: the same again if what is tested has swallowed it or says something else, and ``Unplayed``.
    After an exception of the block the file is what it was before, and what was recorded until then lies beside it.
    """
    return Use(Path(path), mode, redactor, values or {})


class Use(AbstractContextManager["CassetteWriter"]):
    """What ``use`` returns. Each time it is entered, or a function that it decorates is called, the file is opened."""

    def __init__(self, path: Path, mode: Mode, redactor: Redactor | None, values: Mapping[str, str]) -> None:
        self._opened = functools.partial(_cassette, path, mode, redactor, values)
        self._block = ExitStack()

    def __enter__(self) -> CassetteWriter:
        return self._block.enter_context(self._opened())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None:
        """End the block; a second time there is nothing left to end."""
        __tracebackhide__ = True  # pytest shows the frames of what is tested
        try:
            return self._block.__exit__(kind, error, trace)
        except HarnessError as failure:
            raise failure.with_traceback(None)  # noqa: B904 # it has its cause, and contextlib's frames say nothing

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise BadInput(f"{function.__qualname__} is a generator; write 'with use(...)' in it instead of above it")
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def awaited(*args: P.args, **kwargs: P.kwargs) -> Any:
                with self._opened():
                    return await function(*args, **kwargs)

            return cast("Callable[P, R]", awaited)

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            with self._opened():
                return function(*args, **kwargs)

        return called


@contextmanager
def _cassette(path: Path, mode: Mode, redactor: Redactor | None, values: Mapping[str, str]) -> Iterator[CassetteWriter]:
    from harness.cassette.cassette_writer import CassetteWriter, Mode
    from harness.cassette.intercept import Reel, intercepted
    from harness.cassette.matching import Player
    from harness.secrets.redactor import Redactor
    from harness.secrets.scan import scan

    __tracebackhide__ = True
    if mode not in get_args(Mode):
        raise BadInput(f"{path}: expected a mode of {', '.join(get_args(Mode))}; got {mode!r}")
    redactor = redactor or Redactor(values)
    scanned = functools.partial(scan, values=tuple(values.values()))
    with _alone(path), CassetteWriter.open(path, mode, None, redactor=redactor, scan=scanned) as writer:
        player = Player(Cassette(path, writer.known), redactor=redactor)
        reel = Reel(writer, player)
        with intercepted(reel):
            try:
                yield writer
            except HarnessError:
                raise
            except Exception as error:  # what an SDK makes of a miss, or what follows from one
                if reel.failure:
                    raise reel.failure from error
                raise
        if reel.failure:
            raise reel.failure
    if player.unplayed:
        raise Unplayed(path, player.unplayed)


# --- one at a time ------------------------------------------------------------------------------------------

_turn = threading.Lock()
_open: list[Path] = []


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """vcrpy replaces methods of classes: of two cassettes at once, one gets what is meant for the other."""
    with _turn:
        if _open:
            raise BadInput(
                f"{path}: {_open[0]} is open in this process, and its requests can go to one cassette only; "
                "close that one first, or run the two in processes of their own"
            )
        _open.append(path)
    try:
        yield
    finally:
        _open.clear()
