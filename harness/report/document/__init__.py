"""A report as one small HTML file without data of its own. Comparisons and histories use it.

``document`` puts a title and a body, which is HTML, into a page with a search field and a choice of light and dark. The
search hides elements of the class ``item`` whose text does not match. It also hides a ``section`` or a ``group`` if all
of its items are hidden. Without a script everything is shown.
"""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import quote

__all__ = ["address", "document"]

_HERE = Path(__file__).parent

_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
{style}</style>
</head>
<body>
<header>
<input id="filter" type="search" placeholder="Search" aria-label="Search" autocomplete="off" spellcheck="false" hidden>
<p id="left" role="status"></p>
<button id="theme" type="button" title="Light, dark, or as the system has it" hidden>Theme: system</button>
</header>
<main>
{body}
</main>
<script>
{script}</script>
</body>
</html>
"""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; " + (
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def document(title: str, body: str) -> str:
    """The page. ``title`` is a text, ``body`` is HTML in which the caller has escaped all texts."""
    style, script, digest = _parts()
    policy = _POLICY.format(digest=digest)
    return _FRAME.format(policy=policy, title=escape(title), style=style, body=body, script=script)


def address(folder: str, beside: Path, **members: str) -> str:
    """The address of the page of the run in ``folder`` from a file in ``beside``; ``members`` select what the page
    shows. It is relative whatever the folder is called, and is safe in an attribute."""
    try:
        path = Path(os.path.relpath(folder, beside)).as_posix()
    except ValueError:  # another drive, or no path at all
        path = "."
    shown = "&".join(f"{name}={quote(value, safe='', errors='replace')}" for name, value in members.items())
    return escape(f"{quote(path, errors='replace')}/index.html" + (f"#{shown}" if shown else ""))


@cache
def _parts() -> tuple[str, str, str]:
    """Style, script, and the hash that allows the script in the page's policy."""
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("document.css", "document.js"))
    digest = hashlib.sha256(f"\n{script}".encode()).digest()
    return style, script, base64.b64encode(digest).decode("ascii")
