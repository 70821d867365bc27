"""Writes a body as a YAML scalar that a person can read, and that every YAML reader reads as the same bytes.

A text is written line by line, if possible as a literal block. But a literal block cannot contain carriage returns
(Gemini ends its lines with them) or invisible characters, and an editor may trim white space at the ends of its lines.
A text with any of these is quoted, with every line on a separate line. A body that is no text is written as binary.
"""

from __future__ import annotations

import base64
import re

_BASE64_LINE = 76

_STEP = "2"
"""The indentation of a block relative to its member."""

_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
"""Control characters that no text contains. Escape is not among them: terminal output of tools has it."""

_NOT_LITERAL = re.compile("[\r\x1b\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|[ \t](?=\n|$)")
_ESCAPED = re.compile('["\\\\\n\t\r\x1b\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def body_text(body: bytes, spaces: int) -> str:
    """The scalar for ``body``, without a line end.

    Its other lines begin after ``spaces`` spaces, which must be two more than the indentation of its member.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _binary(body, spaces)
    if _NO_TEXT.search(text):
        return _binary(body, spaces)
    if not text.strip("\n") or _NOT_LITERAL.search(text):
        return _quoted_text(text, spaces)
    return _literal(text, spaces)


def _binary(body: bytes, spaces: int) -> str:
    encoded = base64.b64encode(body).decode()
    lines = [encoded[at : at + _BASE64_LINE] for at in range(0, len(encoded), _BASE64_LINE)]
    return "!!binary |\n" + "\n".join(" " * spaces + line for line in lines)


def _literal(text: str, spaces: int) -> str:
    """A literal block. Its indicators define how it ends and, if the text begins with spaces, its indentation."""
    indented = _STEP if text[0] in " \t\n" else ""
    kept = "+" if text.endswith("\n\n") else "" if text.endswith("\n") else "-"
    lines = text.removesuffix("\n").split("\n")
    return f"|{indented}{kept}\n" + "\n".join(" " * spaces + line if line else "" for line in lines)


def _quoted_text(text: str, spaces: int) -> str:
    """A quoted text. A backslash before a line end joins the next line, whose leading white space is ignored."""
    lines = [_ESCAPED.sub(_escape, line) for line in text.splitlines(keepends=True)] if text else [""]
    joint = "\\\n" + " " * spaces
    return (
        '"' + joint.join("\\" + line if number and line[0] == " " else line for number, line in enumerate(lines)) + '"'
    )


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return _SHORT.get(char) or (f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}")
