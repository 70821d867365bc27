"""The plugin for pytest: scenario files as tests, scripted models for tests, cassettes and snapshots.

pytest loads this module in every run in which the harness is installed, so all else is imported where it is needed;
without ``--harness-target`` no scenario file is looked at. docs/pytest.md is for its users.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pytest

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from harness.cassette.cassette_writer import CassetteWriter, Mode
    from harness.cassette.use import Use
    from harness.testing import FakeModels, HarnessCase
    from harness.testing.cases import Cases
    from harness.testing.endpoint import Endpoint

__all__ = ["fake_model", "harness_case", "harness_cassette", "harness_model", "harness_secrets", "trace_snapshot"]

_INI: Final[Mapping[str, tuple[Literal["string", "args", "paths"], str]]] = {
    "harness_target": ("string", "default of --harness-target"),
    "harness_dialects": ("args", "default of --harness-dialect: names with spaces between them, or a list"),
    "harness_suites": ("args", "default of --harness-suite: names with spaces between them, or a list"),
    "harness_wires": ("args", "default of --harness-wire: names with spaces between them, or a list"),
    "harness_baseline": ("string", "default of --harness-baseline, relative to the file of pytest's configuration"),
    "harness_out": ("string", "default of --harness-out, relative to the file of pytest's configuration"),
}

_MODES: Final = (
    "none",
    "once",
    "new_episodes",
    "all",
)  # harness.cassette.cassette_writer.Mode, which costs too much to import
_MODELS: Final[pytest.StashKey[FakeModels]] = pytest.StashKey()
_PROBLEM: Final[pytest.StashKey[str]] = pytest.StashKey()
_CASSETTE: Final[pytest.StashKey[Use]] = pytest.StashKey()
_LONGEST: Final = 100
"""Of a file name, in characters; file systems take 255 bytes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line and ini options of the plugin."""
    group = parser.getgroup("harness", "agent-loop-harness")
    group.addoption(
        "--harness-target",
        metavar="TARGET",
        help="collect scenario files (*.yaml) as tests of this loop: my_package.agent:run, or any other --target of "
        "'harness run'",
    )
    group.addoption(
        "--harness-suite",
        action="append",
        default=[],
        metavar="SUITE",
        help="only cases of this suite: core, robustness, dialects, a profile's name, or all (default); repeatable",
    )
    group.addoption(
        "--harness-wire",
        action="append",
        default=[],
        metavar="WIRE",
        help="only cases on this API format (wire), as 'harness run --help' lists them; repeatable",
    )
    group.addoption(
        "--harness-dialect",
        action="append",
        default=[],
        metavar="NAME",
        help="stream as servers do that are not the provider's own (docs/dialects.md): a dialect's name, or all; "
        "repeatable",
    )
    group.addoption(
        "--harness-baseline",
        metavar="FILE",
        help="findings that are expected (default: baselines/TARGET.yaml, if it exists); 'none' for no expectations",
    )
    group.addoption(
        "--harness-out", type=Path, metavar="DIR", help="folder for the traces (default: a temporary one of pytest's)"
    )
    group.addoption(
        "--harness-record",
        choices=_MODES,
        help="what the fixture harness_cassette records: nothing (none; the default in CI), tests without a cassette "
        "(once; the default elsewhere), requests without a recorded answer (new_episodes), or everything again (all)",
    )
    for name, (kind, help) in _INI.items():
        parser.addini(name, help, type=kind, default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, take defaults from the ini options, and collect scenarios if a target is given."""
    config.addinivalue_line(
        "markers",
        "harness_cases(*paths, target=None, wires=()): run this test, which has the fixture harness_case, once for "
        "every case of these scenarios (default: the shipped ones)",
    )
    _take_defaults(config)
    if config.getoption("--harness-target") or config.getoption("--markers"):
        from harness.testing.marks import MARKS

        for mark, description in MARKS.items():
            config.addinivalue_line("markers", f"{mark}: {description}")
    if config.getoption("--harness-target"):
        from harness.testing.collection import Scenarios

        config.pluginmanager.register(Scenarios(config), "harness-scenarios")


def _take_defaults(config: pytest.Config) -> None:
    """Where the command line says nothing, the configuration of pytest does."""
    options = config.option
    options.harness_target = options.harness_target or _ini(config, "harness_target")
    options.harness_suite = options.harness_suite or _ini(config, "harness_suites") or []
    asked = _wires("--harness-wire", options.harness_wire)
    options.harness_wire = asked or _wires("harness_wires", _ini(config, "harness_wires") or [])
    options.harness_dialect = options.harness_dialect or _ini(config, "harness_dialects") or []
    if options.harness_baseline is None and (baseline := _ini(config, "harness_baseline")):
        options.harness_baseline = baseline if baseline == "none" else str(_beside(config, baseline))
    if options.harness_out is None and (out := _ini(config, "harness_out")):
        options.harness_out = _beside(config, out)


def _ini(config: pytest.Config, name: str) -> Any:
    """None where the configuration does not have it."""
    return config.getini(name) or None


def _beside(config: pytest.Config, path: str) -> Path:
    return (config.inipath.parent if config.inipath else config.rootpath) / path


def _wires(place: str, names: list[str]) -> list[str]:
    """The names of wires at a place of the configuration, checked only where there are any: the import takes time."""
    if names:
        from harness.wire.names import wire_names

        for name in names:
            if name not in wire_names():
                raise pytest.UsageError(f"{place}: expected some of {', '.join(wire_names())}, got {name!r}")
    return names


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that has the fixture ``harness_case`` once for every case."""
    if "harness_case" in metafunc.fixturenames:
        from harness.testing.collection import parametrize

        parametrize(metafunc)


# --- the endpoint, and who asks it ------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def _harness_endpoint() -> Iterator[Endpoint]:
    from harness.testing.endpoint import Endpoint

    with Endpoint() as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def _harness_out(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    chosen: Path | None = request.config.getoption("--harness-out")
    return chosen or tmp_path_factory.mktemp("harness")


@pytest.fixture(scope="session")
def _harness_cases(request: pytest.FixtureRequest, _harness_endpoint: Endpoint, _harness_out: Path) -> Iterator[Cases]:
    from harness.testing.cases import PROBED, Cases

    baseline = request.config.getoption("--harness-baseline")
    cases = Cases(_harness_endpoint, _harness_out, baseline, request.config.stash.get(PROBED, None))
    yield cases
    cases.close()


@pytest.fixture
def harness_case(request: pytest.FixtureRequest, _harness_cases: Cases) -> HarnessCase:
    """One case of a scenario, which the target runs when its verdict or its trace is first asked for.

    See ``harness.testing.HarnessCase``; the mark ``harness_cases`` says of which scenarios.
    """
    if hasattr(request, "param"):  # a test of the user's own, which may prepare the loop before it runs
        return _harness_cases.case(request.param)
    case = _harness_cases.case(request.node.planned)
    case.skip_if_left_out()
    return case


@pytest.fixture
def fake_model(request: pytest.FixtureRequest, _harness_endpoint: Endpoint, _harness_out: Path) -> FakeModels:
    """Makes scripted models for this test: ``fake_model("openai-chat", [{"text": "Hello."}]).base_url``.

    See ``harness.testing.FakeModels``. What a model was asked is judged when the test ends, and fails the test itself.
    """
    from harness.testing.model import FakeModels

    models = FakeModels(_harness_endpoint, _file_name(request.node.nodeid.partition("::")[2]), _harness_out / "traces")
    request.node.stash[_MODELS] = models
    return models


@pytest.fixture
def harness_model(fake_model: FakeModels) -> FakeModels:
    """The same as ``fake_model``, for tests in which another plugin has a fixture of that name."""
    return fake_model


@pytest.fixture
def trace_snapshot(request: pytest.FixtureRequest) -> SnapshotAssertion:
    """A snapshot of a trace without its clocks and ids: ``assert model.trace == trace_snapshot``.

    ``pytest --snapshot-update`` writes it.
    """
    try:
        from harness.testing.snapshot import TraceSnapshot
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] != "syrupy":
            raise
        pytest.fail("trace_snapshot needs syrupy: pip install 'agent-loop-harness[pytest]'", pytrace=False)
    snapshot: SnapshotAssertion = request.getfixturevalue("snapshot")
    return snapshot.use_extension(TraceSnapshot)


# --- cassettes --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def harness_secrets() -> Mapping[str, str]:
    """Secrets by name, to be kept out of every cassette beside those that are known by their shape.

    Override it in a ``conftest.py``.
    """
    return {}


@pytest.fixture
def harness_cassette(request: pytest.FixtureRequest, harness_secrets: Mapping[str, str]) -> Iterator[CassetteWriter]:
    """The cassette of this test, open until the test ends: ``cassettes/<module>/<test>.yaml`` beside its file.

    See ``harness.cassette.use``, whose errors fail the test itself. ``harness_cassette.records`` says whether requests
    may be recorded, and so whether a real key is needed.
    """
    from harness.cassette import use

    cassette = use(_path(request), _mode(request.config), values=harness_secrets)
    with suppress(_NeverCalled), cassette as writer:
        request.node.stash[_CASSETTE] = cassette
        yield writer
        raise _NeverCalled


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Cassettes and models end with the call, not with the fixture, so that what is wrong fails the test itself."""
    cassette, models = item.stash.get(_CASSETTE, None), item.stash.get(_MODELS, None)
    try:
        result = yield
    except BaseException as error:
        if cassette is not None:
            cassette.__exit__(type(error), error, error.__traceback__)
        if models is not None and (problems := models.problems):
            item.add_report_section("call", "fake_model", problems)
            item.stash[_PROBLEM] = problems.partition("\n")[0]
        raise
    if cassette is not None:
        cassette.__exit__(None, None, None)
    if models is not None:
        models.check()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Where a test fails with what its client has raised, the summary line names the rule before the exception."""
    report = yield
    problem = item.stash.get(_PROBLEM, "") if call.when == "call" else ""
    crash = getattr(report.longrepr, "reprcrash", None)
    if problem and crash is not None:
        crash.message = f"{problem} ({crash.message.partition(chr(10))[0]})"
    return report


class _NeverCalled(Exception):
    """The fixture ends. If the cassette is still open then, another fixture failed, and nothing recorded is whole."""


def _mode(config: pytest.Config) -> Mode:
    chosen: Mode | None = config.getoption("--harness-record")
    return chosen or ("none" if os.environ.get("CI") else "once")


def _path(request: pytest.FixtureRequest) -> Path:
    """Where the cassette of a test lies. Classes and parameters are part of its name."""
    module: Path = request.node.path
    within = request.node.nodeid.partition("::")[2]
    return module.parent / "cassettes" / module.stem / f"{_file_name(within)}.yaml"


def _file_name(test: str) -> str:
    """A name that every file system takes, and that no two tests share: what it cannot say of ``test``, a hash does."""
    import hashlib

    name = test.replace("::", ".")
    if re.fullmatch(r"[A-Za-z0-9_.]+", name) and len(name) <= _LONGEST:
        return name
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip("-")
    return f"{plain[:_LONGEST]}-{hashlib.sha256(test.encode()).hexdigest()[:8]}"
