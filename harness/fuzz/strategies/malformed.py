r"""Arguments that are no JSON, or not to their end, as models and their servers really send them.

    @given(malformed_arguments(), sizes())
    def test_my_parser_never_raises(text, sizes):
        my_parser(pieces(text, sizes))

Recorded traffic has arguments that end at the token limit, two objects glued together, tokens of the chat template
within a string, and plain words instead of an object. The other mistakes are those that repairing parsers were written
for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

from hypothesis import strategies as st

from harness.fuzz.strategies.arguments import argument_text
from harness.fuzz.strategies.choices import Choices, chosen

_TOKENS: Final = (*"\"{}[]:,\\ 1a\n'é", "\\u", "\\ud83d", '"content"', '"path": "')
_WORDS: Final = ("", " ", "null", "15 * 4", "the release date of Go", "[]", '["content"]', "42", "undefined")
_TEMPLATE: Final = ("<|im_end|>", "</｜DSML｜parameter", "</tool_call>", "<|end|>")
_SAMPLE: Final = '{"content": "a", "path": "b"}'
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_PYTHON: Final = {"true": "True", "false": "False", "null": "None"}


def _cut_off(text: str, choices: Choices) -> str:
    return text[: choices.below(256) % len(text)]


def _single_quotes(text: str, _: Choices) -> str:
    return _STRING.sub(lambda found: "'" + found[1].replace("'", r"\'") + "'", text)


def _bare_keys(text: str, _: Choices) -> str:
    return re.sub(r'"([a-z]+)"(\s*:)', r"\1\2", text)


def _trailing_comma(text: str, _: Choices) -> str:
    return re.sub(r"\}(\s*)$", r",}\1", text)


def _fenced_text(text: str, choices: Choices) -> str:
    return f"```{choices.of(('json', ''))}\n{text}\n```"


def _explained_text(text: str, choices: Choices) -> str:
    return choices.of((f"Here you are: {text}", f"{text}\nDone.", f"{text} // why", f"/* why */ {text}"))


def _python(text: str, _: Choices) -> str:
    return re.sub(r"\b(true|false|null)\b", lambda found: _PYTHON[found[1]], text[:-1].rstrip("}") + ', "flag": true}')


def _raw_controls(text: str, choices: Choices) -> str:
    raw = choices.of(("\n", "\t", "\r\n", "\x00", "\x1f"))
    return _in_a_string(text, raw, choices)


def _raw_backslash(text: str, choices: Choices) -> str:
    return _in_a_string(text, choices.of((r"App\Http", r"C:\users", r"\x41", r"\u12G4", r"\'", r"\0")), choices)


def _raw_quote(text: str, choices: Choices) -> str:
    return _in_a_string(text, ' "quoted" ', choices)


def _template_token(text: str, choices: Choices) -> str:
    return _in_a_string(text, choices.of(_TEMPLATE), choices)


def _written_twice(text: str, _: Choices) -> str:
    return json.dumps(text)


def _glued_texts(text: str, choices: Choices) -> str:
    return text + choices.of(("", " ", ", ")) + choices.of((text, _SAMPLE, "}", '"content": "c"}', "]"))


def _unclosed_text(text: str, _: Choices) -> str:
    return text.rstrip()[:-1]


def _doubled_mark(text: str, choices: Choices) -> str:
    mark = choices.of((",", ":", '"', "{", "}"))
    return text.replace(mark, mark * 2, 1)


def _dropped_mark(text: str, choices: Choices) -> str:
    return text.replace(choices.of((",", ":", '"', "{", "}")), "", 1)


def _no_object(_: str, choices: Choices) -> str:
    return choices.of(_WORDS)


def _anything(_: str, choices: Choices) -> str:
    return "".join(choices.of(_TOKENS) for _ in range(choices.below(20)))


MISTAKES: Final[Mapping[str, Callable[[str, Choices], str]]] = {
    "ends too early": _cut_off,
    "is never closed": _unclosed_text,
    "two objects, or more than one": _glued_texts,
    "a trailing comma": _trailing_comma,
    "single quotes": _single_quotes,
    "keys without quotes": _bare_keys,
    "a code fence": _fenced_text,
    "an explanation or a comment": _explained_text,
    "Python's words": _python,
    "control characters within a string": _raw_controls,
    "backslashes that escape nothing": _raw_backslash,
    "quotes within a string": _raw_quote,
    "a token of the chat template": _template_token,
    "written twice": _written_twice,
    "a mark too many": _doubled_mark,
    "a mark too few": _dropped_mark,
    "no object": _no_object,
    "any marks at all": _anything,
}
"""Each mistake by name: it changes an object, with choices."""


def malformed_arguments() -> st.SearchStrategy[str]:
    """Texts with one of the ``MISTAKES``. A few of them are still JSON: a mistake finds no place in ``{}``."""
    return chosen(_malformed_text)


def _malformed_text(choices: Choices) -> str:
    mistake = choices.of(tuple(MISTAKES.values()))
    text = argument_text(choices) if choices.seldom() else _SAMPLE
    return mistake(text, choices)


def _in_a_string(text: str, raw: str, choices: Choices) -> str:
    """``text`` with ``raw`` in one of its strings, perhaps in a key."""
    quotes = [at for at, character in enumerate(text) if character == '"'] or [0]
    at = quotes[(choices.below(256) + 2) % len(quotes)] + 1
    return text[:at] + raw + text[at:]
