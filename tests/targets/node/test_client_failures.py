"""What the client for Node makes of an error by its shape (``failureOf``), and of an event that fills the pipe."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.case_tables import from_table

CLIENT = Path(__file__).resolve().parents[3] / "clients" / "node" / "harness-client.mjs"


@from_table(__file__, "test_only_a_number_is_an_http_status")
def test_only_a_number_is_an_http_status(members: str, kind: str) -> None:
    script = f"import {{ failureOf }} from {json.dumps(CLIENT.as_uri())};"
    script += f"console.log(failureOf(Object.assign(new Error('x'), {members})).kind)"
    words = ["node", "--input-type=module", "-e", script]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() == kind


def test_an_event_is_printed_whole_before_the_loop_goes_on() -> None:
    script = f"import {{ serve }} from {json.dumps(CLIENT.as_uri())};"
    script += "await serve((task) => { task.emit({event: 'assistant', text: 'x'.repeat(300_000), id: '1'});"
    script += "process.kill(process.pid, 'SIGKILL'); });"
    words = ["node", "--input-type=module", "-e", script]
    case = json.dumps(
        {"harness": 1, "case": "c", "persistent": False, "prompt": [], "tools": [], "state": {}, "run": 1}
    )
    printed = subprocess.run(words, input=f"{case}\n", capture_output=True, text=True, check=False).stdout
    assert json.loads(printed)["text"] == "x" * 300_000
