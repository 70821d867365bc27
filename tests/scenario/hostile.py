"""Scenario files that somebody has written to do harm, or to find out whether they can. Each is made in code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_HEAD = "scenario: hostile\nprofile: universal\nsummary: Small.\nprompt: Hello.\n"
_TAIL = "expect:\n  outcome: completed\n"
_HI = "model:\n  - text: Hi.\n"


def with_tool(parameters: object, *more: str) -> str:
    """A scenario with one tool; JSON is YAML. ``more`` are lines behind it."""
    tool = {"name": "look_up", "description": "d", "parameters": parameters, "returns": 1}
    return "".join([_HEAD, f"tools: [{json.dumps(tool)}]\n", *(more or (_HI,)), _TAIL])


def called(parameters: object, arguments: object) -> str:
    """A scenario whose script calls a tool with these arguments."""
    call = {"name": "look_up", "arguments": arguments}
    return with_tool(parameters, f"model:\n  - calls: [{json.dumps(call)}]\n  - text: Hi.\n")


def mapping(**properties: object) -> dict[str, Any]:
    """The JSON Schema of an object."""
    return {"type": "object", "properties": properties}


def _events(expression: str) -> str:
    return f"{_HEAD}tools: [create_file]\n{_HI}{_TAIL}  events: {json.dumps(expression)}\n"


def _bomb(line: str, last: str) -> str:
    lines = [line.format(name=chr(ord("a") + level), before=chr(ord("a") + level - 1)) for level in range(1, 12)]
    return "\n".join(["a: &a [x, x, x, x, x, x, x, x, x, x]", *lines, last, ""])


def _branching(levels: int) -> dict[str, Any]:
    """Each level refers twice to the next one: 2^levels comparisons of one value."""
    inner: dict[str, Any] = {
        f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}, {"$ref": f"#/$defs/d{level + 1}"}]}
        for level in range(levels)
    }
    return {**mapping(value={"$ref": "#/$defs/d0"}), "$defs": {**inner, f"d{levels}": {"type": "integer"}}}


_RECURSIVE = {
    **mapping(a={"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
    "description": "each level of a value is compared twice as often as the one above it",
}


def _nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


_RUNAWAY = "a" * 40 + "!"

HOSTILE: Final[Mapping[str, str | bytes]] = {
    # files that are no scenario
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "utf-16": "scenario: a\n".encode("utf-16"),
    "not-utf-8": b"scenario: \xff\xfe\n",
    "nul": b"scenario: a\x00b\n",
    "large": "# " + "x" * 1_100_000,
    "python-object": "scenario: !!python/object/apply:os.system [id]\n",
    "surrogate": f'{_HEAD}model:\n  - text: "\\ud800"\n{_TAIL}',
    # bombs
    "bomb-of-lists": _bomb("{name}: &{name} [*{before}, *{before}, *{before}, *{before}, *{before}]", "scenario: *l"),
    "bomb-of-mappings": _bomb("{name}: &{name} {{x: *{before}, y: *{before}, z: *{before}}}", "scenario: *l"),
    "loop": "scenario: &a [*a]\n",
    "loop-of-mappings": "scenario: &a {b: *a}\n",
    "deep": "scenario: " + "[" * 50_000 + "]" * 50_000 + "\n",
    "deep-block": "".join(" " * level + "a:\n" for level in range(1000)),
    "keys": _HEAD + "".join(f"key{number}: 1\n" for number in range(6_000)) + _HI + _TAIL,
    "tools": _HEAD + "tools: [" + ", ".join(["create_file"] * 15_000) + "]\n" + _HI + _TAIL,
    "own-tools": _HEAD
    + "tools:\n"
    + "".join(f"  - {{name: t{n}, description: d, parameters: {{type: object}}, returns: 1}}\n" for n in range(3_000))
    + _HI
    + _TAIL,
    "unknown-tools": _HEAD + "tools: [" + ", ".join(f"tool_{n}" for n in range(15_000)) + "]\n" + _HI + _TAIL,
    "unknown-calls": _HEAD + "tools: [create_file]\nmodel:\n  - calls:\n" + "    - {x_file: {}}\n" * 9_000 + _TAIL,
    "steps": _HEAD + "model:\n" + "  - {text: a, repeat: 100}\n" * 6_000 + _TAIL,
    "similar-names": f"{_HEAD}tools: [create_file]\nmodel:\n  - calls: [{{name: {'ab' * 100_000}, arguments: {{}}, "
    f"invalid: true}}]\n{_TAIL}  ran: [{'ba' * 100_000}]\n",
    # out of the folder
    "include-above": f"{_HEAD}model:\n  - text: !include ../../../../etc/passwd\n{_TAIL}",
    "include-absolute": f"{_HEAD}model:\n  - text: !include /etc/passwd\n{_TAIL}",
    "include-device": f"{_HEAD}model:\n  - text: !include /dev/zero\n{_TAIL}",
    "include-nul": f'{_HEAD}model:\n  - text: !include "a\\0b"\n{_TAIL}',
    "name-with-path": _HEAD.replace("hostile", "../../etc/cron.d/x") + _HI + _TAIL,
    "name-of-an-option": _HEAD.replace("hostile", "-rf") + _HI + _TAIL,
    "name-with-nul": _HEAD.replace("hostile", '"a\\0b"') + _HI + _TAIL,
    "name-of-5000": _HEAD.replace("hostile", "a" * 5_000) + _HI + _TAIL,
    # numbers
    "infinite": f"{_HEAD}model:\n  - http: {{status: 429, retry_after: 1e999}}\n  - text: Hi.\n{_TAIL}",
    "digits": f"{_HEAD}turn_limit: {'9' * 5_000}\n{_HI}{_TAIL}",
    "usage": f"{_HEAD}model:\n  - {{text: Hi., usage: {{input: 99999999999999999999}}}}\n{_TAIL}",
    "raw-digits": called(mapping(n={"type": "integer"}), f'{{"n": {"9" * 5_000}}}'),
    # event expressions
    "brackets-300": _events("(" * 300 + "final" + ")" * 300),
    "brackets-100000": _events("(" * 100_000 + "final" + ")" * 100_000),
    "repeated-nothing": _events("((((() {500}) {500}) {500}) {500}) {500} final"),
    "count-of-5000-digits": _events(f"final{{{'9' * 5_000}}}"),
    "repeated-events": _events("((final{500}){500}){500}"),
    # references
    "ref-http": with_tool({**mapping(), "$ref": "http://127.0.0.1:PORT/schema.json"}),
    "ref-file": with_tool({**mapping(), "$ref": "file://FILE"}),
    "ref-relative": with_tool({**mapping(), "$ref": "secret.json"}),
    "ref-in-items": called(mapping(a={"type": "array", "items": {"$ref": "http://127.0.0.1:PORT/a#/b"}}), {"a": [1]}),
    "ref-by-id": with_tool(
        {**mapping(a={"$id": "http://127.0.0.1:PORT/x.json", "properties": {"b": {"$ref": "y.json"}}})}
    ),
    "ref-by-top-id": with_tool({**mapping(a={"$ref": "y.json"}), "$id": "http://127.0.0.1:PORT/x.json"}),
    "ref-in-definitions": with_tool({**mapping(), "definitions": {"a": {"$ref": "http://127.0.0.1:PORT/"}}}),
    "ref-by-way-of-default": called(
        mapping(a={"$ref": "#/properties/b/default", "default": 1}, b={"default": {"$ref": "http://127.0.0.1:PORT/"}}),
        {"a": 1},
    ),
    "dynamic-ref": with_tool({**mapping(), "$dynamicRef": "http://127.0.0.1:PORT/"}),
    "recursive-ref": with_tool({**mapping(), "$recursiveRef": "http://127.0.0.1:PORT/"}),
    "draft-inside": called(
        mapping(a={"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "http://127.0.0.1:PORT/"}), {"a": 1}
    ),
    "ref-to-nothing": with_tool(mapping(a={"$ref": "#/$defs/nothing"})),
    "ref-to-a-text": with_tool(mapping(a={"$ref": "#/type"})),
    "ref-to-an-index": with_tool({**mapping(a={"$ref": "#/allOf/x"}), "allOf": [{}]}),
    "ref-circle": called({**mapping(), "$ref": "#"}, {}),
    "ref-circle-of-three": called(
        {
            **mapping(x={"$ref": "#/$defs/a"}),
            "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}},
        },
        {"x": 1},
    ),
    "ref-branching": called(_branching(45), {"value": 1}),
    "ref-branching-by-depth": called(_RECURSIVE, _nested(40)),
    "ref-branching-by-depth-raw": called(_RECURSIVE, json.dumps(_nested(200))),
    # regular expressions
    "pattern-broken": with_tool(mapping(a={"type": "string", "pattern": "("})),
    "pattern-huge": with_tool(mapping(a={"pattern": "a{1000}{1000}{1000}"})),
    "pattern-long": with_tool(mapping(a={"pattern": "a" * 500_000})),
    "pattern-slow": called(mapping(a={"pattern": "[ab]*a[ab]{900}[^ab]"}), {"a": "ab" * 200_000}),
    "pattern-with-look-around": called(mapping(a={"pattern": "^(?=a)((a|aa)+)+(?!b)\\1$"}), {"a": "a" * 50_000 + "!"}),
    "unevaluated-patterns": called(
        {**mapping(), "patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False}, {_RUNAWAY: 1}
    ),
    # schemas that take long
    "all-of-many": called(mapping(a={"allOf": [{"type": "integer"}] * 3_000}), json.dumps({"a": [0] * 300_000})),
    "enums": called(
        mapping(a={"type": "array", "items": {"enum": list(range(4_000))}}), json.dumps({"a": ["x"] * 100_000})
    ),
    "unique-objects": called(
        mapping(a={"uniqueItems": True, "type": "array", "items": {"required": ["b"]}}),
        json.dumps({"a": [{}, 1] * 50_000}),
    ),
    "unevaluated-items": called(
        mapping(a={"contains": {"type": "integer"}, "unevaluatedItems": False}), json.dumps({"a": [1] * 100_000})
    ),
    "raw-deep": called(mapping(a={}), '{"a":' * 50_000 + "1" + "}" * 50_000),
    "pattern-huge-used": called(mapping(a={"pattern": "a{1000}{1000}{1000}"}), {"a": "a"}),
    "problems-in-arguments": called(mapping(a={"items": {"type": "integer"}}), {"a": ["x"] * 9_000}),
    "draft-no-text": with_tool({**mapping(), "$schema": ["a"]}),
    "address-no-address": with_tool({**mapping(a={"$ref": "#/$defs/b"}), "$id": "http://[", "$defs": {"b": 5}}),
}
"""What must end with exit code 2: bad input, by a name of the file. PORT and FILE are a listener and a file that
must be left alone."""

FINE: Final[Mapping[str, str]] = {
    "name-of-300": _HEAD.replace("hostile", "a" * 300) + _HI + _TAIL,
    "bidi": _HEAD.replace("Small.", '"\\u202Eevil\\u2066"') + _HI + _TAIL,
    "nothing-repeated": _events("() {3} (final)"),
    "a-member-called-ref": called(mapping(**{"$ref": {"type": "string"}}), {"$ref": "http://127.0.0.1:PORT/"}),
    "a-choice-called-ref": with_tool(mapping(a={"enum": [{"$ref": "http://127.0.0.1:PORT/"}]})),
    "formats": called(
        mapping(a={"format": "regex"}, b={"format": "idn-email"}, c={"format": "http://127.0.0.1:PORT/"}),
        {"a": "(", "b": "@", "c": "x"},
    ),
    "draft-7": called(
        {
            **mapping(a={"$ref": "#/definitions/b"}, again={"$ref": "#"}),
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$id": "http://127.0.0.1:PORT/schema.json",
            "definitions": {"b": {"type": "integer"}},
        },
        {"a": 1, "again": {"a": 2, "again": {}}},
    ),
    "pattern-of-nested-repeats": called(mapping(a={"type": "string", "pattern": "^(a+)+!$"}), {"a": _RUNAWAY}),
    "patterns-of-members": called(
        {**mapping(), "patternProperties": {"^(a+)+!$": {"type": "integer"}}, "additionalProperties": False},
        {_RUNAWAY: 1},
    ),
    "look-around": called(mapping(a={"pattern": "^(?!b)a+$"}), {"a": "aaa"}),
    "unique": called(mapping(a={"uniqueItems": True}), {"a": [1, True, "1", [1], {"a": 1}]}),
    "any-number": called(mapping(a={"multipleOf": 1e-300}, b={"multipleOf": 2}), {"a": 1, "b": 10**19}),
}
"""What looks like one of these and is none: exit code 0."""


def write_all(folder: Path, files: Mapping[str, str | bytes], *, port: int, file: Path) -> dict[str, Path]:
    """Write the files, each into a folder of its own because names are unique in one."""
    written = {}
    for name, content in files.items():
        text = content if isinstance(content, bytes) else content.encode()
        path = folder / name / "scenario.yaml"
        path.parent.mkdir(parents=True)
        path.write_bytes(text.replace(b"PORT", str(port).encode()).replace(b"FILE", str(file).encode()))
        written[name] = path
    return written
