"""What the tests of commands begin with: a command that is called in this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.commands import Printed, called


@pytest.fixture
def harness(capsys: pytest.CaptureFixture[str]) -> Callable[..., Printed]:
    """``harness WORDS`` in this process, to its end."""
    return partial(called, capsys)
