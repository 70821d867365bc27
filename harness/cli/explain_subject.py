"""``harness explain``: what a rule or a family of rules states, what a provider demands, what another finding means,
what a scenario scripts, or which rule a provider's error is about."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator, Mapping
from typing import Final, cast

from harness.cli.explain_error import error_lines, explained_error
from harness.cli.explain_wire_rule import explained, short, wire_rule
from harness.errors import BadInput
from harness.finding import Impact
from harness.ground.data_files import read_data_in
from harness.report.causes import CATEGORY_WORDS, Category
from harness.report.entries import category_of
from harness.report.explanations import FINDINGS
from harness.report.json_output import ExplainedFamily, ExplainedRule, ExplainedScenario, Explanation, as_json
from harness.rules import RULES, Rule, families, rule
from harness.rules.model import PROOFS
from harness.runner.judging import NETWORK
from harness.scenario import Cut, HttpErrorStep, Scenario, Step, load, outline, shipped, suite_of
from harness.scenario.words import either
from harness.servers.rules import ResponseRule, every_rule
from harness.wire import Call, Part, ThinkingPart, WireRule, wire, wire_names, wire_rules
from harness.wire.channels import words

STATEMENTS: Final[Mapping[str, str]] = {
    "order": "Every call starts once and ends once, in order, and nothing is emitted after the end.",
    "stream": "The text that the loop emits is the text that the model sent.",
    "preview": "Partial arguments that the loop emits are prefixes of the arguments, grow, and are complete at the "
    "end; no tool runs before its arguments are complete.",
    "timing": "Text, thinking and previews are emitted soon after their bytes have arrived.",
    "reported": "What the loop reports of its calls and of the run is what was done.",
    "offered": "The model is offered the prompt and the tools that the loop was given, whole.",
    "execution": "No tool runs on broken arguments, unnecessarily, or before it is approved; calls run at the same "
    "time where that is promised.",
    "guardrail": "The turn limit: the loop sends exactly as many requests as it allows, and reports that it stopped.",
    "retry": "Failed calls and failed requests are retried within bounds.",
    "socket": f"A {words('label')} gets one request at a time, few are opened, and a run outlives each of them.",
    "continuation": "The provider's own rules for requests, with the error that the provider answers.",
    "history": "The history is append-only: the model's turn is sent back unchanged, with one result for every call, "
    "in order.",
    "caller": "A cancelled run ends, and its calls have results; what the user says is sent once; a conversation that "
    "is compacted, resumed or switched goes on with what the provider accepts.",
    "agui": "A stream of the protocol AG-UI begins and ends each run, message, call and step once, in order.",
    "final": "Truncated and refused turns run nothing, and a broken stream is not reported as a success.",
}
"""What the rules of each family are about."""


def explain(subject: str, *, format: str = "terminal") -> int:
    """Print the explanation, as text or as JSON (``report.json_output.Explanation``).

    Raises ``BadInput`` for a subject that is neither a rule nor a family of rules nor another finding nor a scenario,
    and for a text that is no error which a rule is about.
    """
    explanation = _explanation(subject)
    if format == "json":
        print(as_json(explanation))
    elif subject in wire_rules():
        print("\n".join(explained(wire_rules()[subject])))
    else:
        print("\n".join(_lines(explanation)))
    return 0


def _explanation(subject: str) -> Explanation:
    if subject in wire_rules():
        return Explanation(rule=wire_rule(wire_rules()[subject]))
    paths = {scenario.name: scenario.path for scenario in outline([shipped()])}
    if subject in paths:
        (scenario,) = load([paths[subject]])
        return Explanation(scenario=_scenario(scenario))
    if subject in families():
        return Explanation(family=_family(subject))
    if subject in FINDINGS:
        return Explanation(rule=_finding(subject))
    if subject in every_rule():
        return Explanation(rule=_of_answers(every_rule()[subject]))
    if (of_runs := _of_runs(subject)) is not None:
        return Explanation(rule=of_runs)
    if _is_text(subject):
        return Explanation(error=explained_error(subject))
    try:
        return Explanation(rule=_rule(rule(subject)))
    except BadInput:
        raise BadInput(
            _unknown(subject, [*RULES, *families(), *FINDINGS, *wire_rules(), *every_rule(), *paths])
        ) from None


def _is_text(subject: str) -> bool:
    """Whether the subject is a provider's error message: no name has a space or a bracket."""
    return bool(set(subject) & set(" \n\t{["))


def _rule(found: Rule) -> ExplainedRule:
    return ExplainedRule(
        found.id,
        found.level,
        category_of(found.id, found.level, found.impact),
        found.statement,
        found.why,
        found.profiles,
        sources=(found.source,),
    )


def _finding(name: str) -> ExplainedRule:
    """A finding that no rule makes: a missed expectation of a scenario, a miss of a cassette, a fault of a target."""
    statement, why = FINDINGS[name]
    impact: Impact = "unsafe" if name == NETWORK else "expectation"
    return ExplainedRule(name, "MUST", category_of(name, "MUST", impact), statement, why)


def _of_answers(found: ResponseRule) -> ExplainedRule:
    """A rule about responses of servers and gateways."""
    severity = "ALLOWED" if found.permits else found.level
    category = "" if found.permits else category_of(found.family, found.level, found.impact)
    return ExplainedRule(found.id, severity, category, found.statement, found.recordings, sources=found.evidence)


def _of_runs(subject: str) -> ExplainedRule | None:
    """A rule about runs of tools in production traces; None for any other subject."""
    if not subject.startswith("T-"):
        return None
    from harness.spans.tool_runs import RUN_RULES

    found = next((each for each in RUN_RULES if each.id == subject), None)
    if found is None:
        return None
    category = category_of("tool-runs", found.level, found.impact)
    return ExplainedRule(found.id, found.level, category, found.statement, found.why, sources=(_TRACES,))


_TRACES: Final = "docs/lint-trace.md, Runs of tools"


def _family(name: str) -> ExplainedFamily:
    """A family of the harness's rules. Behind a rule that reports a provider's own rules, these follow."""
    rules = []
    for each in RULES.values():
        if each.family == name:
            rules.append(_rule(each))
            rules += [short(own) for own in _own_rules(each.id)]
    return ExplainedFamily(name, STATEMENTS[name], tuple(rules))


def _own_rules(id: str) -> list[WireRule]:
    """The provider's own rules that ``continuation/WIRE`` reports."""
    _, _, name = id.partition("/")
    return [each for each in wire(name).rules if not each.permits] if name in wire_names() else []


def _scenario(scenario: Scenario) -> ExplainedScenario:
    return ExplainedScenario(
        scenario.name,
        scenario.profile,
        " ".join(scenario.summary.split()),
        {name: suite_of(scenario, name) for name in scenario.wires},
        tuple(scenario.chunkings),
        tuple(tool.declaration.name for tool in scenario.tools),
        tuple(map(_step, scenario.steps)),
        tuple(scenario.expect.outcome),
        str(scenario.path),
        scenario.dialects,
    )


# --- as text ---------------------------------------------------------------------------------------------------


def _lines(explanation: Explanation) -> Iterator[str]:
    if explanation.rule is not None:
        yield from _rule_lines(explanation.rule)
    if explanation.family is not None:
        yield from _family_lines(explanation.family)
    if explanation.scenario is not None:
        yield from _scenario_lines(explanation.scenario)
    if explanation.error is not None:
        yield from error_lines(explanation.error)


def _rule_lines(found: ExplainedRule) -> Iterator[str]:
    category = f", {CATEGORY_WORDS[cast(Category, found.category)]}" if found.category else ""
    yield f"{found.id}  {found.severity}{category}\n"
    yield "\n\n".join(_paragraph(text) for text in (found.statement, found.why) if text) + "\n"
    if found.profiles:
        yield f"profiles: {', '.join(found.profiles)}"
    if found.sources:
        yield f"source: {', '.join(found.sources)}"
    yield from _proof_lines(found.id)


def _proof_lines(id: str) -> Iterator[str]:
    """The sentences of the wrong runs that prove a rule."""
    proof = read_data_in(PROOFS[id], f"the proof of {id}") if id in PROOFS else {}
    for row in proof.get("wrong", {}).values():
        yield f"wrong, for example: {row[0] if isinstance(row, list) else row}"


def _family_lines(family: ExplainedFamily) -> Iterator[str]:
    yield f"{family.id}  a family of {len(family.rules)} rules\n"
    yield f"{_paragraph(family.statement)}\n"
    width = max(len(found.id) for found in family.rules)
    for found in family.rules:
        yield f"  {found.id:<{width}}  {found.severity:<6}  {_first_line(found.statement)}"
    yield f"\n'harness explain {family.rules[0].id}' explains one of them"


def _first_line(text: str) -> str:
    return textwrap.shorten(text, 100, placeholder=" ...")


def _unknown(subject: str, known: list[str]) -> str:
    close = difflib.get_close_matches(subject, known, n=3)
    hint = (
        f"did you mean {' or '.join(close)}?"
        if close
        else "'harness list' shows the scenarios, docs/rules.md the rules"
    )
    return f"no rule and no scenario is called {subject!r}; {hint}"


def _paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 100, break_on_hyphens=False)


def _scenario_lines(scenario: ExplainedScenario) -> Iterator[str]:
    wires = list(scenario.suites)
    yield f"{scenario.name}  ({scenario.profile})\n"
    yield f"{_paragraph(scenario.summary)}\n"
    yield f"wires     {'all' if len(wires) == len(wire_names()) else ', '.join(wires)}"
    yield f"suites    {_suites(scenario.suites)}"
    yield f"chunking  {', '.join(scenario.chunkings)}"
    if scenario.dialects:
        yield f"dialects  {', '.join(scenario.dialects)}"
    yield f"tools     {', '.join(scenario.tools) or 'none'}"
    for number, step in enumerate(scenario.steps, 1):
        yield f"step {number:<4} {step}"
    yield f"expects   {either(scenario.outcomes)}"
    yield f"file      {scenario.file}"


def _suites(suites: Mapping[str, str]) -> str:
    wires: dict[str, list[str]] = {}
    for name, suite in suites.items():
        wires.setdefault(suite, []).append(name)
    return (
        ", ".join(wires) if len(wires) == 1 else "; ".join(f"{suite} on {', '.join(on)}" for suite, on in wires.items())
    )


def _kind(part: Part) -> str:
    return "thinking" if isinstance(part, ThinkingPart) else type(part).__name__.lower()


def _how_far(cut: Cut) -> str:
    return f"{cut.after} events" if cut.parts is None else f"{cut.parts} parts"


def _step(step: Step) -> str:
    if isinstance(step, HttpErrorStep) and step.connection:
        return f"no answer: the connection is {step.connection}"
    if isinstance(step, HttpErrorStep):
        error = f"HTTP error {step.kind}" if step.kind else f"HTTP {step.status}"
        return f"{error}, and the connection is {step.breaks} in its body" if step.breaks else error
    turn = step.turn
    parts = [f"calls {part.name}" if isinstance(part, Call) else _kind(part) for part in turn.parts]
    broken = [f"then {step.cut.how} after {_how_far(step.cut)}"] if step.cut else []
    broken += [f"then the error {turn.error.kind}"] if turn.error else []
    broken += ["without a terminal event"] if turn.ending == "eof" else []
    return " ".join([", ".join(parts) or "says nothing", *broken, f"[{turn.stop}]"])
