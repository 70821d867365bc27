"""An example as a regression scenario: a model that writes these arguments, in the smallest possible deltas."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from harness.fuzz.arguments.document import document_of
from harness.fuzz.arguments.example import ArgumentsExample
from harness.fuzz.yaml_text import yaml_text
from harness.wire.characters import is_sendable, joined
from harness.wire.json_text import strict

_SCENARIO: Final = """\
scenario: {name}
profile: {profile}
summary: {summary}
wires: [openai-responses, openai-chat, anthropic-messages]  # on Gemini arguments are an object, never text

prompt: Write it down.
tools: {tools}
model:
  - calls:
      - name: {tool}
        arguments: {arguments}{invalid}
    deltas: {deltas}
  - text: Done.

expect:
  outcome: completed
  turns: 2
  events: |
    {events}
    assistant("Done.") final(completed)

vary:
  chunking: [byte]
"""

_NOTE: Final = """
  - name: note
    description: Writes something down.
    parameters: {type: object, properties: {}}
    returns: written"""

_HAS_ASTRAL: Final = re.compile("[\U00010000-\U0010ffff]")


def scenario(example: ArgumentsExample, name: str, summary: str) -> Mapping[str, str] | None:
    """The scenario as ``NAME.yaml``.

    None for a single half of a character, which YAML cannot contain, for a text whose meaning is disputed (blanks, NaN
    and infinities), and for an example that checks the amount of work.

    Arguments with one ``content`` go to ``create_file``. It is previewed, so the rules about previews judge it; whether
    it runs is its own business. (No rule knows what to show of a content that comes twice.) All others go to a tool
    that takes any object.
    """
    text = joined(example.text)
    if example.stretch is not None or not is_sendable(text) or _is_disputed(text):
        return None
    previewed = len(document_of(text).by_key.get("content", ())) == 1
    tool = "create_file" if previewed else "note"
    document = _SCENARIO.format(
        name=name,
        profile="screenshot-to-code" if previewed else "universal",
        summary=yaml_text(summary),
        tools="[create_file]" if previewed else _NOTE,
        tool=tool,
        arguments=yaml_text(text),
        invalid="\n        invalid: true" if _is_invalid(text, tool) else "",
        deltas="utf16" if _HAS_ASTRAL.search(text) else "character",
        events=_events(text, tool),
    )
    return {f"{name}.yaml": document}


def _events(text: str, tool: str) -> str:
    failed = f"toolResult({tool}, failed)"
    if not _is_object(text):
        results = failed
    elif tool == "note":
        results = f"toolResult({tool}, ok)"
    else:
        results = f"(setCode(result) toolResult({tool}, ok) | {failed})"
    previews = "setCode(preview)* " if tool == "create_file" else ""
    return f"toolStart({tool}) {previews}{results}"


def _is_object(text: str) -> bool:
    """Whether a loop may run with this text. An empty text is an empty object, as calls without arguments are sent."""
    try:
        return not text.strip() or isinstance(strict(text), dict)
    except (ValueError, RecursionError):
        return False


def _is_disputed(text: str) -> bool:
    return text.isspace() or (_is_json(text) and not _is_object(text) and text.lstrip().startswith("{"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_invalid(text: str, tool: str) -> bool:
    """Whether the scenario must declare that the tool's schema does not accept this."""
    from harness.scenario.arguments import (  # jsonschema is needed by nothing else here
        argument_problems,
        canonical,
        validator,
    )

    schema = canonical(tool) if tool == "create_file" else validator({"type": "object", "properties": {}})
    return any(True for _ in argument_problems(text, schema))
