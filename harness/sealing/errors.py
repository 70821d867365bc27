"""Errors of a seal, and of commands that are started."""

from __future__ import annotations

from harness.errors import HarnessError


class SealRefused(HarnessError):
    """The kernel refuses to make a seal; the text is the reason. ``number`` is the error of the system call."""

    def __init__(self, why: str, number: int) -> None:
        super().__init__(why)
        self.number = number


class SealBroken(HarnessError):
    """The process behind the seal that starts commands has ended, or does not answer."""


class CannotStart(HarnessError):
    """A command could not be started: ``name`` is the wrong program or folder, ``why`` the message of the system."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"Cannot start {name}: {why}.")
        self.name = name
        self.why = why
