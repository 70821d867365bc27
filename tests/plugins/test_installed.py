"""A package of somebody else's, built and installed: what it adds is part of ``harness``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from harness.trace import Assistant, load
from tests.plugins.site import anew, built, harness

ACME = Path(__file__).resolve().parent / "acme"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ACME, tmp_path_factory.mktemp("acme"))


def test_what_is_installed_is_listed_with_what_it_adds(installed: Path, tmp_path: Path) -> None:
    code, out, err = harness(installed, "plugins", cwd=tmp_path)
    assert anew(installed, "plugins", cwd=tmp_path) == (code, out, err)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    ours = [at for at, line in enumerate(lines) if " acme-harness-rules 1.2, acme_harness:" in line]
    assert lines[ours.pop()] == "example acme-harness-rules 1.2, acme_harness:example"
    assert [(lines[at], lines[at + 1]) for at in ours] == [
        ("acme acme-harness-rules 1.2, acme_harness:FEW_TOOLS", "acme/few-tools A request offers at most one tool"),
        ("acme-audit acme-harness-rules 1.2, acme_harness:AUDIT", "harness acme-audit: audit a loop of Acme's"),
        ("acme acme-harness-rules 1.2, acme_harness:TARGETS", "the loops of Acme: acme:search"),
        (
            "acme-csv acme-harness-rules 1.2, acme_harness:CSV",
            "--format acme-csv: the findings as comma-separated values",
        ),
        ("acme-terse acme-harness-rules 1.2, acme_harness:terse", "--source acme-terse: A model that says one word."),
        (
            "look_up_order acme-harness-rules 1.2, acme_harness:LOOK_UP",
            "tools: [look_up_order]: Look up an order by its number.",
        ),
    ]
    built_in = {line.partition(":")[0]: lines[at + 1] for at, line in enumerate(lines) if line.startswith("harness.")}
    assert built_in["harness.sources"] == "built in: script, cassette, live"
    assert built_in["harness.tools"].startswith("built in: create_file, edit_file, ")


@pytest.mark.slow
def test_a_rule_of_the_house_is_judged_and_explained(installed: Path, tmp_path: Path) -> None:
    selection = ["--suite", "all", "-k", "parallel-calls.openai-chat.event"]
    code, out, _ = harness(installed, "run", *selection, "--out", tmp_path, cwd=tmp_path)
    assert code == 1
    assert "\n1. acme/few-tools  A request offers at most one tool\n" in out
    assert "   MUST, opinion, 1 case\n" in out
    assert "expected  at most 1 tool in a request" in out
    code, out, _ = harness(installed, "explain", "acme/few-tools", cwd=tmp_path)
    assert code == 0
    assert "Each tool costs tokens in each turn." in out
    code, out, _ = harness(installed, "check", tmp_path / "traces", "--skip", "acme", cwd=tmp_path)
    assert (code, out) == (0, "1 trace, 0 findings\n")


def test_a_command_is_run_and_listed_in_a_group_of_its_own(installed: Path, tmp_path: Path) -> None:
    assert harness(installed, "acme-audit", "search", cwd=tmp_path) == (0, "search is audited\n", "")
    _, out, _ = harness(installed, "--help", cwd=tmp_path)
    assert "\nAcme:\n    acme-audit      audit a loop of Acme's\n" in out


@pytest.mark.slow
def test_its_targets_are_opened_by_their_prefix(installed: Path, tmp_path: Path) -> None:
    selection = ["-k", "parallel-calls.openai-chat.event", "--suite", "all", "--out", tmp_path / "out"]
    code, out, _ = harness(installed, "run", "--target", "acme:search", *selection, cwd=tmp_path)
    assert code == 1
    assert "is not written yet" in out
    code, _, err = harness(installed, "run", "--target", "acme:serch", *selection, cwd=tmp_path)
    assert code == 2
    assert "did you mean acme:search?" in err


def test_its_source_answers_the_cases_of_a_run_in_this_process_and_in_others(installed: Path, tmp_path: Path) -> None:
    for jobs in ("1", "2"):  # the reference loop in this process, and in workers
        out = tmp_path / jobs
        selection = [
            "-k",
            "tool-returns.openai-chat or overloaded-then-answer.openai-chat",
            "--skip",
            "acme",
            "--suite",
            "all",
        ]
        code, printed, err = harness(
            installed, "run", "--source", "acme-terse", *selection, "-j", jobs, "--out", out, cwd=tmp_path
        )
        assert (code, err) == (0, ""), printed
        cases = json.loads((out / "results.json").read_text(encoding="utf-8"))["cases"]
        assert {case["source"] for case in cases} == {"acme-terse"}
        assert len(cases) > 1
        assert all("--source acme-terse" in case["repeat"] for case in cases)
        traces = [load(path) for path in (out / "traces").glob("*.jsonl")]
        events = [told.event for trace in traces for _, told in trace.events]
        assert {event.text for event in events if isinstance(event, Assistant)} == {"Fine", "."}


def test_a_source_that_nobody_has_is_bad_input(installed: Path, tmp_path: Path) -> None:
    for command in ("run", "serve"):
        code, _, err = harness(installed, command, "--source", "acme-ters", cwd=tmp_path)
        assert code == 2
        assert "acme-terse, got 'acme-ters'; did you mean acme-terse?" in err


ORDERS = """\
scenario: order-state
profile: universal
summary: The model looks up an order.
prompt:
  - user: Where is my order?
tools: [look_up_order]
model:
  - calls:
      - look_up_order: {order: A-1}
  - calls:
      - look_up_order: {order: B-2}
  - text: It is shipped.
expect:
  outcome: completed
  events: >
    turnStart toolStart(look_up_order) toolResult(look_up_order, ok)
    turnStart toolStart(look_up_order) toolResult(look_up_order, failed)
    turnStart assistant("It is shipped.") final
"""


def test_its_tool_is_offered_by_a_scenario_and_run(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(ORDERS, encoding="utf-8")
    words = ["run", "orders.yaml", "--wire", "openai-chat", "-k", "event", "--out", "out"]
    code, out, err = harness(installed, *words, cwd=tmp_path)
    assert (code, err) == (0, ""), out
    (trace,) = [load(path) for path in (tmp_path / "out" / "traces").glob("*.jsonl")]
    second, third = [exchange.request.body for exchange in trace.exchanges][1:]
    assert b"shipped" in second
    assert b"there is no order B-2" in third


def test_a_tool_that_nobody_has_and_arguments_that_do_not_fit_are_bad_input(installed: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "orders.yaml"
    scenario.write_text(ORDERS.replace("[look_up_order]", "[look_up_ordr]"), encoding="utf-8")
    code, _, err = harness(installed, "lint-scenario", "orders.yaml", cwd=tmp_path)
    assert code == 2
    assert "got 'look_up_ordr'; write one of these; did you mean 'look_up_order'?" in err
    scenario.write_text(ORDERS.replace("{order: A-1}", "{number: 1}"), encoding="utf-8")
    code, _, err = harness(installed, "lint-scenario", "orders.yaml", cwd=tmp_path)
    assert code == 2
    assert "'order' is a required property" in err


ACME_SEARCH, ACME_TERSE, LINT = "run --target acme:search", "run --source acme-terse", "lint-scenario orders.yaml"

MISTAKES = {
    "family": ("TARGETS = _Loops()", "TARGETS = []", ACME_SEARCH, "expected a harness.api.TargetFamily"),
    "names": ('return ["search"]', "return 7", ACME_SEARCH, "it fails: TypeError"),
    "source": ("def terse(", "terse = 5\n\n\ndef other(", ACME_TERSE, "got int"),
    "syntax": ("LOOK_UP = ScenarioTool(", "LOOK_UP = tuple([", LINT, "cannot be loaded: SyntaxError"),
    "tool": ("LOOK_UP = ScenarioTool", "LOOK_UP = print", LINT, "expected a harness.api.ScenarioTool"),
    "tool-name": ('name="look_up_order"', 'name="look_up"', LINT, "entry point, got 'look_up'"),
}
"""What is changed in the package, the command that finds it, and what it says. ``harness plugins`` finds it, too."""

LATE_MISTAKES = {
    "open": ("return FunctionTarget(", "return int(", ACME_SEARCH, "it fails: TypeError"),
    "no-target": (
        "return FunctionTarget(",
        "return len, (",
        ACME_SEARCH,
        "got tuple, which has no 'name', 'declaration'",
    ),
    "source-fails": ("return PerCaseSources(", "return int(", ACME_TERSE, "it fails: "),
    "no-sources": (
        'return PerCaseSources("acme-terse", _answers)',
        "return 7",
        ACME_TERSE,
        "harness.api.Sources, got int",
    ),
    "source-name": ('PerCaseSources("acme-terse"', 'PerCaseSources("x"', ACME_TERSE, "of the entry point, got 'x'"),
    "schema": ('"type": "object"', '"type": "obj"', LINT, "parameters/type: expected a JSON Schema of type 'object'"),
    "example": ("def example(rule):", "def example():", "explain ANT-01", "it fails: TypeError"),
}
"""The same; but nobody knows before the function of the package is called."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [*MISTAKES, *LATE_MISTAKES])
def test_what_is_wrong_with_another_plugin_is_bad_input(name: str, installed: Path, tmp_path: Path) -> None:
    wrong, right, command, why = {**MISTAKES, **LATE_MISTAKES}[name]
    site = changed(installed, tmp_path, wrong, right)
    (tmp_path / "orders.yaml").write_text(ORDERS, encoding="utf-8")
    code, _, err = harness(site, *command.split(), cwd=tmp_path)
    assert code == 2, err
    assert why in err
    assert "Traceback" not in err
    if name in MISTAKES:
        code, out, _ = harness(site, "plugins", cwd=tmp_path)
        assert code == 2
        assert why in out


def test_a_plugin_without_use_is_not_loaded(installed: Path, tmp_path: Path) -> None:
    """A run needs the rules; sources, tools and targets of the same package are loaded by those who name them."""
    site = changed(installed, tmp_path, "def terse(", "1 / 0\n\n\ndef terse(")
    (points,) = site.glob("*.dist-info/entry_points.txt")
    text = points.read_text(encoding="utf-8")
    points.write_text(text.replace("acme = acme_harness:FEW_TOOLS", ""), encoding="utf-8")
    words = ["run", "--suite", "all", "-k", "tool-returns.openai-chat.event", "--out", tmp_path / "out"]
    assert harness(site, *words, cwd=tmp_path)[0] == 0
    assert harness(site, *words, "--source", "acme-terse", cwd=tmp_path)[0] == 2


def changed(installed: Path, folder: Path, wrong: str, right: str) -> Path:
    """What is installed, with another text in the module."""
    site = folder / "site"
    shutil.copytree(installed, site, ignore=shutil.ignore_patterns("__pycache__"))
    module = site / "acme_harness.py"
    text = module.read_text(encoding="utf-8")
    assert wrong in text
    module.write_text(text.replace(wrong, right), encoding="utf-8")
    return site


@pytest.mark.parametrize(
    ("wrong", "right", "why"),
    [
        (
            'FEW_TOOLS = Rule(\n    id="acme/few-tools"',
            'FEW_TOOLS = Rule(\n    id="order/turn-count"',
            "there is another rule",
        ),
        ('id="acme/few-tools"', 'id="few tools"', "expected an id like family/name"),
        ("FEW_TOOLS = Rule(", "FEW_TOOLS = dict(", "expected a harness.api.Rule or a list of them, got dict"),
        ("    Rule,\n", "    Rules,\n", "cannot be loaded: ImportError"),
        ("TARGETS = _Loops()", "TARGETS = 1 / 0", "cannot be loaded: ZeroDivisionError"),
    ],
    ids=["taken", "malformed", "no-rule", "broken", "crashes"],
)
def test_what_is_wrong_with_a_plugin_is_bad_input(
    wrong: str, right: str, why: str, installed: Path, tmp_path: Path
) -> None:
    site = changed(installed, tmp_path, wrong, right)
    code, _, err = harness(site, "explain", "order/turn-count", cwd=tmp_path)
    assert code == 2
    assert why in err
    assert "acme-harness-rules" in err
    assert "Traceback" not in err
