"""Hooks of the documentation site (mkdocs.yml): a page for every rule, and what popular loops break on the front page.

The pages are made from the tables of the rules while the site is built, so that they cannot differ from the code. Each
begins with the provider's own error text: who searches for the message finds the rule.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from harness.rules import RULES, Rule
from harness.rules.demonstration import example_of
from harness.wire import OWN_WIRES, Wire, WireRule, wire

_TARGETS = "<!-- targets -->"
"""Stands in docs/index.md for the table of third-party loops."""

_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+[^)]*\)")
"""A link to a file of the repository that is no page."""

_REMOTE = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"https?:[^\"]*\"")
"""Something that a browser would load from another host."""

_LEVELS = {"MUST": "MUST: the provider certainly refuses it", "SHOULD": "SHOULD: the provider likely refuses it"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the rules."""
    for path, text in rule_pages():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, config: MkDocsConfig, **_: Page | Files) -> str:
    """Fill in the table of the front page, and leave out links to files that are no pages."""
    if _TARGETS in markdown:
        markdown = markdown.replace(_TARGETS, popular_loops(Path(config.docs_dir) / "targets.md"))
    return _OUTSIDE.sub(r"\1", markdown)


def on_post_page(output: str, page: Page, **_: MkDocsConfig) -> str:
    """Refuse a page that loads anything from another host: the site works without a network."""
    if remote := _REMOTE.search(output):
        raise PluginError(f"{page.file.src_uri}: {remote[0]} would be loaded from another host")
    return output


def rule_pages() -> Iterator[tuple[str, str]]:
    """Path below docs/ and Markdown of the page of every rule, and of their index."""
    for name in OWN_WIRES:
        for each in wire(name).rules:
            yield f"rule/{each.id}.md", _wire_rule(each, wire(name))
    for rule in RULES.values():
        yield f"rule/{rule.id}.md", _rule(rule)
    yield "rule/index.md", _index()


def popular_loops(page: Path) -> str:
    """The table of docs/targets.md that counts cases, of third-party loops, with links to what each does."""
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if re.match(r"\| `[\w-]+` \| [^·\d]", line)]
    table = ["| loop | versions | cases passed | cases with known deviations |", "| --- | --- | ---: | ---: |"]
    for row in rows:
        name, versions, _, passed, _, expected, *_ = (cell.strip() for cell in row.strip("|").split("|"))
        if name != "`reference`":
            table.append(f"| [{name.strip('`')}](targets.md#{name.strip('`')}) | {versions} | {passed} | {expected} |")
    return "\n".join(table)


def _wire_rule(rule: WireRule, speaker: Wire) -> str:
    parts = [f"---\ntitle: {_yaml(f'{rule.id}: {rule.statement}')}\n---", f"# {rule.id}", rule.statement]
    parts += [_facts(rule, speaker), *_messages(rule), "## Why it matters", rule.why, *_example(rule)]
    parts += ["## Check your loop", _commands(rule.id), "## Sources", *(f"- {_linked(each)}" for each in rule.evidence)]
    return _joined(parts)


def _facts(rule: WireRule, speaker: Wire) -> str:
    level = "Accepted" if rule.permits else _LEVELS.get(rule.level, "INFO: informational")
    statuses = sorted({wording.status for wording in rule.templates if wording.status >= 400})
    answers = f" HTTP {', '.join(map(str, statuses))}." if statuses else ""
    applies = f" Applies to {rule.applies}." if rule.applies else ""
    return f"API format: [{speaker.name}](../rules/{speaker.name}.md). {level}.{answers}{applies}"


def _messages(rule: WireRule) -> Iterator[str]:
    """The provider's texts: those that were seen, else the ones that are known by their form."""
    texts = dict.fromkeys(wording.seen or wording.message for wording in rule.templates if wording.status >= 400)
    if texts:
        yield "## The provider's error"
        yield from (_block(text) for text in texts)


def _example(rule: WireRule) -> Iterator[str]:
    example = example_of(rule)
    if example is None:
        return
    yield "## A right request"
    yield _block("\n".join(example.right))
    yield f"## {'Also right' if rule.permits else 'The same request, wrong'}"
    yield example.summary
    yield _block("\n".join(example.changes), "diff")


def _rule(rule: Rule) -> str:
    depth = "../" * rule.id.count("/")
    parts = [f"---\ntitle: {_yaml(f'{rule.id}: {rule.statement}')}\n---", f"# {rule.id}", rule.statement]
    parts += [f"Severity: {rule.level}. Category: {rule.impact}. Evidence: {', '.join(rule.needs)}."]
    parts += ["## Why it matters", rule.why, "## Check your loop", _commands(rule.id)]
    parts += ["## Source", html.escape(rule.source), f"All rules: [overview]({depth}index.md)."]
    return _joined(parts)


def _index() -> str:
    parts = ["# Every rule", "Search this site for the text of a provider's error: its rule has a page."]
    parts += ["## Rules of every API format", *(f"- [{id}]({id}.md): {rule.statement}" for id, rule in RULES.items())]
    for name in OWN_WIRES:
        parts += [f"## {name}", *(f"- [{each.id}]({each.id}.md): {each.statement}" for each in wire(name).rules)]
    return _joined(parts)


def _commands(rule: str) -> str:
    return _block(f"harness run --target my_agent:run --rule {rule}\nharness explain {rule}", "sh")


def _block(text: str, language: str = "text") -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def _linked(text: str) -> str:
    return re.sub(r"https?://[^\s<>,;)]+", lambda url: f"<{url[0]}>", text)


def _yaml(text: Any) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def _joined(parts: list[str]) -> str:
    """Paragraphs; the items of a list stay together."""
    text = "\n\n".join(parts) + "\n"
    return re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", text)
