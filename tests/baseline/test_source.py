"""What a shipped baseline says of a loop stands in the loop's code: every entry quotes it, and the quotes are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.baseline.loader import load
from harness.baseline.model import Baseline, BaselineSource
from harness.baseline.places import shipped
from harness.baseline.versions import in_force, installed
from tests.baseline.installed_source import NODE_MODULES, is_compiled, is_installed, modules_of, wrong_with
from tests.case_tables import from_table

FILES = sorted(shipped().glob("*.yaml"))
NAMES = [path.stem for path in FILES]


def not_installed(baseline: Baseline) -> list[str]:
    packages = {each.package for entry in baseline.entries for each in entry.source}
    return sorted(package for package in packages if not is_installed(package, modules_of(baseline.target)))


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_every_entry_of_a_shipped_baseline_quotes_the_code_that_it_is_about(path: Path) -> None:
    baseline = load(path)
    if is_compiled(baseline.target):
        pytest.skip(f"{baseline.target} is a compiled program, whose code cannot be read")
    assert [str(entry.place) for entry in baseline.entries if not entry.source] == []


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_every_quote_stands_in_the_installed_code(path: Path) -> None:
    baseline = load(path)
    if missing := not_installed(baseline):
        pytest.skip(f"{', '.join(missing)} is not installed, so there is no code to read")
    counting, out = in_force(baseline, installed(baseline.target))
    modules = modules_of(baseline.target)
    problems = [(entry.place, wrong_with(each, modules)) for entry in counting for each in entry.source]
    assert [f"{place}: {problem}" for place, problem in problems if problem] == []
    if out:
        pytest.skip(f"{len(out)} entries are for other versions: {out[0].package} is {out[0].found} here")


# --- the check itself ----------------------------------------------------------------------------------------


@pytest.fixture
def fake_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package, ``fake-loop``, beside a file that is not its own."""
    (tmp_path / "fake_loop").mkdir()
    (tmp_path / "fake_loop" / "run.py").write_text("def run():\n    while calls and not\\\n  done:\n", encoding="utf-8")
    (tmp_path / "fake_loop" / "other.py").write_text("while calls and not done\n", encoding="utf-8")
    about = tmp_path / "fake_loop-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: fake-loop\nVersion: 1.0\n", encoding="utf-8")
    (about / "RECORD").write_text("fake_loop/run.py,,\nfake_loop/gone.py,,\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("fake_loop")
@from_table(__file__, "test_a_quote_is_right_where_the_package_has_the_file_and_the_file_the_text")
def test_a_quote_is_right_where_the_package_has_the_file_and_the_file_the_text(
    file: str, says: str, problem: str
) -> None:
    assert is_installed("fake-loop", None)
    assert wrong_with(BaselineSource("fake-loop", file, says), None) == problem


def test_the_packages_of_node_are_read_from_their_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "@some" / "loop"
    (folder / "dist").mkdir(parents=True)
    (folder / "package.json").write_text("{}", encoding="utf-8")
    (folder / "dist" / "index.js").write_text("\tif (calls.length === 0)\n\t\treturn;\n", encoding="utf-8")
    assert is_installed("@some/loop", tmp_path)
    assert wrong_with(BaselineSource("@some/loop", "dist/index.js", "if (calls.length === 0) return;"), tmp_path) == ""
    assert wrong_with(BaselineSource("@some/loop", "dist/index.mjs", "return;"), tmp_path) == (
        "@some/loop has no file dist/index.mjs"
    )
    assert not is_installed("loop", tmp_path)


def test_a_package_that_nobody_has_is_not_installed() -> None:
    assert not is_installed("no-such-package-here", None)
    assert NODE_MODULES.parent.joinpath("package.json").is_file()
