"""The loops of docs/own-loop.md are the files that ``harness init`` writes, which tests/cli/test_init.py runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from harness.cli.init import EXAMPLES
from harness.gateway import Gateway
from harness.runner.opening import open_target
from harness.targets import CAPABILITIES, Declaration

DOCUMENT = Path("docs/own-loop.md").read_text(encoding="utf-8")
LOOPS = Path("harness/starter/loops")


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    return str(found)


@pytest.mark.parametrize(("language", "file"), [("python", "openai_loop.py"), ("js", "fetch_loop.mjs")])
def test_the_loop_that_is_shown_is_the_one_that_is_written(language: str, file: str) -> None:
    assert block(language) == (LOOPS / file).read_text(encoding="utf-8")


def test_every_example_is_linked_to() -> None:
    files = [file for clients in EXAMPLES.values() for file in clients.values()]
    assert re.findall(r"\]\(\.\./harness/starter/loops/([a-z_.]+)\)", DOCUMENT) == files
    assert sorted(path.name for path in LOOPS.iterdir() if path.suffix in (".py", ".mjs")) == sorted(files)


@pytest.mark.parametrize("path", sorted(LOOPS.glob("*.yaml")), ids=lambda path: path.stem)
def test_an_example_declares_no_more_than_its_loop_keeps(path: Path) -> None:
    if path.stem == "fetch_loop" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    declared = open_target(str(path), Gateway()).declaration
    assert len(declared.wires) == 1
    assert not {"outcomes", "limit"} & declared.capabilities


def test_the_target_file_is_one(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(block("yaml"), encoding="utf-8")
    if shutil.which("node") is not None:
        assert open_target(str(tmp_path / "mine.yaml"), Gateway()).name == "my-agent"


def test_the_table_has_every_capability_with_its_words_and_says_which_are_usual() -> None:
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| [^|]+ \|$", DOCUMENT, re.MULTILINE))
    assert set(rows) == set(CAPABILITIES)
    assert list(rows)[:4] == [each for each in CAPABILITIES if each in Declaration().capabilities]
