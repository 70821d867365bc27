"""What every test of commands begins with."""

from __future__ import annotations

import pytest

from tests.targets.command.running import forget_the_dead


@pytest.fixture(autouse=True)
def nothing_of_earlier_tests() -> None:
    """Processes that a test of something else has left are not those of a command."""
    forget_the_dead()
