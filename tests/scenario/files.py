"""Small scenario files for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.scenario import Scenario, load
from tests.case_tables import value_of

HEAD = """\
scenario: small
profile: universal
summary: Small.
"""

SMALL = f"""\
{HEAD}prompt: Hello.
model:
  - text: Hi.
expect:
  outcome: completed
"""


def write(folder: Path, text: str, name: str = "a.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def loaded(folder: Path, text: str) -> Scenario:
    (scenario,) = load([write(folder, text)])
    return scenario


def problems(folder: Path, *texts: str) -> list[str]:
    """What ``load`` says of these files, ``a.yaml``, ``b.yaml`` ..., with places relative to ``folder``."""
    for name, text in zip("abc", texts, strict=False):
        write(folder, text, f"{name}.yaml")
    with pytest.raises(BadInput) as caught:
        load([folder])
    return [problem.replace(f"{folder}/", "") for problem in caught.value.problems]


MODEL_ERRORS: list[str] = value_of(__file__, "MODEL_ERRORS")
"""Steps that break the format by themselves, whatever the rest of the file says."""
