"""Reports to ``harness serve`` which pytest test runs, so that it knows which test sends a request.

The pytest of the user's project loads this module. It needs Python 3.8 and pytest 6.2 or later, and nothing of the
harness. It does nothing unless ``harness serve`` started that pytest. A failure here must not fail a test: without a
report, the requests belong to no test.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import json
import os
import re
import threading
from http.client import HTTPConnection
from typing import Any, Dict, Generator, Optional
from urllib.parse import quote, urlsplit

import pytest

_BASE = "HARNESS_CASE_BASE_URL"
_OFF = "HARNESS_SERVE_TESTS"
_WORKER = re.compile(r"(.*)/worker/([^/]*)-\d+")
_SECONDS = 30.0


class _Reporter:
    """The tests of one process. ``config`` is its pytest's, ``base`` the address that this process's clients use."""

    def __init__(self, config: Any, base: str) -> None:
        self.config = config
        self._path = urlsplit(base).path + "/test"
        self._lock = threading.RLock()
        self._open: Dict[str, str] = {}
        self._ended: Dict[str, str] = {}
        self._aside = 0
        # It is opened before a test can forbid or replace sockets.
        self._connection: Optional[HTTPConnection] = HTTPConnection(urlsplit(base).netloc, timeout=_SECONDS)
        self._connection.connect()

    def begins(self, test: str) -> None:
        with self._lock:
            self._open[test] = ""
            self._say({})

    def ends(self, test: str) -> None:
        """Note the end of a test. The next report sends it, usually with the next test: so a test costs one request."""
        with self._lock:
            outcome = self._open.pop(test, "")
            self._ended = {"ended": test, "outcome": outcome} if outcome else {}
            if self._open:
                self._say({})

    def reports(self, report: Any) -> None:
        """Note that one phase of a test has ended."""
        with self._lock:
            so_far = self._open.get(report.nodeid)
            if so_far is None:
                return
            if report.outcome == "failed" or so_far == "failed":
                self._open[report.nodeid] = "failed"
            elif report.outcome == "skipped" or so_far == "skipped":
                self._open[report.nodeid] = "skipped"
            else:  # or it is to be run again
                self._open[report.nodeid] = "passed"

    def steps_aside(self) -> None:
        """Report no test while code for several tests runs: a fixture of a module, or of the session."""
        with self._lock:
            self._aside += 1
            self._say({})

    def steps_back(self) -> None:
        with self._lock:
            self._aside -= 1
            self._say({})

    def is_over(self) -> None:
        with self._lock:
            self._say({"over": True})
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _say(self, more: Dict[str, Any]) -> None:
        """Report which test runs now, and ``more``. If several tests run at once, it is unknown which one asks."""
        if self._connection is None:
            return
        document, self._ended = {**self._ended, **more}, {}
        running = list(self._open) if not self._aside else []
        document["test"] = running[0] if len(running) == 1 else ""
        body = json.dumps(document).encode()
        for _ in range(2):  # the endpoint may have closed a connection that was idle for long
            try:
                self._connection.request("POST", self._path, body)
                self._connection.getresponse().read()
                return
            except Exception:  # noqa: BLE001 - a test may have put anything in the place of sockets
                self._connection.close()
        self._connection = None


_reporter: Optional[_Reporter] = None
_replaced: Dict[str, str] = {}


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: Any) -> None:
    """Set a separate address for the clients of this process, before any module of the project is imported."""
    global _reporter
    base, worker = os.environ.get(_BASE, ""), os.environ.get("PYTEST_XDIST_WORKER", "")
    if not base or _reporter is not None or os.environ.get(_OFF) == "off":
        return
    outer = _WORKER.fullmatch(base)
    if outer and outer.group(2) == quote(worker, safe=""):  # a pytest that a test has started is part of that test
        os.environ[_OFF] = "off"
        return
    own = "{}/worker/{}-{}".format(outer.group(1) if outer else base, quote(worker, safe=""), os.getpid())
    try:
        _reporter = _Reporter(early_config, own)
    except Exception:  # noqa: BLE001 - as above
        return
    for name, value in list(os.environ.items()):
        if value == base or value.startswith(base + "/"):
            _replaced[name] = value
            os.environ[name] = own + value[len(base) :]


def pytest_unconfigure(config: Any) -> None:
    """End this pytest; another one may follow in the same process."""
    global _reporter
    reporter = _of(config)
    if reporter is not None:
        reporter.is_over()
        os.environ.update(_replaced)
        _replaced.clear()
        _reporter = None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: Any) -> Generator[None, Any, None]:
    """Report a test while it runs with its fixtures."""
    reporter = _of(item.config)
    if reporter is None:
        yield
        return
    reporter.begins(item.nodeid)
    yield
    reporter.ends(item.nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    """Note that a phase of a test of this process has ended."""
    if _reporter is not None:
        _reporter.reports(report)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, Any, None]:
    """Requests of a fixture for several tests belong to none of them, neither in its setup nor in its teardown."""
    reporter = _of(request.config)
    if reporter is None or fixturedef.scope == "function":
        yield
        return
    fixturedef.addfinalizer(reporter.steps_back)  # the first one is called last
    reporter.steps_aside()
    yield
    reporter.steps_back()
    fixturedef.addfinalizer(reporter.steps_aside)


def _of(config: Any) -> Optional[_Reporter]:
    """The reporter, if it belongs to this pytest and not to a nested one that a test runs."""
    return _reporter if _reporter is not None and _reporter.config is config else None
