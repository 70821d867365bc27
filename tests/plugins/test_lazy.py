"""Whoever has no plugin pays for none: what is installed is read when a name is unknown otherwise."""

from __future__ import annotations

import subprocess
import sys

import pytest

from harness.cli.added import source_names
from harness.errors import BadInput
from harness.plugins import Plugin, plugins

PROGRAM = """\
import sys
{work}
print("importlib.metadata" in sys.modules)
"""


def reads_what_is_installed(work: str) -> bool:
    """Whether a process that does ``work`` reads the entry points of the environment."""
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(work=work)], capture_output=True, text=True, check=True)
    return done.stdout == "True\n"


def test_built_in_names_are_known_without_reading_what_is_installed() -> None:
    options = "from harness.cli.command_line import parsed; parsed(['run', 'x.yaml', '--source', '{}'])"
    assert not reads_what_is_installed(options.format("cassette"))
    assert reads_what_is_installed(f"try:\n    {options.format('other')}\nexcept SystemExit: pass")
    tools = "from harness.scenario.tools import scenario_tool; scenario_tool('{}')"
    assert not reads_what_is_installed(tools.format("create_file"))
    assert reads_what_is_installed(tools.format("look_up_order"))


def test_two_packages_with_one_name_are_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    same = [Plugin("harness.sources", "log", f"{each}:log", each, "1") for each in ("acme", "bolt")]
    monkeypatch.setattr("harness.plugins._installed", lambda: tuple(same))
    with pytest.raises(BadInput, match="the packages acme and bolt both have 'log' in the entry points"):
        plugins("harness.sources")
    with pytest.raises(BadInput, match="uninstall one of them"):
        _ = "log" in source_names(["script"])
    assert "script" in source_names(["script"])


def test_a_plugin_with_a_built_in_name_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Plugin("harness.sources", "live", "acme:live", "acme", "1")
    monkeypatch.setattr("harness.plugins._installed", lambda: (mine,))
    assert "live" not in source_names(["script", "cassette"])
    assert list(source_names(["script", "cassette"])) == ["script", "cassette"]
