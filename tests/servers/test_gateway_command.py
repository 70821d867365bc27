"""``harness gateway`` end to end: a program in the middle, behind a seal where there is one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness.cli.gateway_run import GatewayOptions, gateway
from harness.errors import BadInput
from harness.report.files import read_results
from harness.report.formats import BUILT_IN, rendered

PROGRAM = Path(__file__).with_name("identity_gateway.py")


def preset(folder: Path, fault: str = "") -> str:
    """The file of the identity gateway."""
    path = folder / "identity.yaml"
    path.write_text(
        f"gateway: identity\n"
        f"command: {sys.executable} {PROGRAM} {{port}} {fault}\n"
        f"upstreams:\n"
        f"  openai-chat: {{model: gpt-4.1, clients: [openai-chat]}}\n"
        f"  anthropic-messages: {{model: claude-sonnet-4-6, clients: [anthropic-messages]}}\n",
        encoding="utf-8",
    )
    return str(path)


def options(folder: Path, fault: str = "", **more: object) -> GatewayOptions:
    return GatewayOptions(preset=preset(folder, fault), out=folder / "out", scenarios=["call"], **more)  # type: ignore[arg-type]


def test_a_gateway_that_passes_everything_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gateway(options(tmp_path)) == 0
    printed = capsys.readouterr().out
    assert "gateway identity: 2 pairs, 4 cases, 9 requests of it to our models" in printed
    assert "4 passed, 0 failed" in printed


def test_what_is_lost_and_what_follows_are_one_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gateway(options(tmp_path, "drops-the-signature", only_streams=True)) == 1
    printed = capsys.readouterr().out
    assert "1 cause\n" in printed
    assert "SX-SIG (1 case)" in printed
    assert "ANT-1" in printed  # what the model's wire says of the next request
    assert "pairs     anthropic-messages <- anthropic-messages" in printed


def test_results_are_those_of_any_run(tmp_path: Path) -> None:
    assert gateway(options(tmp_path, "drops-the-signature")) == 1
    result = read_results(tmp_path / "out" / "results.json")
    assert result.target == "identity"
    for name in BUILT_IN:
        assert rendered(name, result, tmp_path / "out")
    case = next(each for each in result.cases if each.verdict == "fail")
    trace = (tmp_path / "out" / str(case.trace)).read_text(encoding="utf-8").splitlines()
    kinds = [json.loads(line).get("conversation") for line in trace[1:] if "body" in json.loads(line)]
    assert {None, 1} <= set(kinds)  # what reached the model, and what the client sent


def test_a_baseline_expects_findings(tmp_path: Path) -> None:
    baseline = tmp_path / "known.yaml"
    baseline.write_text(
        "baseline: identity\n"
        "findings:\n"
        "  - cases: ['*.anthropic-messages.to-anthropic-messages']\n"
        "    rules: [SA-07, SX-SIG, ANT-14, ANT-15]\n"
        "    reason: The gateway has no place for signatures.\n",
        encoding="utf-8",
    )
    assert gateway(options(tmp_path, "drops-the-signature", baseline=str(baseline), only_streams=True)) == 0


def test_a_gateway_that_ends_is_bad_input_with_what_it_has_printed(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"(?s)the gateway identity has ended with code 1; it has printed:.*KeyError: 'no-such"
    ):
        gateway(options(tmp_path, "no-such-fault"))


def test_options_that_fit_no_gateway(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="expected a gateway, got none"):
        gateway(GatewayOptions(out=tmp_path))
    with pytest.raises(BadInput, match="expected a gateway on this machine"):
        gateway(GatewayOptions(url="http://gateway.example.com", models=["openai-chat=m"], out=tmp_path))
    with pytest.raises(BadInput, match=r"--model chat=m: expected UPSTREAM=NAME"):
        gateway(GatewayOptions(url="http://127.0.0.1:1", models=["chat=m"], out=tmp_path))
    with pytest.raises(BadInput, match="--url needs the models"):
        gateway(GatewayOptions(url="http://127.0.0.1:1", out=tmp_path))


def test_a_port_at_which_nobody_listens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = GatewayOptions(
        url="http://127.0.0.1:9", models=["openai-chat=m"], clients=["openai-chat"], scenarios=["text"], out=tmp_path
    )
    with pytest.raises(BadInput, match=r"^http://127\.0\.0\.1:9: no server answers \(.+\); start it, or name another"):
        gateway(chosen)
    captured = capsys.readouterr()
    assert "the model of openai-chat is at http://127.0.0.1:" in captured.err
    assert "gateway/request" not in captured.out
