"""The pages of the documentation that are made from tables, and the texts of providers that pages quote."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.rules import RULES
from harness.wire import OWN_WIRES, wire
from tests.sdks import Deferred, mkdocs, needs

site = Deferred("scripts.docs_site")

pytestmark = needs("mkdocs", "mkdocs is not installed")

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return dict(site.rule_pages())


def test_every_rule_has_a_page_with_what_it_demands(pages: dict[str, str]) -> None:
    statements = {rule.id: rule.statement for rule in RULES.values()}
    statements |= {rule.id: rule.statement for name in OWN_WIRES for rule in wire(name).rules}
    assert set(pages) == {*(f"rule/{id}.md" for id in statements), "rule/index.md"}
    for id, statement in statements.items():
        assert statement in pages[f"rule/{id}.md"]
        assert f"]({id}.md)" in pages["rule/index.md"]


def test_a_search_for_a_providers_message_finds_its_rule(pages: dict[str, str]) -> None:
    for name in OWN_WIRES:
        for rule in wire(name).rules:
            for wording in rule.templates:
                if wording.status >= 400:
                    assert (wording.seen or wording.message) in pages[f"rule/{rule.id}.md"]


def test_the_messages_of_the_first_task_are_those_of_the_rules_beside_them(pages: dict[str, str]) -> None:
    rows = re.findall(r"(?m)^\| `+ ?(.+?) ?`+ \| \[([\w-]+)\]", (DOCS / "tasks" / "http-400.md").read_text("utf-8"))
    assert len(rows) == 7
    for message, rule in rows:
        assert message in pages[f"rule/{rule}.md"]


def test_the_front_page_counts_the_cases_of_every_third_party_loop() -> None:
    table = site.popular_loops(DOCS / "targets.md")
    for name in ("anthropic-runner", "openai-agents", "google-genai", "langchain", "pydantic-ai", "vercel-ai"):
        assert f"[{name}](targets.md#{name})" in table
    assert "reference" not in table


@pytest.mark.parametrize(
    "tag", ['<script src="https://example.com/a.js">', '<link rel=x href="http://example.com/a.css">']
)
def test_a_page_that_loads_from_another_host_is_refused(tag: str) -> None:
    page = mkdocs.structure.pages.Page(
        "A page", mkdocs.structure.files.File("a.md", "docs", "site", use_directory_urls=False), {}
    )  # type: ignore[arg-type]
    with pytest.raises(mkdocs.exceptions.PluginError, match=r"example\.com"):
        site.on_post_page(f"<html>{tag}</html>", page)
    linked = '<html><a href="https://example.com">there</a></html>'
    assert site.on_post_page(linked, page) == linked
