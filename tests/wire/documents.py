"""The documents of the shared folder that state what a provider demands, and where the rules of its wire differ."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness.wire import Wire, WireName, wire


class Row(NamedTuple):
    """A row of a document's table: what it says of the answer, and the letter of its level."""

    answer: str
    level: str


@dataclass(frozen=True)
class Document:
    """A document, and how the rules differ from it, with the reasons.

    ``left_out`` are its rows without a rule, ``added`` the rules without a row. ``levels``: its letter, ours, and why.
    ``unseen`` are the certain answers that nobody has sent in, by rule and name.
    """

    wire: WireName
    file: str
    rows_in_all: int
    left_out: dict[str, str] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    levels: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    unseen: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def speaker(self) -> Wire:
        return wire(self.wire)

    def rows(self, shared: Path) -> dict[str, Row]:
        """The rows of its table by the ids of their rules."""
        found = {}
        for line in (shared / "wire" / self.file).read_text(encoding="utf-8").splitlines():
            if line.startswith(f"| {self.speaker.rule_prefix}-"):
                cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                level = re.search(r"\b([CLI])\b", cells[-1])
                found[cells[0]] = Row(cells[2], level[1] if level else "")
        return found


GENERATE = Document(
    "gemini-generate",
    "gemini.md",
    25,
    added=frozenset(
        {*("GEM-BODY", "GEM-FIELD", "GEM-TYPE", "GEM-PART", "GEM-TOOL", "GEM-RANGE", "GEM-LOGPROBS", "GEM-APART")}
    ),
    levels={
        "GEM-10": ("C", "I", "that the values are accepted is certain; that a careful loop does not send them is ours"),
        "GEM-15": ("L", "I", "nothing of it is refused (status 200), so nobody can be likely to refuse it"),
        "GEM-17": ("C", "I", "that the text is Google's is certain; which names there are is not"),
        "GEM-20": ("C", "L", "the text is Google's for certain; the count is a lower bound by a sibling's tokenizer"),
        "GEM-23": ("C", "L", "certain on Vertex AI, reports differ for the Developer API; two wordings"),
    },
    unseen={
        ("GEM-24", "vertex"): "the text of the other backend, which is certain, with this one's name",
        ("GEM-BODY", ""): "any JSON reader refuses it",
        ("GEM-BODY", "root"): "any JSON reader refuses it",
    },
)
INTERACTIONS = Document(
    "gemini-interactions",
    "gemini-interactions.md",
    31,
    left_out={
        "INT-29": "that a failure is said is a rule on traces: the harness knows what the tool did",
        "INT-30": "which models there are changes, and no wire judges it",
    },
    added=frozenset({"INT-32", "INT-BODY"}),
    levels={
        "INT-04": ("C", "L", "the text is certain, what it answers is likely"),
        "INT-16": ("I", "L", "that a text is refused is likely"),
        "INT-21": ("C", "L", "recordings show that it is accepted; what is certain is the harm"),
        "INT-28": ("C", "L", "what the SDK does is certain; nobody refuses it"),
    },
    unseen={(number, ""): "the text of most refusals" for number in ("INT-10", "INT-11")},
)
CONVERSE = Document(
    "bedrock-converse",
    "bedrock-converse.md",
    39,
    left_out={
        "BED-03": "a result of another call: the call that it leaves without one is BED-01's",
        "BED-07": "an empty result that is no failure: nobody was seen to be refused it",
        "BED-21": "a member that is said twice, in two ways: seen once, of one member",
        "BED-37": "Claude's own rule on forced calls, of models that have ended since",
        "BED-42": "ids of Mistral: what was refused is BED-04",
        "BED-43": "one model's schemas",
        "BED-44": "strict tools of Claude: rules of schemas",
        "BED-45": "settings that single models do not take",
        "BED-46": "images to models that take texts only",
    },
    added=frozenset({"BED-23", "BED-24", "BED-26", "BED-47", "BED-BODY"}),
    levels={
        "BED-11": ("C", "I", "the text is certain; later reports contradict the rule"),
        "BED-17": ("C", "L", "boto3 refuses it for certain; the service's text is unknown"),
        "BED-18": ("C", "L", "boto3 refuses it for certain; the service's text is unknown"),
        "BED-22": ("L", "C", "refused in two more public reports since"),
    },
    unseen={
        ("BED-40", ""): "a report that was cut, and Claude's own text",
        ("BED-40", "forged"): "a report that names it without the place",
    },
)
DOCUMENTS = (GENERATE, INTERACTIONS, CONVERSE)
