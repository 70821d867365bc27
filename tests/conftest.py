"""What every test may use, and what makes the tests independent of the machine on which they run."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from multiprocessing import util
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from harness.fuzz.determined import by_the_seed_alone
from harness.ground.collecting import collect_seldom
from tests.exhaustive import has_none, mark_exhaustive, unnamed
from tests.forking import POSSIBLE, SPAWNED, fork_worker
from tests.quick import are_all, are_slow, mark_quick, unrepresented
from tests.sdks import large

# What Hypothesis draws is the same on each machine, and a busy machine may take its time. Other inputs in each run:
# python -m pytest --hypothesis-profile=nightly
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same-everywhere", PATIENT, derandomize=True, database=None)
settings.register_profile("nightly", PATIENT, derandomize=False, print_blob=True)
settings.load_profile("same-everywhere")

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


# What a machine or its user may have set, and commands and SDKs read.
FOREIGN = re.compile(
    "(FORCE_COLOR|NO_COLOR|COLUMNS|LINES|PYTHONDONTWRITEBYTECODE|GITHUB_.*|.*_(PROXY|API_KEY|BASE_URL))", re.IGNORECASE
)


AUTHORITY = Path(__file__).resolve().parent / "one-authority.pem"
"""A certificate whose key nobody has. No test asks a host that another authority vouches for."""


ENDING: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGQUIT: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
    signal.SIGTERM: signal.SIG_DFL,
}
"""The signals that end a program, with what Python does at each where nobody has said otherwise."""


def pytest_configure() -> None:
    """Leave out what would change what commands do.

    The HTTP client of an SDK reads all the authorities that it trusts, which takes 30 ms each time, and three times as
    long in a client of google-genai. Here it is told to trust one.

    What ends a program is heeded again where it is ignored: a shell starts a job in the background so, and ``nohup``
    any. Programs inherit it, and the tests that interrupt a program would wait for its end forever.
    """
    for name in [name for name in os.environ if FOREIGN.fullmatch(name)]:
        del os.environ[name]
    sys.dont_write_bytecode = False  # else each of hundreds of processes compiles all that it imports
    os.environ["SSL_CERT_FILE"] = str(AUTHORITY)
    collect_seldom()
    for number, usual in ENDING.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Hypothesis reads the source of all local modules here, for constants; it draws none of them (see below).

    Tests are left out when syrupy has seen them: it takes the snapshots of tests that it has not seen for unused ones.
    """
    mark_exhaustive(items)
    mark_quick(items)
    with without_local_constants():
        yield
    config.stash[UNNAMED] = unnamed(items)
    leave_out_exhaustive(config, items)


def is_for_all(config: pytest.Config) -> bool:
    return are_all(config.invocation_params.dir, config.args)


def leave_out_exhaustive(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Who asks for all tests, and names no kind of them, has a result in minutes; CI runs the others, too."""
    if config.option.markexpr or config.option.keyword or not is_for_all(config):
        return
    exhaustive = [item for item in items if item.get_closest_marker("exhaustive")]
    if exhaustive:
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=exhaustive)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules without a quick test need not be imported for the quick ones; nor those without an exhaustive one."""
    asked = config.option.markexpr
    is_needless = (asked == "quick" and are_slow(collection_path)) or (
        asked == "exhaustive" and has_none(collection_path)
    )
    return True if is_needless else None


UNNAMED = pytest.StashKey[list[str]]()
"""The modules of exhaustive tests that name no marker for them (``tests/test_collection.py``)."""

COLLECTED = pytest.StashKey[list[str]]()
"""The large packages that had been imported when the tests were collected (``tests/test_collection.py``)."""

UNREPRESENTED = pytest.StashKey[list[str]]()
"""The packages whose tests include no quick one, where all were collected."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """The tests stay: the collector need not look through them again and again."""
    session.config.stash[COLLECTED] = large(sys.modules)
    session.config.stash[UNREPRESENTED] = unrepresented(session.items) if is_for_all(session.config) else []
    if "harness.scenario.loader" in sys.modules:
        import_module("tests.scenarios").remember_shipped_scenarios()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are processors: a tenth of the tests wait for a process, a browser or a deadline."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """By default a worker keeps neighbours together, so that what the tests of a module share is made once."""
    if config.getoption("dist") == "load":
        from xdist.scheduler import WorkStealingScheduling

        return WorkStealingScheduling(config, log)
    return None


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with recorded traffic and wire examples; its tests are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded traffic: {SHARED.name}/ does not lie beside the checkout")
    return SHARED


def without_local_constants() -> AbstractContextManager[None]:
    """Hypothesis does not draw constants of the modules that the tests before have happened to import."""
    return by_the_seed_alone() if settings.default.derandomize else nullcontext()


@pytest.fixture(scope="session", autouse=True)
def drawn_by_the_seed_alone() -> Iterator[None]:
    with without_local_constants():
        yield


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    """Workers of ``multiprocessing`` need not import what they run; see ``tests/forking.py``."""
    with pytest.MonkeyPatch.context() as patch:
        if POSSIBLE:
            patch.setattr(util, "spawnv_passfds", fork_worker)
        yield


@pytest.fixture
def new_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of ``multiprocessing`` are new processes, for tests of their start and of what they import."""
    monkeypatch.setattr(util, "spawnv_passfds", SPAWNED)
