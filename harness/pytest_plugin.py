"""The fixture ``harness_cassette``: what a test asks over HTTP is recorded once, and then answered from a file.

pytest loads this module in every run in which the harness is installed, so all else is imported where it is needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from harness.cassette.tape import Mode, Tape
    from harness.cassette.use import Use

__all__ = ["harness_cassette", "harness_secrets"]

_MODES: Final = ("none", "once", "new_episodes", "all")  # harness.cassette.tape.Mode, which costs too much to import
_CASSETTE: Final[pytest.StashKey[Use]] = pytest.StashKey()
_LONGEST: Final = 100
"""Of a file name, in characters; file systems take 255 bytes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("harness", "agent-loop-harness").addoption(
        "--harness-record",
        choices=_MODES,
        help="what the fixture harness_cassette records: nothing (none; so in CI), tests that have no cassette (once; "
        "so elsewhere), requests that no recording answers (new_episodes), or everything anew (all)",
    )


@pytest.fixture(scope="session")
def harness_secrets() -> Mapping[str, str]:
    """Secrets by name, to be kept out of every cassette beside those that are known by their shape.

    Override it in a ``conftest.py``.
    """
    return {}


@pytest.fixture
def harness_cassette(request: pytest.FixtureRequest, harness_secrets: Mapping[str, str]) -> Iterator[Tape]:
    """The cassette of this test, open until the test ends: ``cassettes/<module>/<test>.yaml`` beside its file.

    See ``harness.cassette.use``, whose errors fail the test itself. ``harness_cassette.records`` says whether requests
    may be recorded, and so whether a real key is needed.
    """
    from harness.cassette import use

    cassette = use(_path(request), _mode(request.config), values=harness_secrets)
    with suppress(_NeverCalled), cassette as tape:
        request.node.stash[_CASSETTE] = cassette
        yield tape
        raise _NeverCalled


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """The cassette ends with the call, not with the fixture, so that a miss fails the test instead of its teardown."""
    cassette = item.stash.get(_CASSETTE, None)
    try:
        result = yield
    except BaseException as error:
        if cassette is not None:
            cassette.__exit__(type(error), error, error.__traceback__)
        raise
    if cassette is not None:
        cassette.__exit__(None, None, None)
    return result


class _NeverCalled(Exception):
    """The fixture ends. If the cassette is still open then, another fixture failed, and nothing recorded is whole."""


def _mode(config: pytest.Config) -> Mode:
    chosen: Mode | None = config.getoption("--harness-record")
    return chosen or ("none" if os.environ.get("CI") else "once")


def _path(request: pytest.FixtureRequest) -> Path:
    """Where the cassette of a test lies. Classes and parameters are part of its name."""
    module: Path = request.node.path
    within = request.node.nodeid.partition("::")[2]
    return module.parent / "cassettes" / module.stem / f"{_file_name(within)}.yaml"


def _file_name(test: str) -> str:
    """A name that every file system takes, and that no two tests share: what it cannot say of ``test``, a hash does."""
    import hashlib

    name = test.replace("::", ".")
    if re.fullmatch(r"[A-Za-z0-9_.]+", name) and len(name) <= _LONGEST:
        return name
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip("-")
    return f"{plain[:_LONGEST]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"
