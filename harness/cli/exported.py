"""Sends the spans of a run to a file, or to the collector that a user has named."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from harness.errors import BadInput
from harness.ground.disk import problem
from harness.report.formats import rendered
from harness.runner.results import RunResult

_SECONDS = 30.0
"""How long a collector may take for one case."""


def check_destination(where: str) -> None:
    """Raise ``BadInput`` for an address that is not HTTP, and for an existing file. It is called before anything
    runs."""
    if "://" in where:
        split = urlsplit(where)
        if split.scheme not in ("http", "https") or not split.hostname:
            raise BadInput(f"--otlp {where}: expected a file, or an address like http://localhost:4318/v1/traces")
    elif Path(where).exists():
        raise BadInput(f"--otlp {where}: the file is there already; choose another name")


def send_spans(result: RunResult, folder: Path, where: str) -> None:
    """Write the cases of a run as spans to a file, or post each to an address. Raises ``BadInput`` if that fails."""
    text = rendered("otlp", result, folder)
    if "://" not in where:
        try:
            Path(where).write_text(text, encoding="utf-8")
        except OSError as error:
            raise problem(error, f"--otlp {where}: cannot be written") from error
        return
    with httpx2.Client(timeout=_SECONDS) as client:
        for line in text.splitlines():
            _post(client, where, json.loads(line))


def _post(client: httpx2.Client, where: str, document: object) -> None:
    try:
        answer = client.post(where, json=document)
    except httpx2.HTTPError as error:
        raise BadInput(f"--otlp {where}: the spans were not taken: {error}") from error
    if answer.status_code >= 300:
        raise BadInput(f"--otlp {where}: the spans were not taken: HTTP {answer.status_code}")
