"""A campaign small enough to see through: a parser that must give back the word that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from hypothesis import strategies as st

from harness.errors import BadInput
from harness.fuzz.campaign import Campaign, Falsified
from harness.trace import JsonValue

Parser = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Word:
    text: str


def _raises(text: str) -> str:
    if "z" in text:
        raise ValueError("z")
    return text


PARSERS: dict[str | None, Parser] = {
    None: str,
    "drops-x": lambda text: text.replace("x", ""),
    "cuts": lambda text: text[:12],
    "drops-x-and-cuts": lambda text: text.replace("x", "")[:12],
    "raises": _raises,
}


class ToyCampaign(Campaign[Word, Parser]):
    name = "toy"
    summary = "Words."
    signature = "parse(text: str) -> str"
    oracles = {"length": "As long as it came.", "same": "As it came.", "raises": "No exception."}  # noqa: RUF012
    features = ("empty", "x", "z", "long")
    budget = {"ci": 200, "nightly": 2_000}  # noqa: RUF012
    chunk = 50

    def open(self, target: str | None) -> Parser:
        if target not in PARSERS:
            raise BadInput(f"--target {target}: no such parser")
        return PARSERS[target]

    def enumerated(self) -> Iterator[Word]:
        for size in range(20):
            yield Word("a" * size)

    def examples(self) -> st.SearchStrategy[Word]:
        return st.text("axyz", max_size=30).map(Word)

    def check(self, example: Word, subject: Parser) -> int:
        try:
            text = subject(example.text)
        except Exception as error:
            raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error
        if len(text) < min(len(example.text), 13):
            raise Falsified("length", str(len(example.text)), str(len(text)))
        if text != example.text:
            raise Falsified("same", example.text, text)
        return 1

    def features_of(self, example: Word) -> Iterable[str]:
        if not example.text:
            yield "empty"
        if len(example.text) > 12:
            yield "long"
        yield from {letter for letter in example.text if letter in "xz"}

    def smaller(self, example: Word) -> Iterator[Word]:
        text = example.text
        yield from (Word(text[:at] + text[at + 1 :]) for at in range(len(text)))
        yield from (Word(f"{text[:at]}a{text[at + 1 :]}") for at in range(len(text)) if text[at] != "a")

    def to_json(self, example: Word) -> Mapping[str, JsonValue]:
        return {"text": example.text}

    def from_json(self, document: Mapping[str, JsonValue]) -> Word:
        text = document.get("text")
        if not isinstance(text, str):
            raise ValueError(f"expected a text under 'text', got {text!r}")
        return Word(text)

    def scenario(self, example: Word, name: str, summary: str) -> Mapping[str, str] | None:
        return {f"{name}.yaml": f"# {summary}\n{example.text}\n"} if example.text else None
