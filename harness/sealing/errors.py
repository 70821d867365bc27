"""What goes wrong with a seal, and with commands that are started."""

from __future__ import annotations

from harness.errors import HarnessError


class SealRefused(HarnessError):
    """The kernel does not let this process make a seal; the text is why. ``number`` is the error of the system call."""

    def __init__(self, why: str, number: int) -> None:
        super().__init__(why)
        self.number = number


class SealBroken(HarnessError):
    """The process behind the seal that starts commands has ended, or does not answer."""


class CannotStart(HarnessError):
    """It could not be started: ``name`` is the program or the folder that is wrong, ``why`` what the system says."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Cannot start {name}: {why}.")
        self.name = name
        self.why = why
