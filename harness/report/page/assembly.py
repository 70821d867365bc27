"""Assembles the page: its parts are files here, and one file for the user.

The policy in its head allows one script, named by its hash, and the scripts that this one loads: the traces, whose
addresses must pass through its trusted type. No text can become markup, except in the preview's frame.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from harness.preview import PREVIEW
from harness.report.page.island import island
from harness.report.page.packing import packed
from harness.report.page.shown import Against, Past, ShownRun

_PARTS = Path(__file__).parent / "parts"

_SCRIPTS = (
    "dom.js",
    "data.js",
    "place.js",
    "cases.js",
    "plots.js",
    "matrix.js",
    "json.js",
    "turns.js",
    "told.js",
    "lanes.js",
    "exchanges.js",
    "findings.js",
    "causes.js",
    "overview.js",
    "case.js",
    "keys.js",
    "page.js",
)
"""The modules, each after those that it imports."""

_STYLES = ("page.css", "overview.css", "causes.css", "case.css", "replay.css")

_IMPORT = re.compile(r'^import [^;]*? from "\./[\w-]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=class |const |let |function |async )", re.MULTILINE)

_POLICY = (
    "default-src 'none'",
    # Scripts that the page's own script loads are trusted, too, wherever they lie: on a disk, 'self' is nothing that
    # browsers agree about.
    "script-src '{script}' 'strict-dynamic'",
    # The frame of the preview is bound by this policy as well as by its own.
    "style-src 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types preview traces",
)


def page(runs: Sequence[ShownRun], *, history: Past | None = None, against: Against | None = None) -> str:
    """The page as HTML: the runs side by side, the findings over time, and the differences from a base."""
    return _empty().replace("{{data}}", packed(island(runs, history, against)), 1)


@cache
def _empty() -> str:
    """The page without its data."""
    script = "\n".join(_plain(path) for path in (PREVIEW, *(_PARTS / name for name in _SCRIPTS)))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    fillings = {
        "policy": "; ".join(_POLICY).format(script=f"sha256-{digest}"),
        "style": "\n".join((_PARTS / name).read_text(encoding="utf-8") for name in _STYLES),
        "script": script,
    }
    # In one pass: a filling may hold the name of another.
    template = (_PARTS / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(policy|style|script)\}\}", lambda name: fillings[name[1]], template)


def _plain(path: Path) -> str:
    """A module's text for the one script with all modules: without imports and exports."""
    return _EXPORT.sub("", _IMPORT.sub("", path.read_text(encoding="utf-8")))
