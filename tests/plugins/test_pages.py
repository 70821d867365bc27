"""The pages "add a ..." are right: what they show is made, installed and run, and prints what they show."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.plugins.pages import Shown, files, matches, transcript, write
from tests.plugins.site import anew, built, harness

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("add-a-rule", "add-a-target", "add-a-source", "add-a-scenario-tool")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_does_what_it_shows(name: str, tmp_path: Path) -> None:
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    folder = tmp_path / "package"
    folder.mkdir()
    write(page, folder)
    shown = list(transcript(page))
    assert shown[0] == Shown("pip install -e .", "")
    assert len(shown) > 1
    site = built(folder, tmp_path)
    for each in shown[1:]:
        module, *words = shlex.split(each.command)
        _, out, err = (
            harness(site, *words, cwd=folder) if module == "harness" else anew(site, *words, cwd=folder, module=module)
        )
        assert matches(each.output, out + err), f"$ {each.command}\n{out}{err}"


def test_every_page_is_short_and_in_the_index() -> None:
    index = (DOCS / "plugins.md").read_text(encoding="utf-8")
    for name in PAGES:
        assert f"]({name}.md)" in index
    rule = files((DOCS / "add-a-rule.md").read_text(encoding="utf-8"))["acme_rules.py"]
    assert len([line for line in rule.splitlines() if line]) <= 17


def test_another_output_would_be_found() -> None:
    assert matches("a\n...\n1 passed in ...\n", "a\nb\nc\n1 passed in 2 s\n")
    assert matches("...\nb\n", "b\n")
    assert not matches("a\n...\n1 passed\n", "a\nb\n2 passed\n")
    assert not matches("a\n", "a\nb\n")
    assert not matches("a\n", "")
