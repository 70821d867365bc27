"""``harness run --against BASE``: a run is compared with an earlier one as soon as it has ended."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

from harness.cli.diff import print_comparison
from harness.errors import BadInput
from harness.report.diff import compare, read_run


def check_base(base: Path, out: Path | None) -> None:
    """Raise ``BadInput`` if ``base`` has no results, or is the folder into which the run would write its own
    results."""
    read_run(base)
    if out is not None and out.resolve() == base.resolve():
        raise BadInput(
            f"--against {base}: expected another folder than that of --out, got the same; name another --out"
        )


def changed(base: Path, new: Path, left_out: Container[str]) -> bool:
    """Report the differences from the run in ``base``. Returns whether there are any, as for ``harness diff --strict``.

    ``left_out`` are the cases that this run was not asked for.
    """
    comparison = compare(base, new, strict=True, left_out=left_out)
    print_comparison(comparison)
    return comparison.failed
