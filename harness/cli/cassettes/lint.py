"""``harness cassettes lint``: checks cassettes by the rules of their wires, and scans them for secrets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.cassette.document import text_of
from harness.cassette.library import cassette_files
from harness.cli.cassettes.table import many
from harness.cli.lint import lint_cassettes
from harness.errors import BadInput
from harness.report.terminal import visible
from harness.rules import Selection
from harness.secrets.scan import scan


def lint(places: Sequence[Path], selection: Selection) -> int:
    """Print the rules that cassettes break and the secrets that they contain. Returns 1 if there are any.

    Files of interrupted recordings are searched for secrets, too. Unreadable files are reported at the end, as
    ``BadInput``.
    """
    leaks = sum(map(_leaks, cassette_files(places, interrupted=True)))
    print(f"{many(leaks, 'secret')} found")
    return max(lint_cassettes(cassette_files(places), selection), 1 if leaks else 0)


def _leaks(path: Path) -> int:
    """Print the secrets in a file, and return how many there are."""
    try:
        found = scan(text_of(path))
    except BadInput:
        return 0  # reported when it is read as a cassette
    for leak in found:
        print(visible(f"{path}:{leak.line}: secret: {leak.kind} in {leak.where}: {leak.shown}"))
    return len(found)
