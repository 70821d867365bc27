"""No module of the product knows a wire by its name, and no logic of the proof: what differs is a fact of the wire.

Neither does it know one by what is its own: the ids of its rules, the variables and headers of its provider.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from harness.wire import OWN_WIRES, wire, wire_rules

ROOT = Path(__file__).resolve().parent.parent

ALLOWED = {
    "harness/wire/": "a wire says its own name",
    "harness/targets/drivers/": "a third-party library has a class per API, and its driver chooses between them",
    "harness/cli/fuzz.py": "a campaign has the name of the wire that it is about",
    "harness/fuzz/": "tables of what is fuzzed say on which wire; no branch asks for a name, as in the proof",
    "harness/cassette/recordings/": "the names that others have for an API, and what their recorders lose on it",
    "harness/imports/": "how recorded loops go on otherwise on one API",
    "harness/targets/shipped.py": "which APIs a third-party loop speaks is a fact about the loop",
}
"""The modules that may name a wire, and why."""

_NAME = re.compile(rf"(?:[a-z]+/)?({'|'.join(OWN_WIRES)})")
"""A name alone, or behind the family of a rule (``continuation/NAME``). Texts for people may name one."""


def named(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a module that name a wire or its rule, with their lines; docstrings are none of them."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for text in texts:
        found = _NAME.fullmatch(str(text.value).partition(" ")[0])
        if found and id(text) not in docstrings:
            yield text.lineno, found[1]


_SETTINGS = {
    *(name for each in OWN_WIRES for name in wire(each).provider.base_variables),
    *(wire(each).provider.key_header for each in OWN_WIRES),
} - {"authorization"}
"""What one provider has and no other. ``authorization`` is HTTP's own."""

MAY_KNOW = {
    "harness/wire/": "it is theirs",
    "harness/loop/sessions/": "a session of a wire sets what the wire's SDK does not",
    "harness/fuzz/requests/ours.py": "which rules judge what a request alone does not show",
    "harness/imports/judging.py": "which rule asks for what no recording has",
}
"""The modules that may know what is a wire's own, and why."""


def owned(source: str) -> Iterator[tuple[int, str]]:
    """What the strings of a module have that is one wire's own; docstrings are none of them.

    Texts for people may have the id of a rule as an example, but no list of variables: it would lack those of others.
    """
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for text in ast.walk(tree):
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and id(text) not in docstrings:
            found = {*re.findall(r"[\w-]+", text.value)} & _SETTINGS | {text.value} & wire_rules().keys()
            yield from ((text.lineno, word) for word in found)


def branches(source: str) -> Iterator[int]:
    """The lines on which a module decides by the name of a wire: a comparison with one, or a case of a match."""
    for node in ast.walk(ast.parse(source)):
        inner = ast.walk(node) if isinstance(node, ast.Compare | ast.MatchValue) else ()
        if any(isinstance(each, ast.Constant) and each.value in OWN_WIRES for each in inner):
            yield node.lineno


def modules() -> dict[str, str]:
    """The source of every module of the product by its path."""
    files = [path for path in (ROOT / "harness").rglob("*.py") if "node_modules" not in path.parts]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_no_module_outside_the_wires_names_one() -> None:
    sources = modules()
    assert len(sources) > 500
    found = [
        f"{path}:{line}: {name}; read a fact of harness.wire.Wire, or add one"
        for path, source in sources.items()
        if not path.startswith(tuple(ALLOWED))
        for line, name in named(source)
    ]
    assert found == []


def test_no_module_outside_the_wires_knows_what_is_one_wires_own() -> None:
    found = [
        f"{path}:{line}: {word}"
        for path, source in modules().items()
        if not path.startswith(tuple(MAY_KNOW))
        for line, word in owned(source)
    ]
    assert found == []


def test_no_script_of_a_page_names_one() -> None:
    scripts = [path for name in ("report", "watch") for path in (ROOT / "harness" / name).rglob("*.js")]
    assert len(scripts) > 15
    texts = {path.name: path.read_text(encoding="utf-8") for path in scripts}
    assert [(path, name) for path, text in texts.items() for name in OWN_WIRES if name in text] == []


def test_every_exception_is_needed() -> None:
    sources = modules()
    idle = [
        allowed
        for allowed, words in [*((each, named) for each in ALLOWED), *((each, owned) for each in MAY_KNOW)]
        if not any(path.startswith(allowed) and any(words(source)) for path, source in sources.items())
    ]
    assert idle == []


def test_the_logic_of_the_proof_asks_no_wire_for_its_name() -> None:
    places = ("harness_lab/mutants", "harness_lab/gallery", "harness_lab/selftest", "harness/fuzz")
    files = [path for place in places for path in (ROOT / place).rglob("*.py")]
    assert len(files) > 100
    found = [
        f"{path.relative_to(ROOT)}:{line}" for path in files for line in branches(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_planted_decision_is_found() -> None:
    source = """ROWS = ("openai-chat",)
if wire == "text-tags" or name in ("a", "openai-chat") or wire in ROWS:
    pass
match wire:
    case "gemini-generate":
        pass
"""
    assert list(branches(source)) == [2, 2, 5]


def test_a_planted_name_is_found() -> None:
    source = '''"""About openai-chat."""
NAME = "text-tags"
"""The wire text-tags."""
def f(wire):
    """Only on gemini-generate."""
    if wire in ("openai-chat", "chat"):
        return f"continuation/openai-responses of {wire}"
    return {"anthropic-messages-2": 1, "not-openai-chat": 2, "an example: --wire openai-chat": 3}
'''
    assert list(named(source)) == [(2, "text-tags"), (6, "openai-chat"), (7, "openai-responses")]


def test_what_is_a_wires_own_is_found() -> None:
    source = '''"""About ANT-15."""
SIGNED = {"ANT-15", "ANT-1500", "authorization"}
def f(rule):
    """As OPENAI_BASE_URL says."""
    text = f"set OPENAI_BASE_URL, not {rule}"
    return text if rule == "x-api-key" else "such as ANT-15"
'''
    assert sorted(owned(source)) == [(2, "ANT-15"), (5, "OPENAI_BASE_URL"), (6, "x-api-key")]
