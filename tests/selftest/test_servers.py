"""``harness lab selftest --servers``: each rule about servers and gateways has a mutant, and what is sound is clean."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from harness.cli import main
from harness.loop.sessions.wire_only import Answered
from harness.servers.probing import Probe, StepOutcome
from harness.servers.rules import every_rule
from harness.servers.rules.table import TRANSFER_RULES
from harness.wire import OWN_NATIVE_WIRES, wire
from harness_lab.mutants.probed import SERVER_MUTANTS, AskedRequest, ProbedServer, ServerMutant
from harness_lab.mutants.responses import TRANSFERS, response_mutants
from harness_lab.selftest.probes import outcomes, probes_of
from harness_lab.selftest.servers import gateways, servers_of
from harness_lab.selftest.summary import SelftestSummary

PROBED = [name for name in OWN_NATIVE_WIRES if wire(name).probe is not None]


@pytest.mark.parametrize("name", OWN_NATIVE_WIRES)
def test_every_rule_about_the_answers_of_a_wire_is_proven(name: str) -> None:
    family = servers_of(name)
    assert SelftestSummary.of([family]).failures == ()
    assert set(family.rules) == family.killed & set(family.rules)
    assert len(family.clean) > 20


def test_every_rule_about_gateways_is_proven_between_two_wires() -> None:
    """The ones with the least in common: the one cannot say an order, the other no cut arguments."""
    family = gateways(list(product(("openai-chat", "gemini-generate"), repeat=2)))
    assert SelftestSummary.of([family]).failures == ()
    assert family.killed >= {rule.id for rule in TRANSFER_RULES} - {"SX-PHASE"}  # neither has phases


@pytest.mark.exhaustive
def test_every_rule_about_gateways_is_proven_between_all_wires() -> None:
    usual = [name for name in OWN_NATIVE_WIRES if not wire(name).on_request]
    family = gateways(list(product(usual, repeat=2)))
    assert SelftestSummary.of([family]).failures == ()
    assert len(family.clean) == 16


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PROBED)
def test_every_rule_that_a_probe_judges_is_proven(name: str) -> None:
    family = asyncio.run(probes_of(name))
    assert SelftestSummary.of([family]).failures == ()
    assert set(family.rules) == family.killed & set(family.rules)


@pytest.mark.parametrize("name", PROBED)
def test_a_sound_server_shows_every_step(name: str) -> None:
    hidden = {each.step: each.not_shown for each in asyncio.run(outcomes(name)) if each.not_shown}
    lenient = {"unanswered-call": "the provider takes such a request, too"} if name == "gemini-generate" else {}
    assert hidden == lenient


def test_a_mock_server_without_an_answer_to_a_continuation_shows_nothing() -> None:
    def results(asked: AskedRequest) -> bool:
        return any(message.results for message in asked.conversation.messages) and not asked.own

    came = asyncio.run(outcomes("openai-chat", ServerMutant("mock", "It has no answer.", fails=results, status=404)))
    (continuation,) = (each for each in came if each.step == "continuation")
    assert (continuation.findings, continuation.not_shown) == ((), "HTTP 404: the server has no answer to it")


def test_a_connection_that_was_closed_while_it_was_idle_is_no_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, closed = ProbedServer.post, set[bytes]()

    async def post(self: ProbedServer, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        if body not in closed:
            closed.add(body)
            return Answered(0, {}, b"", "Server disconnected without sending a response.")
        return await answer(self, path, headers, body)

    monkeypatch.setattr(ProbedServer, "post", post)
    wire_probe = Probe(wire("openai-chat"), "m", ProbedServer("openai-chat"), "key", keyed=False, budget=99)
    came = asyncio.run(all_of(wire_probe))
    assert [each for each in came if each.findings] == []
    assert len(closed) > 5


async def all_of(probe: Probe) -> list[StepOutcome]:
    return [each async for each in probe.outcomes()]


def test_every_rule_that_can_be_judged_has_a_mutant() -> None:
    """Whatever shows that it is broken; only what is permitted is never broken."""
    proven = {rule for name in OWN_NATIVE_WIRES for mutant in response_mutants(name) for rule in mutant.rules}
    proven |= {mutant.rule for mutant in TRANSFERS} | {"SX-SAME", "SX-HISTORY"}  # which judge two answers
    proven |= {also for rule in proven for also in every_rule()[rule].also}
    proven |= {mutant.named(name) for mutant in SERVER_MUTANTS for name in PROBED}
    unproven = {rule.id for rule in every_rule().values() if rule.id not in proven}
    assert unproven == {rule.id for rule in every_rule().values() if rule.permits}
    assert {rule.id for rule in every_rule().values() if rule.shown_by == "nothing"} == unproven


def test_every_mutant_has_a_name_of_its_own() -> None:
    for name in OWN_NATIVE_WIRES:
        names = [mutant.name for mutant in response_mutants(name)]
        assert len(names) == len(set(names))


@pytest.mark.slow
def test_the_command_prints_what_it_has_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--wire", "gemini-generate", out=tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["servers", "probes", "gateways"]
    assert "0 survived" in lines[-1]
    assert lines[-1].endswith(": 0 findings")
    written = json.loads((tmp_path / "matrix.json").read_text(encoding="utf-8"))
    assert written["families"][0]["kills"]["SG-01"] == ["no-signature"]
    assert "finishReason is one of the enumeration" in (tmp_path / "matrix.md").read_text(encoding="utf-8")


def test_a_reader_that_finds_nothing_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = replace(wire("gemini-generate"), strict=lambda response: [])
    monkeypatch.setattr("harness.servers.rules.judging.wire", lambda name: blind)
    assert run("--wire", "gemini-generate", out=tmp_path) == 1
    assert "SG-04 is not killed" in capsys.readouterr().out


def test_a_rule_cannot_be_chosen_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--rule", "stream/text", out=tmp_path) == 2
    assert "leave it out beside --servers" in capsys.readouterr().err


def run(*arguments: str, out: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["lab", "selftest", "--servers", "--out", str(out), *arguments])
    code = ended.value.code
    assert isinstance(code, int)
    return code
