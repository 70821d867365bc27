"""Rules that only a probe can judge, against servers with one mistake each, and against a sound one."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import replace

from harness.servers.preset import KEY
from harness.servers.probing import Probe, StepOutcome, requests_of
from harness.servers.rules import every_rule, probe_rule
from harness.wire import WireName, wire
from harness_lab.mutants.probed import PROBE_RULES, SERVER_MUTANTS, ProbedServer, ServerMutant
from harness_lab.selftest.mutant_run import Family, Found, MutantRun


def judged_by_probes(name: WireName) -> tuple[str, ...]:
    """The rules that a probe of a wire's servers judges: the rules of the table, and the probe's own."""
    steps = dict.fromkeys(rule.probe for rule in every_rule().values() if rule.probe)
    found = [probe_rule(name, step) for step in steps if step]
    own = () if any(rule is not None and rule.probe == "prompt tokens" for rule in found) else ("probe/tokens",)
    return (*(rule.id for rule in found if rule is not None), *PROBE_RULES, *own)


async def outcomes(name: WireName, mutant: ServerMutant | None = None) -> list[StepOutcome]:
    """The results of a probe of our server with this mutant, or of the sound server."""
    server = ProbedServer(name) if mutant is None else ProbedServer(name, mutant)
    probe = Probe(wire(name), "m", server, KEY, True, requests_of(wire(name)) + 1)
    return [outcome async for outcome in probe.outcomes()]


async def probes_of(name: WireName) -> Family:
    """Every rule that a probe judges on a wire, against every mistake of a server; the sound one is clean."""
    runs = [await _tried(name, mutant) for mutant in SERVER_MUTANTS if mutant.named(name)]
    clean = MutantRun("no fault", wire(name).label, found=_found(await outcomes(name)))
    return Family(f"probes {wire(name).label}", judged_by_probes(name), tuple(runs), (clean,))


async def _tried(name: WireName, mutant: ServerMutant) -> MutantRun:
    run = MutantRun(mutant.name, wire(name).label, (mutant.named(name),), summary=mutant.summary)
    try:
        return replace(run, found=_found(await outcomes(name, mutant)))
    except Exception:  # noqa: BLE001 - a check that crashes is reported as that, and the others go on
        return replace(run, crash=traceback.format_exc())


def _found(came: Sequence[StepOutcome]) -> tuple[Found, ...]:
    return tuple(
        Found(each.id, each.level, outcome.step, each.expected, each.got)
        for outcome in came
        for each in outcome.findings
    )
