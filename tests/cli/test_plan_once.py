"""A run plans its matrix once, and opens its target twice: to ask what it declares, and to run it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from harness.cli import run as run_module
from harness.cli.main import main
from harness.runner import opening


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    count: Counter[str] = Counter()

    def counted(name: str) -> None:
        original = getattr(opening, name)

        def call(*arguments: Any, **named: Any) -> Any:
            count[name] += 1
            return original(*arguments, **named)

        monkeypatch.setattr(opening, name, call)

    counted("matrix")
    counted("open_target")
    monkeypatch.setattr(run_module, "open_target", opening.open_target)
    return count


def test_a_run_plans_once(called: Counter[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["run", "-k", "answer.openai-chat.whole", "--target", "wire-only", "-j", "1", "--out", str(tmp_path)])
    assert left.value.code == 0, capsys.readouterr().out
    assert called == {"matrix": 1, "open_target": 2}
