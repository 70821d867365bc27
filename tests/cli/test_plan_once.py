"""A run plans its matrix once, and opens its target once in each process: in this one to ask what it declares.

A loop inside the harness that this process also runs is opened once more, at the endpoint of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.cli import drive as run_module
from harness.doctor import probing
from harness.runner import opening
from tests.commands import Printed

COUNT: Counter[str] = Counter()
ORIGINALS: dict[str, Callable[..., Any]] = {"matrix": opening.matrix, "open_target": opening.open_target}


@dataclass(frozen=True)
class Counted:
    """A function of ``opening`` whose calls in this process are counted; workers get it by its name."""

    name: str

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        COUNT[self.name] += 1
        return ORIGINALS[self.name](*arguments, **named)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    COUNT.clear()
    for name in ORIGINALS:
        monkeypatch.setattr(opening, name, Counted(name))
    for module in (run_module, probing):
        monkeypatch.setattr(module, "open_target", opening.open_target)
    return COUNT


def test_a_run_plans_once(called: Counter[str], tmp_path: Path, harness: Callable[..., Printed]) -> None:
    printed = harness("run", "-k", "answer.openai-chat.whole", "--target", "wire-only", "-j", "1", "--out", tmp_path)
    assert printed.code == 0, printed.out
    assert called == {"matrix": 1, "open_target": 2}


LOOP = """
from urllib.request import Request, urlopen
import json

def run(case):
    body = {"model": case.model, "messages": [{"role": role, "content": text} for role, text in case.prompt]}
    head = {"content-type": "application/json", "authorization": "Bearer x"}
    answer = urlopen(Request(case.base_url + "/v1/chat/completions", json.dumps(body).encode(), head))
    return json.load(answer)["choices"][0]["message"]["content"]
"""


def test_a_target_whose_loops_run_elsewhere_is_opened_here_to_be_asked_alone(
    called: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harness: Callable[..., Printed]
) -> None:
    (tmp_path / "plain_loop.py").write_text(LOOP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    words = "run -k answer.openai-chat.whole --target plain_loop:run --wire openai-chat --out o"
    printed = harness(*words.split())
    assert "answer.openai-chat.whole" in (tmp_path / "o" / "results.json").read_text(encoding="utf-8")
    assert called == {"matrix": 1, "open_target": 1}, printed.out
