"""The page's files as they are served, with their response headers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.preview import PREVIEW

_FOLDER = Path(__file__).parent / "page"

_POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    # A srcdoc frame is bound by this policy as well as by its own (preview.js): what pages need to look like
    # themselves without the network must be allowed here. The page itself has no inline style and no image.
    "style-src 'self' 'unsafe-inline'",
    "img-src data:",
    "font-src data:",
    "frame-src 'none'",  # srcdoc is exempt; a link in the frame that leads anywhere is not
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    # Only what has passed through this policy of preview.js may become markup; anything else throws.
    "require-trusted-types-for 'script'",
    "trusted-types preview",
)

_HEADERS = {
    "Content-Security-Policy": "; ".join(_POLICY),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-DNS-Prefetch-Control": "off",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of the page with its response headers."""

    headers: Mapping[str, str]
    body: bytes


def _read() -> dict[str, PageFile]:
    files = {
        f"/{path.name}": PageFile(
            {"Content-Type": f"{_TYPES[path.suffix]}; charset=utf-8", **_HEADERS}, path.read_bytes()
        )
        for path in (*sorted(_FOLDER.iterdir()), PREVIEW)
        if path.suffix in _TYPES
    }
    return {"/": files["/index.html"], **files}


PAGE: Mapping[str, PageFile] = _read()
"""Every file by its path on the server."""
