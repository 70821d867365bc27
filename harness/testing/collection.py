"""Scenario files as tests: one item for every case, under the file's own node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal

import pytest

from harness.errors import BadInput
from harness.runner.opening import examined
from harness.runner.plan import PlannedCase, check_dialects, plan, spoken_in
from harness.runner.suites import ALL, named
from harness.scenario import Scenario, load, shipped, suite_of
from harness.scenario.loader import load_file
from harness.targets import Target
from harness.testing.cases import PROBED, HarnessCase, expected, is_probed
from harness.testing.marks import marks
from harness.wire import WireName

_NAMES_SCENARIO: Final = re.compile(r"""^["']?scenario["']?\s*:""", re.MULTILINE)


class Scenarios:
    """The part of the plugin that collects scenario files. It is active with ``--harness-target`` only."""

    def __init__(self, config: pytest.Config) -> None:
        self.name: str = config.getoption("--harness-target")
        self.target = _checked_target(self.name, config.getoption("--harness-baseline"))
        self.wires: Sequence[WireName] = config.getoption("--harness-wire")
        self.suites = _suites(config)
        _dialects(config)  # so that an unknown one is reported first
        self._config = config
        self._found: dict[str, Path] = {}

    @pytest.hookimpl
    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> ScenarioFileItem | None:
        """Collect a YAML file that is a scenario, or that was named on the command line."""
        if file_path.suffix != ".yaml" or not (parent.session.isinitpath(file_path) or _is_scenario(file_path)):
            return None
        file: ScenarioFileItem = ScenarioFileItem.from_parent(parent, path=file_path)
        file.scenarios = self
        return file

    def cases(self, scenario: Scenario) -> list[PlannedCase]:
        """The cases of a scenario; none if the target does not have its profile or its wires."""
        first = self._found.setdefault(scenario.name, scenario.path)
        if first != scenario.path:
            raise BadInput(
                f"{scenario.path}: expected a name of its own, got '{scenario.name}', as in {first}; rename one"
            )
        planned = _cases(self._config, [scenario], self.name, self.target, self.wires)
        return [each for each in planned if suite_of(scenario, each.case.wire, each.case.dialect) in self.suites]


class ScenarioFileItem(pytest.Module):
    """A scenario file. It takes the place of a module, so that its cases have fixtures of every scope."""

    obj = None
    scenarios: Scenarios

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each case of the file. Raises ``CollectError`` for a file that cannot be read."""
        try:
            planned_cases = self.scenarios.cases(load_file(_shown(self.path), _shown(_root(self))))
        except BadInput as problem:
            raise self.CollectError(str(problem)) from None
        for planned in planned_cases:
            item: CaseItem = CaseItem.from_parent(self, name=planned.case.id, callobj=_passes)
            item.planned = planned
            for mark in marks(planned):
                item.add_marker(mark)
            if planned.skip:
                item.add_marker(pytest.mark.skip(reason=planned.skip))
            yield item


class CaseItem(pytest.Function):
    """One case of a scenario file."""

    planned: PlannedCase

    def reportinfo(self) -> tuple[Path, Literal[0], str]:
        """Return the file, its first line and the title under which pytest reports the case."""
        return self.path, 0, f"case {self.name}"  # a bare name would be taken for a dotted one, and shown with colons


def _passes(harness_case: HarnessCase) -> None:
    harness_case.check()


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for ``harness_case`` once for every case that its mark ``harness_cases`` names."""
    mark = metafunc.definition.get_closest_marker("harness_cases")
    if mark is None:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: harness_case expects {_MARK}")
    name = mark.kwargs.get("target") or metafunc.config.getoption("--harness-target")
    if name is None:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: expected a target, in --harness-target or in {_MARK}")
    paths = [metafunc.config.rootpath / path for path in mark.args] or [shipped()]
    wires = mark.kwargs.get("wires") or metafunc.config.getoption("--harness-wire")
    target = _checked_target(name, metafunc.config.getoption("--harness-baseline"))
    planned = _cases(metafunc.config, load(paths), name, target, wires)
    metafunc.parametrize("harness_case", [_parameter(each) for each in planned], indirect=True)


_MARK: Final = '@pytest.mark.harness_cases("scenarios", target="my_package.agent:run")'


def _parameter(planned: PlannedCase) -> object:
    skip = [pytest.mark.skip(reason=planned.skip)] if planned.skip else []
    return pytest.param(planned, id=planned.case.id, marks=skip)


def _checked_target(name: str, baseline: str | None) -> Target:
    """The target. Reads its baseline, too, so that an error in either is reported first."""
    try:
        target = examined(name)
        expected(baseline, name)
    except BadInput as problem:
        raise pytest.UsageError(re.sub("--(?=target|baseline)", "--harness-", str(problem))) from None
    return target


def _suites(config: pytest.Config) -> frozenset[str]:
    names = config.getoption("--harness-suite")
    try:
        return named(names) if names else ALL
    except BadInput as problem:
        raise pytest.UsageError(str(problem).replace("--suite", "--harness-suite")) from None


def _cases(
    config: pytest.Config, scenarios: Iterable[Scenario], name: str, target: Target, wires: Sequence[WireName]
) -> list[PlannedCase]:
    """The cases of the scenarios. Cases whose wire only a probe can confirm are stored in ``PROBED``."""
    able = [each for each in scenarios if _speaks(target, each, wires)]
    planned = plan(able, target=target, wires=wires) if able else []
    if not wires and is_probed(name, target):
        noted = config.stash.setdefault(PROBED, {}).setdefault(name, {})
        noted.update({each.case.id: each.case.wire for each in planned if not each.skip})
    planned = spoken_in(_dialects(config), planned)
    return [replace(each, opened_as=name) for each in planned] if target.name != name else planned


def _dialects(config: pytest.Config) -> Sequence[str]:
    names: Sequence[str] = config.getoption("--harness-dialect")
    try:
        check_dialects(names)
    except BadInput as problem:
        raise pytest.UsageError(str(problem).replace("--dialect", "--harness-dialect")) from None
    return names


def _speaks(target: Target, scenario: Scenario, wires: Sequence[WireName]) -> bool:
    able = target.declaration
    return scenario.profile in able.profiles and bool(able.wires.intersection(scenario.wires, wires or able.wires))


def _is_scenario(path: Path) -> bool:
    """Whether a file that nobody has named is a scenario by its content; other YAML may lie beside it."""
    try:
        return _NAMES_SCENARIO.search(path.read_text(encoding="utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


def _root(file: ScenarioFileItem) -> Path:
    """The folder that the file's includes must stay in: the uppermost argument of pytest, else the file's own
    folder."""
    arguments = [folder for folder in file.path.parents if file.session.isinitpath(folder)]
    return arguments[-1] if arguments else file.path.parent


def _shown(path: Path) -> Path:
    """The path as the user would type it: relative to the working directory, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
