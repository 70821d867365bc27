"""``harness lint-target``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.errors import BadInput
from harness.targets.file import check_file


def lint_targets(paths: Sequence[Path]) -> int:
    """Read target files as a run would, without starting anything.

    Raises ``BadInput`` with every problem of every file.
    """
    problems: list[str] = []
    for path in paths:
        try:
            check_file(path)
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(*problems)
    print(f"{len(paths)} target file{'' if len(paths) == 1 else 's'}, nothing wrong")
    return 0
