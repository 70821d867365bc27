"""Which tests are quick: ``pytest -m quick`` runs some of nearly every package (``CONTRIBUTING.md``).

A test is quick unless a line below says otherwise, so a new test needs no mark. The marker ``slow`` leaves out a single
test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent

MOST_PARAMETERS = 1
"""So many of the cases of one test function are quick: the first ones."""

PLACES: dict[str, tuple[str, ...]] = {
    "proves every rule": (
        "wire/test_tables.py",
        "lint/test_error_rules.py",
        "rules/test_contribute_a_rule.py",
        "rules/test_own_limit.py",
        "rules/test_promises.py",
        "mutants/test_loops.py",
        "mutants/test_traces.py",
    ),
    "proves the proof": ("mutation", "selftest"),
    "reads all of the source": ("test_channel_literals.py", "test_wire_literals.py"),
    "reads recorded traffic": (
        "recorded/drift/test_sample.py",
        "recorded/golden/test_imported.py",
        "wire/gemini_interactions/test_recorded.py",
        "first_contact/test_precision.py",
        "secrets/test_corpus.py",
        "wire/anthropic_messages/test_corpus.py",
        "recorded/corpus/test_confusion.py",
        "recorded/corpus/test_servers.py",
        "cassette/test_hostile.py",
        "cassette/test_index.py",
        "cassette/test_kill.py",
        "cassette/test_recorded.py",
        "cassette/test_shipped.py",
        "cassette/test_use.py",
        "recorded/corpus/test_built_in_calls.py",
        "recorded/corpus/test_command.py",
        "recorded/corpus/test_requests.py",
        "recorded/corpus/test_wires.py",
        "recorded/drift/test_command.py",
        "recorded/drift/test_verdict.py",
        "recorded/golden/test_command.py",
        "recorded/golden/test_harms.py",
        "imports/test_command.py",
        "imports/test_corpus.py",
        "loop/sessions/test_anthropic_corpus.py",
        "loop/sessions/test_openai_chat_corpus.py",
        "loop/sessions/test_openai_responses_corpus.py",
        "cassette/test_forwarding.py",
    ),
    "starts processes": (
        "endpoint/test_beside.py",
        "fuzz/loop/test_example.py",
        "cli/test_json.py",
        "cli/test_plan_once.py",
        "cli/test_broken_off.py",
        "runner/test_direct.py",
        "cassette/test_sockets.py",
        "packaging",
        "ci_kit/test_hooks.py",
        "loop/test_loop_package.py",
        "fuzz/text_tags/test_oracles.py",
        "agents/test_cases.py",
        "agents/test_killed.py",
        "agents/test_reference.py",
        "agents/test_replay.py",
        "agents/test_sealed_files.py",
        "benchmarks/test_command.py",
        "benchmarks/test_servers.py",
        "ci_kit/test_action.py",
        "ci_kit/test_dockerfile.py",
        "cli/test_against.py",
        "cli/test_baseline.py",
        "cli/test_resume.py",
        "cli/test_serve.py",
        "cli/test_serve_command.py",
        "cli/test_serve_rounds.py",
        "cli/test_serve_suites.py",
        "servers/test_gateway_command.py",
        "servers/test_identity_gateway.py",
        "faults/test_faults.py",
        "cli/test_cassettes.py",
        "cli/test_doctor.py",
        "cli/test_fuzz.py",
        "cli/test_hostile_files.py",
        "cli/test_init.py",
        "cli/test_interruption.py",
        "cli/test_record.py",
        "cli/test_run_dask.py",
        "cli/test_run_network.py",
        "cli/test_run_processes.py",
        "cli/test_suites.py",
        "cli/test_targets.py",
        "documents/test_targets_page.py",
        "first_contact/test_first_users.py",
        "first_contact/test_programs.py",
        "first_contact/test_varied_programs.py",
        "fuzz/test_determined.py",
        "endpoint/test_front_door.py",
        "scenario/test_shipped.py",
        "watch/test_performance.py",
        "fuzz/test_executors.py",
        "fuzz/test_shared_database.py",
        "plugins",
        "doctor",
        "runner/distributed",
        "runner/test_dialects.py",
        "runner/test_execute.py",
        "runner/test_processes.py",
        "runner/test_server.py",
        "runner/test_sources.py",
        "sealing/test_commands.py",
        "sealing/test_ends.py",
        "sealing/test_files.py",
        "sealing/test_options.py",
        "secrets/test_gate.py",
        "sealing/test_watch.py",
        "sealing/test_ways_out.py",
        "targets/command",
        "targets/drivers",
        "targets/node",
        "targets/test_agent_versions.py",
        "targets/test_as_provider.py",
        "targets/test_own_loop.py",
        "targets/test_confirmed.py",
        "targets/test_function_conversations.py",
        "targets/test_tool_runner_scenarios.py",
        "targets/test_wire_only.py",
        "targets/test_workers.py",
        "test_forking.py",
        "test_readme.py",
        "testing/test_blocked.py",
        "watch/test_command.py",
    ),
    "has many examples": (
        "freedoms",
        "outside/test_tool_suites.py",
        "outside/test_tool_schemas.py",
        "outside/test_sdk_forms.py",
        "outside/test_sdk_helpers.py",
        "outside/test_open_responses.py",
        "fitting/test_drawn.py",
        "fitting/test_bad_schemas.py",
        "fitting/test_corpora.py",
        "fuzz/arguments/test_strategies.py",
        "loop/test_runner_machine.py",
        "loop/test_calls_property.py",
        "servers/test_control.py",
        "servers/test_odd_shapes.py",
        "wire/test_bounds.py",
        "spans/test_hostile.py",
        "first_contact/test_no_false_blame.py",
        "fuzz/arguments/test_campaign.py",
        "fuzz/arguments/test_gallery.py",
        "fuzz/arguments/test_scenario.py",
        "fuzz/http/test_campaign.py",
        "fuzz/loop/test_campaign.py",
        "fuzz/loop/test_gallery.py",
        "fuzz/requests",
        "fuzz/stream/test_adoption.py",
        "fuzz/stream/test_campaign.py",
        "fuzz/stream/test_gallery.py",
        "fuzz/text_tags/test_gallery.py",
        "fuzz/text_tags/test_scenario.py",
        "fuzz/test_every_campaign.py",
        "fuzz/test_search.py",
        "wire/anthropic_messages/test_arrival.py",
        "wire/openai_responses/test_render.py",
        "wire/test_arrival.py",
        "wire/test_sse.py",
    ),
    "runs cases and renders reports": (
        "docs_site",
        "golden_runs",
        "report/test_results.py",
        "loop/sessions/test_bedrock_converse_over_http.py",
        "cli/test_otlp.py",
        "cli/test_to_scenario.py",
        "cli/test_main.py",
        "loop/test_default_limit.py",
        "mutants/test_failed_attempts.py",
        "reality/test_explained.py",
        "test_regenerate.py",
        "report/diff/test_formats.py",
        "report/diff/test_planted.py",
        "report/history/test_history.py",
        "report/page",
        "report/test_markdown.py",
        "report/test_sample.py",
        "report/test_terminal.py",
    ),
}
"""Modules and packages below tests/ of which each test or the set-up takes long, by the reason."""

FIXTURES = {"browser": "starts a browser", "pytester": "runs pytest", "new_workers": "starts processes"}
"""Fixtures that take long, with the reason."""


def mark_quick(items: Iterable[pytest.Item]) -> None:
    """Mark those of all tests that are quick."""
    cases: Counter[str] = Counter()
    for item in items:
        if left_out(item) is None and cases[function := item.nodeid.partition("[")[0]] < MOST_PARAMETERS:
            cases[function] += 1
            item.add_marker(pytest.mark.quick)


def left_out(item: pytest.Item) -> str | None:
    """Why a test is not quick; None if it may be, unless it is one of many cases of its function."""
    if kind := next((kind for kind in ("slow", "exhaustive") if item.get_closest_marker(kind)), None):
        return f"marked as {kind}"
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        return "has many examples"
    fixtures = {*getattr(item, "fixturenames", ())}
    reasons = [reason for fixture, reason in FIXTURES.items() if fixture in fixtures]
    return next(iter([*reasons, *are_slow(item.path)]), None)


@cache
def are_slow(path: Path) -> tuple[str, ...]:
    """Why no test of a module or folder is quick; empty if some may be."""
    around = {str(each.relative_to(TESTS)) for each in (path, *path.parents) if each.is_relative_to(TESTS)}
    return tuple(reason for reason, places in PLACES.items() if not around.isdisjoint(places))


def are_all(directory: Path, places: Iterable[str]) -> bool:
    """Whether pytest's arguments ask for all tests: of some modules of a package perhaps none is quick."""
    return any((directory / place).resolve() in (TESTS, TESTS.parent) for place in places)


def unrepresented(items: Iterable[pytest.Item]) -> list[str]:
    """The packages of some tests that have no quick test, but for those that are left out by their names."""
    modules: dict[Path, bool] = {}
    for item in items:
        modules[item.path] = modules.get(item.path, False) or item.get_closest_marker("quick") is not None
    inside = {path: path.relative_to(TESTS).parts[0] for path in modules if path.is_relative_to(TESTS)}
    packages = {package for path, package in inside.items() if path.parent != TESTS and not are_slow(TESTS / package)}
    return sorted(packages - {inside[path] for path, quick in modules.items() if quick and path in inside})
