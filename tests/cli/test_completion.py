"""``harness completion``: what is handed to shtab, which writes the script."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.commands import Printed


def test_names_that_are_known_are_completed(harness: Callable[..., Printed], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[argparse.ArgumentParser] = []

    def complete(parser: argparse.ArgumentParser, shell: str) -> str:
        made.append(parser)
        return f"a script for {shell}"

    fake = SimpleNamespace(complete=complete, FILE="files", DIRECTORY="folders")
    monkeypatch.setitem(sys.modules, "shtab", fake)
    assert harness("completion", "zsh") == Printed(0, "a script for zsh\n", "")
    (commands,) = [action for action in made[0]._actions if isinstance(action, argparse._SubParsersAction)]
    assert commands.help != argparse.SUPPRESS, "shtab leaves out what is suppressed"
    run = {action.dest: action for action in commands.choices["run"]._actions}
    assert {"pydantic-ai", "reference:hugind"} <= set(run["target"].choices or ())
    assert {"all", "core", "hugind"} <= set(run["suites"].choices or ())
    assert {"preview", "order/tool-start-once", "ANT-15"} <= set(run["rules"].choices or ())
    assert (run["paths"].complete, run["out"].complete) == ("files", "folders")
    subject = commands.choices["explain"]._actions[1]
    assert {"continuation", "content-filter"} <= set(subject.choices or ())


def test_without_shtab_it_says_what_to_install(
    harness: Callable[..., Printed], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    printed = harness("completion", "bash")
    assert (printed.code, "pip install 'agent-loop-harness[completion]'" in printed.err) == (2, True)
