"""The guard in Node's processes: nothing leaves the machine by any way that Node has, and loopback stays open."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.targets.command.target import CommandTarget
from tests.targets.command.running import ANTHROPIC, run, scenarios

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

GUARD = Path("harness/targets/node/guard.cjs").resolve()

EVERY_WAY = (Path(__file__).parent / "data" / "node_every_way.mjs").read_text(encoding="utf-8")

AGENT = (Path(__file__).parent / "data" / "node_agent.mjs").read_text(encoding="utf-8")


def test_every_way_out_is_refused_and_said(tmp_path: Path) -> None:
    file = tmp_path / "ways.mjs"
    file.write_text(EVERY_WAY, encoding="utf-8")
    ran = subprocess.run(["node", "--require", GUARD, file], capture_output=True, text=True, timeout=60, check=True)  # noqa: S607
    assert ran.stdout == f"{' '.join(['EACCES'] * 8)} here\n"
    assert ran.stderr.splitlines() == [
        "harness-guard: connect api.example.invalid:443",
        "harness-guard: connect 192.0.2.1:80",
        "harness-guard: connect 192.0.2.1:443",
        "harness-guard: connect api.example.invalid:443",
        "harness-guard: lookup b.example.invalid",
        "harness-guard: resolve4 c.example.invalid",
        "harness-guard: resolveTxt d.example.invalid",
        "harness-guard: send 192.0.2.1 (UDP)",
    ]


@pytest.mark.anyio
async def test_a_case_whose_program_wants_to_leave_the_machine_passes_and_says_whom_it_asked(tmp_path: Path) -> None:
    file = tmp_path / "agent.mjs"
    file.write_text(AGENT, encoding="utf-8")
    (tmp_path / "cases").mkdir()
    given = scenarios(tmp_path / "cases", 1)
    ran = (await run(CommandTarget("node", ("node", str(file)), ANTHROPIC), given))["case-0"]
    assert ran.result.verdict == "pass"
    (blocked,) = ran.result.blocked
    assert blocked in ("connect api.example.invalid:443", "CONNECT api.example.invalid:443")
