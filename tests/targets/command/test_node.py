"""The guard in Node's processes: nothing leaves the machine by any way that Node has, and loopback stays open."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.targets.command import CommandTarget
from tests.targets.command.running import ANTHROPIC, run, scenarios

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

GUARD = Path("harness/targets/node/guard.cjs").resolve()

EVERY_WAY = """
import dgram from "node:dgram";
import { Resolver, lookup, promises } from "node:dns";
import https from "node:https";
import net, { connect } from "node:net";

const codes = [];
const note = (error) => codes.push(error.cause?.code ?? error.code);
const fails = (start) => new Promise((done) => start((error) => done(note(error))));
await fetch("https://api.example.invalid/x").catch(note);
await fetch("http://192.0.2.1/x").catch(note);
await fails((done) => connect(443, "192.0.2.1").on("error", done));
await fails((done) => https.get("https://api.example.invalid/").on("error", done));
await fails((done) => lookup("b.example.invalid", { all: true }, done));
await promises.resolve4("c.example.invalid").catch(note);
await fails((done) => new Resolver().resolveTxt("d.example.invalid", done));
try { dgram.createSocket("udp4").send("x", 53, "192.0.2.1"); } catch (error) { note(error); }

const server = net.createServer((socket) => socket.end("here")).listen(0, "127.0.0.1", () => {
  net.connect(server.address().port, "localhost").on("data", (data) => {
    console.log(codes.join(" "), String(data));
    server.close();
  });
});
"""

AGENT = """
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { base_url, model } = JSON.parse(line);
  const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "Say hello." }] });
  const headers = { "content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01" };
  const answer = await (await fetch(`${base_url}/v1/messages`, { method: "POST", headers, body })).json();
  console.log(JSON.stringify({ event: "assistant", id: "1", text: answer.content[0].text }));
  await fetch("https://api.example.invalid/telemetry").catch(() => {});
  break;
}
process.stdin.destroy();  // it stays open, and Node would wait for it
"""


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
