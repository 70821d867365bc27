"""What every test of commands begins with."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from tests.targets.command.running import alive, forget_the_dead


@pytest.fixture(autouse=True)
def nothing_of_earlier_tests() -> None:
    """Processes that a test of something else has left are not those of a command."""
    forget_the_dead()


@pytest.fixture
def mark() -> Iterator[str]:
    """A word in the environment of every process of the test, none of which may be there at its end."""
    word = secrets.token_hex(8)
    yield word
    assert alive(word) == []
