"""A wire of somebody else's, with binary frames: installed, served over HTTP and judged like the harness's own."""

from __future__ import annotations

import json
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

from harness.scenario import load
from harness.wire import Identity, StreamEvent
from harness.wire.chunking import CHUNKINGS, chunks
from tests.plugins import site as installing
from tests.plugins.site import built

harness = partial(installing.harness, bare=True)
ACME = Path(__file__).resolve().parent / "acme_wire"
ROOT = ACME.parent.parent.parent
SCENARIOS = ROOT / "scenarios"

WIRES = (
    "openai-responses, openai-chat, anthropic-messages, gemini-generate, text-tags, bedrock-converse, "
    "gemini-interactions, acme-frames"
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ACME, tmp_path_factory.mktemp("acme-wire"))


def verdicts(folder: Path) -> dict[str, str]:
    """The verdict of every case of a run."""
    read = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {case["id"]: case["verdict"] for case in read["cases"]}


def test_it_is_listed(installed: Path, tmp_path: Path) -> None:
    code, out, err = harness(installed, "plugins", cwd=tmp_path)
    assert (code, err) == (0, "")
    assert "acme-frames          acme-wire 0.3, acme_wire:WIRE" in out


@pytest.mark.exhaustive
def test_the_reference_loop_runs_the_shipped_scenarios_on_it(installed: Path, tmp_path: Path) -> None:
    options = ["--target", "wire-only", "--wire", "acme-frames", "--out", tmp_path]
    code, out, err = harness(installed, "run", *options, cwd=tmp_path)
    assert (code, err) == (0, "")
    ran = verdicts(tmp_path)
    skipped = {id.split(".")[0] for id, verdict in ran.items() if verdict == "skip"}
    assert set(ran.values()) == {"pass", "skip"}
    assert all(each.has_timeline for each in load([SCENARIOS]) if each.name in skipped)
    assert len(ran) > 200
    assert out.partition("scenario")[2].partition("\n")[0].split() == ["acme"], "its label is the column's"


def test_a_loop_that_reads_frames_over_http_keeps_every_rule(installed: Path, tmp_path: Path) -> None:
    options = ["--target", "acme_loop:run", "--wire", "acme-frames", SCENARIOS / "universal" / "parallel-calls.yaml"]
    code, _, _ = harness(installed, "run", *options, "--suite", "all", "--out", tmp_path, cwd=tmp_path)
    assert (code, verdicts(tmp_path)) == (0, {f"parallel-calls.acme-frames.{how}": "pass" for how in CHUNKINGS})


def test_the_rules_find_what_a_loop_does_wrong_over_http(installed: Path, tmp_path: Path) -> None:
    case = "parallel-calls.acme-frames.event"
    options = ["--target", "acme_loop:forgetful", "--wire", "acme-frames", "-k", case, "--suite", "all"]
    code, out, _ = harness(installed, "run", *options, "--out", tmp_path, cwd=tmp_path)
    assert code == 1
    assert "\n1. ACM-02, history/results  Each call has its result in the next entry\n" in out, (
        "they are about the same"
    )
    assert "history: HTTP 422 call " in out


def test_its_key_is_in_no_trace(installed: Path, tmp_path: Path) -> None:
    case = "answer.acme-frames.event"
    options = ["--target", "acme_loop:run", "--wire", "acme-frames", "-k", case, "--suite", "all"]
    assert harness(installed, "run", *options, "--out", tmp_path, cwd=tmp_path)[0] == 0
    (trace,) = (tmp_path / "traces").glob("answer.*.jsonl")
    assert '"x-acme-key":"[redacted]"' in trace.read_text(encoding="utf-8")


def test_its_responses_are_recorded_and_replayed(installed: Path, tmp_path: Path) -> None:
    scenario = ROOT / "scenarios" / "universal" / "parallel-calls.yaml"
    options = [scenario, "--target", "acme_loop:run", "--wire", "acme-frames", "--cassettes", tmp_path / "cassettes"]
    assert harness(installed, "record", *options, "--scripted", cwd=tmp_path)[0] == 0
    replay = ["--source", "cassette", "--suite", "all", "--out", tmp_path / "out"]
    code, _, _ = harness(installed, "run", *options, *replay, cwd=tmp_path)
    assert (code, verdicts(tmp_path / "out")) == (0, {"parallel-calls.acme-frames.recorded": "pass"})


ASKING = """
import json, os, urllib.request
body = {"model": "acme-1", "stream": True, "history": [{"from": "user", "says": "Hi."}], "tools": []}
answer = urllib.request.urlopen(os.environ["ACME_BASE_URL"] + "/converse", json.dumps(body).encode())
print(answer.headers["content-type"], answer.read(4))
"""


def test_a_program_finds_the_endpoint_by_the_variables_of_its_provider(installed: Path, tmp_path: Path) -> None:
    code, out, _ = harness(installed, "serve", "--", sys.executable, "-c", ASKING, cwd=tmp_path)
    assert code == 0
    assert "application/vnd.acme.frames b'\\x00\\x00\\x00\\x1b'" in out


def test_its_rules_are_explained(installed: Path, tmp_path: Path) -> None:
    code, out, _ = harness(installed, "explain", "ACM-02", cwd=tmp_path)
    assert code == 0
    assert out.startswith("ACM-02  MUST, refused by the provider, on acme-frames\n")
    code, out, _ = harness(installed, "explain", "continuation/acme-frames", cwd=tmp_path)
    assert code == 0
    assert "Every request is one that acme-frames accepts after what it sent before." in out


def test_its_requests_are_known_by_what_they_have(installed: Path, tmp_path: Path) -> None:
    entry = {"from": "model", "calls": [{"id": "c1", "tool": "t", "input": "{}"}]}
    (tmp_path / "request.json").write_text(json.dumps({"model": "acme-1", "history": [entry]}), encoding="utf-8")
    code, out, _ = harness(installed, "lint-request", "request.json", cwd=tmp_path)
    assert code == 1
    assert "request.json: acme-frames, acme-1: 1 finding (1 MUST)" in out


def test_an_unknown_wire_is_bad_input_that_lists_it(installed: Path, tmp_path: Path) -> None:
    code, _, err = harness(installed, "run", "--wire", "acme-fram", cwd=tmp_path)
    assert code == 2
    assert f"expected one of {WIRES}, got 'acme-fram'; did you mean acme-frames?" in err


def test_the_reference_loop_has_no_sdk_for_it(installed: Path, tmp_path: Path) -> None:
    code, _, err = harness(installed, "run", "--wire", "acme-frames", "--out", tmp_path, cwd=tmp_path)
    assert code == 2
    assert "Traceback" not in err
    assert "no case is left" in err


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("wrong", "right", "why"),
    [
        ("WIRE = Wire(", "WIRE = dict(", "expected a harness.wire.Wire, got dict; name one"),
        ('NAME = "acme-frames"', 'NAME = "acme"', "the wire has the name 'acme'; use it there"),
        ("acme-frames = ", "text-tags = ", "has the name of a wire of the harness; rename it"),
        ("acme-frames = ", "Acme.Frames = ", "is no name in lower case with hyphens, like acme-chat; rename it"),
        ('rule_prefix="ACM"', 'rule_prefix="OAC"', "the ids of another wire's rules begin with OAC"),
        ('f"ACM-{number}"', 'f"A-{number}"', "expected rules whose ids begin with ACM-, got A-01; rename it"),
        ("acme_wire:WIRE", "acme_wire:WIRES", "cannot be loaded: AttributeError"),
    ],
    ids=["no-wire", "other-name", "taken", "malformed", "prefix", "rules", "missing"],
)
def test_what_is_wrong_with_it_is_bad_input(wrong: str, right: str, why: str, installed: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(installed, site)
    for file in (site / "acme_wire.py", *site.glob("*/entry_points.txt")):
        file.write_text(file.read_text(encoding="utf-8").replace(wrong, right), encoding="utf-8")
    code, _, err = harness(site, "explain", "order/turn-count", cwd=tmp_path)
    assert code == 2
    assert why in err
    assert "Traceback" not in err
    code, out, err = harness(site, "plugins", cwd=tmp_path)
    assert code == 2
    assert why in f"{out}{err}"


def test_two_added_wires_with_the_same_prefix_are_bad_input(installed: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(installed, site)
    other = "from dataclasses import replace\nimport acme_wire\nWIRE = replace(acme_wire.WIRE, name='later-frames')\n"
    (site / "later_wire.py").write_text(other, encoding="utf-8")
    (site / "later-1.0.dist-info").mkdir()
    (site / "later-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: later\nVersion: 1.0\n")
    points = "[harness.wires]\nlater-frames = later_wire:WIRE\n"
    (site / "later-1.0.dist-info" / "entry_points.txt").write_text(points, encoding="utf-8")
    code, _, err = harness(site, "explain", "ACM-02", cwd=tmp_path)
    assert code == 2
    assert "later: its entry point 'later-frames' in harness.wires" in err
    assert "the ids of another wire's rules begin with ACM; choose other letters" in err


def test_frames_are_read_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ACME))
    monkeypatch.delitem(sys.modules, "acme_wire", raising=False)
    import acme_wire  # type: ignore[import-not-found]

    said = [{"id": "turn_1"}, {"text": "Tromsø"}, {"stop": "end", "used": [1, 2]}]
    framed = [acme_wire.frame(value) for value in said]
    for how in CHUNKINGS:
        reader = acme_wire.FRAMES.reader()
        events = [event for piece in chunks(framed, how) for event in reader.feed(piece)]
        assert events == [StreamEvent(json.dumps(value)) for value in said], how
    assert list(acme_wire.FRAMES.events(b"".join(framed)[:-1])) == [
        StreamEvent(json.dumps(value)) for value in said[:2]
    ]
    assert acme_wire.WIRE.error(503, Identity("x")).status == 503


def test_the_page_shows_the_package_as_it_is() -> None:
    page = (ROOT / "docs" / "add-a-wire.md").read_text(encoding="utf-8")
    for file in ("acme_wire.py", "acme_loop.py", "pyproject.toml"):
        assert (ACME / file).read_text(encoding="utf-8") in page, file
