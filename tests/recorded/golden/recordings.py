"""Recordings written by hand: a run that creates a page in one turn and says one word in the next."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from harness_lab.recorded.reading.golden import read_run
from harness_lab.recorded.run import RecordedRun

PAGE = "<html><p>Hi</p></html>"
ARGUMENTS = ['{"content"', ': "<html>', '<p>Hi</p></html>"}']

_OF_PROVIDERS: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))


def text(*chunks: str) -> dict[str, Any]:
    return {"kind": "text", "chunks": list(chunks)}


def call(*chunks: str, id: str | None = "call_1", name: str | None = "create_file", **more: Any) -> dict[str, Any]:
    return {"kind": "tool", "id": id, "name": name, "chunks": list(chunks), **more}


def started(id: str = "call_1", name: str | None = "create_file", **shown: Any) -> dict[str, Any]:
    return {"type": "toolStart", "eventId": id, "data": {"name": name, "input": shown}}


def code(value: str) -> dict[str, Any]:
    return {"type": "setCode", "value": value}


def ended(id: str = "call_1", name: str = "create_file", *, ok: bool = True, **shown: Any) -> dict[str, Any]:
    return {"type": "toolResult", "eventId": id, "data": {"name": name, "output": shown, "ok": ok}}


def said(value: str, id: str = "assistant-1") -> dict[str, Any]:
    return {"type": "assistant", "eventId": id, "value": value}


def created(provider: str = "anthropic") -> dict[str, Any]:
    """A recording without a fault, as the engine and the reference alike do it."""
    preview = [] if provider == "gemini" else [code("<html>")]
    length = len(PAGE) if provider == "gemini" else len("<html>")
    of_it = _OF_PROVIDERS[provider]
    return deepcopy(
        {
            "scenario": "created",
            "provider": provider,
            "note": "",
            "script": [
                {"parts": [text("A ", "page."), call(*ARGUMENTS)]},
                {"parts": [text("Done.")], "finish": "stop"},
            ],
            "events": [
                said("A "),
                said("page."),
                started(contentLength=length, preview=PAGE[:length]),
                *preview,
                code(PAGE),
                code(PAGE),
                ended(path="index.html", contentLength=len(PAGE), preview=PAGE),
                said("Done.", "assistant-2"),
            ],
            "requests": [
                {"path": of_it["path"], "history": of_it["beginning"]},
                {"path": of_it["path"], "history": [*of_it["beginning"], *of_it["turns"]]},
            ],
            "outcome": {"sut": "result", "completion": PAGE},
        }
    )


def run_of(script: list[Any], *, provider: str = "anthropic", events: list[Any] | None = None) -> dict[str, Any]:
    """A recording of one request, whatever the script says."""
    return {
        "scenario": "one",
        "provider": provider,
        "note": "",
        "script": script,
        "events": events or [],
        "requests": [{"path": _OF_PROVIDERS[provider]["path"], "history": _OF_PROVIDERS[provider]["beginning"]}],
        "outcome": {"sut": "result", "completion": ""},
    }


def write(folder: Path, recording: Any, name: str = "created.anthropic") -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(recording), encoding="utf-8")
    return path


def read(folder: Path, recording: Any, name: str = "created.anthropic") -> RecordedRun:
    return read_run(write(folder, recording, name))
