"""What the harness says when it cannot do what it was asked.

    HarnessError            anything the harness raises on purpose
    └── BadInput            a file, name or option that the user can correct; the CLI prints it and exits 2

A crash is none of these: any other exception that leaves the harness is a bug of the harness.
"""

from __future__ import annotations

__all__ = ["BadInput", "HarnessError"]


class HarnessError(Exception):
    """Base of every error that the harness raises on purpose."""


class BadInput(HarnessError):
    """The user's input cannot be used.

    ``problems`` holds one line per problem, each with its place (``file:line:column`` where there is one),
    what was expected, what came, and what to do. All problems found are reported, not only the first.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
