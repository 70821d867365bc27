"""What the harness says when it cannot do what it was asked.

    HarnessError            anything the harness raises on purpose
    ├── BadInput            a file, name or option that the user can correct; the CLI prints it and exits 2
    └── Breakdown           the machine or the harness cannot go on (a full disk ...); the CLI prints it and exits 3

A crash is none of these: any other exception that leaves the harness is a bug of the harness. The CLI writes its
traceback to a file, and exits 3.
"""

from __future__ import annotations


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


class Breakdown(HarnessError):
    """The machine or the harness itself cannot go on: the disk is full or broken, no file or process can be opened.

    ``problems`` holds one line per problem: what failed, where, why, and what to do. What was finished before is kept.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[Breakdown], tuple[str, ...]]:
        """As ``BadInput`` it reaches other processes."""
        return type(self), self.problems


def unwrapped(error: Exception) -> Exception:
    """What went wrong, without the groups that asyncio's tasks wrap it in."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
