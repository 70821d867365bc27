"""The grammar of event expressions, and its parser.

    expression = series { "|" series }
    series     = { item }
    item       = ( event | "(" expression ")" ) [ "*" | "+" | "?" | "{" n "}" | "{" n "," "}" | "{" n "," m "}" ]
    event      = name [ "(" constraint { "," constraint } ")" ]
    constraint = word | '"' text '"'

White space separates and means nothing else, with one exception: the bracket of a constraint touches its event
(``toolStart(create_file)``), and the bracket of a group does not touch anything before it. ``#`` begins a comment
that goes to the end of the line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NoReturn

from harness.scenario.automaton import Choice, EventExpression, Node, Repeat, Series, TooLarge, compile_expression
from harness.scenario.patterns import EVENTS, EventPattern, Field
from harness.scenario.words import did_you_mean, either

MAX_REPEAT = 500

MAX_DEPTH = 50
"""How deep brackets may be nested."""

MAX_LENGTH = 20_000
"""Characters of an expression."""

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|\#[^\n]*)+)
      | (?P<event>[A-Za-z][A-Za-z0-9_-]*)(?P<open>\()?
      | (?P<count>\{\s*(?P<low>[0-9]+)\s*(?P<comma>,\s*(?P<high>[0-9]+)?\s*)?\})
      | (?P<mark>[()|*+?])""",
    re.VERBOSE,
)
_CONSTRAINT = re.compile(r"""\s*(?:(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<word>[^\s,()"|*+?{}]+))\s*(?P<end>[,)])""")
_MARKS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class ExpressionError(Exception):
    """The expression cannot be read. ``at`` is the offset of the offending ``text`` in the source."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def parse(source: str, tools: Collection[str] = ()) -> EventExpression:
    """Compile an event expression. ``tools``, if there are any, are the only tool names that it may speak of.

    Raises ``ExpressionError`` with the place of the first thing that is wrong.
    """
    if len(source) > MAX_LENGTH:
        raise ExpressionError(f"at most {MAX_LENGTH:,} characters", 0)
    parser = _ExpressionParser(source, tools)
    tree = parser.expression()
    parser.finish()
    try:
        return compile_expression(source, tree)
    except TooLarge:
        raise ExpressionError("repetitions multiply to too many events; use + or *", 0) from None


@dataclass(frozen=True, slots=True)
class _Token:
    match: re.Match[str] | None
    at: int

    @property
    def mark(self) -> str | None:
        """The punctuation that this token is, ``""`` at the end of the source."""
        return self.match["mark"] if self.match else ""


class _ExpressionParser:
    def __init__(self, source: str, tools: Collection[str]) -> None:
        self._source = source
        self._tools = tools
        self._depth = 0
        self._token = _Token(None, 0)
        self._advance(0)

    def expression(self) -> Node:
        branches = [self._series()]
        while self._token.mark == "|":
            self._advance()
            branches.append(self._series())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def finish(self) -> None:
        if self._token.match is not None:
            self._fail("this bracket closes nothing")

    def _series(self) -> Node:
        items = []
        while self._token.match is not None and self._token.mark not in ("|", ")"):
            items.append(self._item())
        return items[0] if len(items) == 1 else Series(tuple(items))

    def _item(self) -> Node:
        item = self._group() if self._token.mark == "(" else self._event()
        token = self._token
        if token.mark in _MARKS:
            low, high = _MARKS[token.mark]
        elif token.match is not None and token.match["count"]:
            low, high = self._bounds(token.match)
        else:
            return item
        self._advance()
        if self._token.mark in _MARKS or (self._token.match is not None and self._token.match["count"]):
            self._fail("one repetition is enough; put a group in brackets to repeat it again")
        return Repeat(item, low, high)

    def _bounds(self, match: re.Match[str]) -> tuple[int, int | None]:
        low = _number(match["low"])
        high = low if match["comma"] is None else None if match["high"] is None else _number(match["high"])
        if max(low, high or 0) > MAX_REPEAT:
            self._fail(f"at most {MAX_REPEAT} repetitions")
        if high is not None and high < low:
            self._fail(f"at least {low} and at most {high} cannot be")
        return low, high

    def _group(self) -> Node:
        opened = self._token.at
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"brackets are nested at most {MAX_DEPTH} deep")
        self._advance()
        inner = self.expression()
        self._depth -= 1
        if self._token.mark != ")":
            raise ExpressionError("this bracket is never closed", opened)
        self._advance()
        return inner

    def _event(self) -> EventPattern:
        match = self._token.match
        if match is None or match["event"] is None:
            self._fail("expected an event or a group before this")
        kind = match["event"]
        if kind not in EVENTS:
            self._fail(f"'{kind}' is no event; expected {either(EVENTS)}{did_you_mean(kind, EVENTS)}")
        constraints, end = self._constraints(kind, match.end()) if match["open"] else ((), match.end())
        self._advance(end)
        return EventPattern(kind, constraints)

    def _constraints(self, kind: str, at: int) -> tuple[tuple[tuple[int, str], ...], int]:
        """The constraints from ``at``, just after the opening bracket, and where they end."""
        found: dict[int, str] = {}
        while True:
            match = _CONSTRAINT.match(self._source, at)
            if match is None:
                raise ExpressionError(f"expected words separated by commas and a ')' for this {kind}", at)
            index, value = self._constraint(kind, match)
            if index in found:
                raise ExpressionError(f"two words for the {EVENTS[kind][index].name} of one {kind}", _start(match))
            found[index] = value
            at = match.end()
            if match["end"] == ")":
                return tuple(sorted(found.items())), at

    def _constraint(self, kind: str, match: re.Match[str]) -> tuple[int, str]:
        """Which field this word is about: the one that has it in its list, else the one that takes any word."""
        word, text = match["word"], match["text"]
        for index, field in enumerate(EVENTS[kind]):
            if word is not None and field.words is not None and word in field.words:
                return index, word
        for index, field in enumerate(EVENTS[kind]):
            if field.words is None and (text is not None or not field.quoted):
                return index, self._value(field, match)
        known = [word for field in EVENTS[kind] for word in field.words or ()]
        expected = either(known) if known else "a text in double quotes"
        came = word if word is not None else text
        raise ExpressionError(f"{kind} takes {expected}, not {came}{did_you_mean(came, known)}", _start(match))

    def _value(self, field: Field, match: re.Match[str]) -> str:
        value = match["word"] if match["word"] is not None else _unquote(match)
        if field.name == "tool name" and self._tools and value not in self._tools:
            hint = did_you_mean(value, self._tools)
            raise ExpressionError(
                f"the script calls no tool '{value}', only {either(self._tools)}{hint}", _start(match)
            )
        return value

    def _advance(self, to: int | None = None) -> None:
        at = to if to is not None else self._token.match.end() if self._token.match else self._token.at
        match = _TOKEN.match(self._source, at)
        if match is not None and match["space"]:
            at = match.end()
            match = _TOKEN.match(self._source, at)
        if match is None and at < len(self._source):
            raise ExpressionError(f"'{self._source[at]}' means nothing here", at)
        self._token = _Token(match, at)

    def _fail(self, message: str) -> NoReturn:
        raise ExpressionError(message, self._token.at)


def _number(digits: str) -> int:
    """The number; of one with thousands of digits, which Python refuses to read, another that is too large."""
    return int(digits[-9:]) if not digits[:-9].strip("0") else MAX_REPEAT + 1


def _unquote(match: re.Match[str]) -> str:
    try:
        return str(json.loads(match["text"]))
    except ValueError:
        raise ExpressionError("this text has an escape that JSON does not know", _start(match)) from None


def _start(match: re.Match[str]) -> int:
    return match.start("text") if match["text"] is not None else match.start("word")
