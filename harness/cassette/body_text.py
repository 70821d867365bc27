"""A body as a scalar of YAML that a person can read, and that every reader of YAML reads to the same bytes.

A text stands there line by line. Where YAML can hold it as it is, that is a literal block. A literal block cannot hold
carriage returns (Gemini ends its lines with them) or invisible characters, and white space at the end of a line is lost
in the first editor that trims it; such a text is quoted, with every line on a line of its own. What is no text at all
is binary.
"""

from __future__ import annotations

import base64
import re

_BASE64_LINE = 76

_STEP = "2"
"""How far a block is indented under the member that it is the value of."""

_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
"""Control characters that no text has. The escape is not among them: output of tools for terminals has it."""

_NOT_LITERAL = re.compile("[\r\x1b\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|[ \t](?=\n|$)")
_ESCAPED = re.compile('["\\\\\n\t\r\x1b\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def body_text(body: bytes, spaces: int) -> str:
    """The scalar for ``body``, without a line end.

    Its further lines begin after ``spaces`` spaces, which must be two more than its member has.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _binary(body, spaces)
    if _NO_TEXT.search(text):
        return _binary(body, spaces)
    if not text.strip("\n") or _NOT_LITERAL.search(text):
        return _quoted(text, spaces)
    return _literal(text, spaces)


def _binary(body: bytes, spaces: int) -> str:
    encoded = base64.b64encode(body).decode()
    lines = [encoded[at : at + _BASE64_LINE] for at in range(0, len(encoded), _BASE64_LINE)]
    return "!!binary |\n" + "\n".join(" " * spaces + line for line in lines)


def _literal(text: str, spaces: int) -> str:
    """The indicators say how far the text is indented, where its own beginning would hide that, and how it ends."""
    indented = _STEP if text[0] in " \t\n" else ""
    kept = "+" if text.endswith("\n\n") else "" if text.endswith("\n") else "-"
    lines = text.removesuffix("\n").split("\n")
    return f"|{indented}{kept}\n" + "\n".join(" " * spaces + line if line else "" for line in lines)


def _quoted(text: str, spaces: int) -> str:
    """A backslash before a line end joins the line to the next, whose leading white space does not count."""
    lines = [_ESCAPED.sub(_escape, line) for line in text.splitlines(keepends=True)] if text else [""]
    joint = "\\\n" + " " * spaces
    return (
        '"' + joint.join("\\" + line if number and line[0] == " " else line for number, line in enumerate(lines)) + '"'
    )


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return _SHORT.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}")
