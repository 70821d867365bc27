"""The files of the CI kit, and what reads them where it is installed."""

from __future__ import annotations

import json
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from harness.cli.command_line import parser

ROOT = Path(__file__).resolve().parents[2]


def schema(name: str) -> jsonschema.protocols.Validator:
    """The schema of a service's files, as check-jsonschema ships it. The test is skipped where that is not there."""
    package = find_spec("check_jsonschema")
    if package is None or package.origin is None:
        pytest.skip("the schemas are not installed (pip install check-jsonschema)")
    file = Path(package.origin).parent / "builtin_schemas" / "vendor" / f"{name}.json"
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return jsonschema.validators.validator_for(document)(document)


def is_harness_command(line: str) -> bool:
    """Whether a line of shell is a call of ``harness`` that it takes; ``SystemExit`` for one that it does not."""
    words = shlex.split(line.partition(">>")[0])
    if words[:1] != ["harness"]:
        return False
    parser().parse_args(words[1:])
    return True
