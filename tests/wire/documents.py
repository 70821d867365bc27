"""The documents of the shared folder that state what a provider demands, and where the rules of its wire differ."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from harness.wire import Wire, WireName, wire


class Row(NamedTuple):
    """A row of a document's table: what it says of the answer, of its param and code, and the letter of its level."""

    answer: str
    place: str
    level: str


@dataclass(frozen=True)
class Document:
    """A document, and how the rules differ from it, with the reasons.

    ``left_out`` are its rows without a rule, ``added`` the rules without a row. ``levels``: its letter, ours, and why.
    ``unseen`` are the certain answers that nobody has sent in, by rule and name. ``elsewhere`` are its texts that no
    template says, by their rules: how they begin, and why. Where these are None, nobody asks.
    """

    wire: WireName
    file: str
    rows_in_all: int
    left_out: dict[str, str] = field(default_factory=dict)
    added: frozenset[str] = frozenset()
    levels: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    unseen: dict[tuple[str, str], str] | None = None
    elsewhere: dict[str, tuple[str, str]] | None = None

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
                found[cells[0]] = Row(cells[2], cells[3], level[1] if level else "")
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
    elsewhere={
        "GEM-08": ("in the `2.` content block", "an older wording, in the rule's evidence"),
        "GEM-12": ("", "a gateway's texts, not Google's"),
        "GEM-22": ("… unless the last part is a function response.", "an older wording, in the rule's evidence"),
        "GEM-24": ("'minimal' is not a supported", "the Interactions API's text, in the rule's evidence"),
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
MESSAGES = Document(
    "anthropic-messages",
    "anthropic.md",
    30,
    added=frozenset(
        {
            *(f"ANT-{number}" for number in range(31, 37)),
            *("ANT-BODY", "ANT-CACHE", "ANT-CHOICE", "ANT-CITED", "ANT-FORMAT", "ANT-IMAGE", "ANT-LAST", "ANT-MODE"),
            *("ANT-MODEL", "ANT-OFF", "ANT-OUTPUT", "ANT-PREFILL", "ANT-RANGE", "ANT-ROLE", "ANT-SAMPLING"),
            *("ANT-TAG", "ANT-THREAD", "ANT-VERSION"),
        }
    ),
    elsewhere={
        "ANT-14": ("Invalid `data` in `redacted_thinking` block", "the place in front of it is left out"),
        "ANT-23": ("web_search tool use with id", "the documentation has the name of the tool in backticks"),
    },
)
CHAT = Document(
    "openai-chat",
    "openai-chat.md",
    19,
    added=frozenset(
        {
            *("OAC-19", "OAC-CACHE", "OAC-EFFORT", "OAC-FILE", "OAC-FORCED", "OAC-FORMAT", "OAC-JSON", "OAC-MODEL"),
            *("OAC-NAME", "OAC-NUMBER", "OAC-ORDER", "OAC-PARAM", "OAC-PART", "OAC-ROLE", "OAC-SIGNED", "OAC-TYPE"),
        }
    ),
    levels={
        "OAC-02": ("C", "I", "the answer is certain, that a name is unknown to a server is inferred from it"),
        "OAC-11": ("L", "C", "bodies with both texts are quoted in threads"),
        "OAC-16": ("L", "C", "it was recorded: chat-bad-request"),
    },
    elsewhere={},
)
RESPONSES = Document(
    "openai-responses",
    "openai-responses.md",
    28,
    added=frozenset(
        {
            *("OAI-COMPACT", "OAI-CONNECTION", "OAI-CONVERSATION", "OAI-DS", "OAI-FORMAT", "OAI-LENGTH", "OAI-NS"),
            "OAI-OUTSCHEMA",
        }
    ),
    levels={
        "OAI-20": ("L", "C", "the assistant's parts: hermes-agent issue 15687; an output's: nagobot issue 27"),
        "OAI-25": ("L", "C", "codegraff issue 930, word for word, for a request to this API"),
    },
    elsewhere={
        "OAI-15": ("of type 'message'", "a part of a text"),
        "OAI-22": ("integer below minimum value", "what the text is about"),
    },
)
DOCUMENTS = (GENERATE, INTERACTIONS, CONVERSE, MESSAGES, CHAT, RESPONSES)
