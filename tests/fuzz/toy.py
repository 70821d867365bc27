"""A campaign small enough to see through: a parser that must give back the word that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

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


def _open(target: str | None) -> Parser:
    if target not in PARSERS:
        raise BadInput(f"--target {target}: no such parser")
    return PARSERS[target]


def _check(example: Word, subject: Parser) -> int:
    try:
        text = subject(example.text)
    except Exception as error:
        raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error
    if len(text) < min(len(example.text), 13):
        raise Falsified("length", str(len(example.text)), str(len(text)))
    if text != example.text:
        raise Falsified("same", example.text, text)
    return 1


def _features_of(example: Word) -> Iterable[str]:
    if not example.text:
        yield "empty"
    if len(example.text) > 12:
        yield "long"
    yield from {letter for letter in example.text if letter in "xz"}


def _smaller(example: Word) -> Iterator[Word]:
    text = example.text
    yield from (Word(text[:at] + text[at + 1 :]) for at in range(len(text)))
    yield from (Word(f"{text[:at]}a{text[at + 1 :]}") for at in range(len(text)) if text[at] != "a")


def _from_json(document: Mapping[str, JsonValue]) -> Word:
    text = document.get("text")
    if not isinstance(text, str):
        raise ValueError(f"expected a text under 'text', got {text!r}")
    return Word(text)


def _scenario(example: Word, name: str, summary: str) -> Mapping[str, str] | None:
    return {f"{name}.yaml": f"# {summary}\n{example.text}\n"} if example.text else None


CAMPAIGN: Final[Campaign[Word, Parser]] = Campaign(
    name="toy",
    summary="Words.",
    signature="parse(text: str) -> str",
    oracles={"length": "As long as it came.", "same": "As it came.", "raises": "No exception."},
    features=("empty", "x", "z", "long"),
    budget={"ci": 200, "nightly": 2_000},
    chunk=50,
    open=_open,
    enumerated=lambda: (Word("a" * size) for size in range(20)),
    examples=lambda: st.text("axyz", max_size=30).map(Word),
    check=_check,
    features_of=_features_of,
    smaller=_smaller,
    to_json=lambda example: {"text": example.text},
    from_json=_from_json,
    scenario=_scenario,
)
