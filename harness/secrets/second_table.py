"""The scan's own table of possible secrets, and its own code: they share nothing with redaction.

It does not know exactly what a key looks like, but what keys have in common: a beginning that some issuer has chosen
and a random rest; a name that means a secret, and a random value; the few forms that standards define.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final

Suspect = tuple[str, int, int]
"""A kind, and where it starts and ends."""

_BEGINNINGS: Final = tuple(files("harness.secrets").joinpath("rules/beginnings.txt").read_text("ascii").split())
"""The beginnings of keys, from their issuers' documentation."""

_LETTERS: Final = r"A-Za-z0-9_.~+/=:$!%|@-"
_WORD: Final = re.compile(rf"[{_LETTERS}]{{15,}}")
_START: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")
_REST: Final = re.compile(r"[A-Za-z0-9_.~+/=|!-]+")
_LOOKED_AT: Final = 300
_SHORT: Final = 5
_INSIDE: Final = ("+", "/", "-", "_")
"""Letters of base64 after which a short beginning may be there by chance."""

_SHORTEST_REST: Final = 11

_NAME: Final = (
    r"(?:key|token|secret|passwo?r?d|passphrase|pwd|credentials?|dsn|jwt|authorization|cookie|_auth|\bauth|"
    r"signature|\bsig)"
)
_ASSIGNED: Final = re.compile(
    rf"(?i)(?<![A-Za-z])(?P<name>(?:[A-Za-z][\w.-]{{0,40}}?[_.-]?)?{_NAME})(?:[_-]?id)?[\"'\\]{{0,3}}"
    r"\s{0,4}(?:=>|:=|[:=>])\s{0,4}[\"'\\]{0,3}(?P<value>[^\s\"'<>\\&;,{}()\[\]]{8,400})"
)
_MAY_BE_ASSIGNED: Final = re.compile(rf"{_NAME}(?:[_-]?id)?[\"'\\]{{0,3}}\s{{0,4}}[:=]")
"""What every assignment contains, in lower case. It is found much sooner, since a name may begin at each letter."""

_HARMLESS_NAME: Final = re.compile(
    r"(?i)(?:.*(?:cache|idempotency|public|foreign|primary|sort|partition|page|next|continuation|thought|stop|pad|eos|bos|"
    r"max|min|total|input|output|prompt|completion|cached|reasoning)[_-]?(?:key|token)|signature|thought_?signature|"
    r"keys?|.*signature)"
)
_SIGNED: Final = re.compile(
    r"(?i)(?:[?&]|x-amz-|x-goog-|hmac[^\n]{0,200}|digest [^\n]{0,300})(?:signature|sig|response)=\"?(?P<value>[\w%/+.=-]{16,})"
)
_PLACE_HOLDER: Final = re.compile(r"REDACTED-[a-z0-9-]+")

# One form a line, however long: an expression in pieces cannot be read. Before it what is in each text that has the form,
# in lower case: most texts need not be searched.
_FORMS: Final = (
    ("private-key", ("private",), re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY|Private-Lines: \d+\s+[A-Za-z0-9+/]{20}")),
    ("web-token", ("eyj", "eyi", ".local.", ".public."), re.compile(r"ey[JI][A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{0,2000}\.[A-Za-z0-9_-]{8,}|\bv[1-4]\.(?:local|public)\.[\w-]{30,}")),
    ("password-in-url", ("://",), re.compile(r"[A-Za-z0-9]://(?!REDACTED)(?P<value>[^\s/?#@\"'<>\\`{}()\[\]]{1,256})@[A-Za-z0-9]")),
    ("credentials", ("bearer",), re.compile(r"(?i)\bbearer {1,3}(?P<value>(?=[\w.~+/-]{0,60}\d)[\w.~+/-]{16,}=*)")),
    ("credentials", ("basic",), re.compile(r"(?i)\bbasic {1,3}(?P<value>(?=[A-Za-z0-9+/]{0,60}[A-Z0-9+/])[A-Za-z0-9+/]{12,}={0,2})(?![a-z ])")),
    ("cookie", ("cookie",), re.compile(r"(?i)\b(?:set-)?cookie: ?(?P<value>[\w.-]{1,64}=[^\s;\"'<>\\]{6,})")),
    ("parameter", ("key=", "token=", "sig=", "password=", "pwd=", "secret="), re.compile(r"(?i)(?:\A|[?&])(?:key|api[_-]?key|(?:access_|auth_|refresh_|id_|api_)?token|sig|password|pwd|client_secret|secret)=(?P<value>(?=[\w.~%+/-]{0,60}\d)[\w.~%+/-]{8,})")),
    ("password", ("key=", "secret=", "password=", "pwd="), re.compile(r"(?:AccountKey|SharedAccessKey|AccessKey|Secret|Password|Pwd)=(?P<value>[^;\s\"'\\]{6,})")),
    ("password", ("curl",), re.compile(r"\bcurl\b[^\n]{0,300}? (?:-u|--user)[ =](?P<value>[^\s:\"']+:[^\s\"'\\]{4,})")),
    ("password", ("--",), re.compile(r"--[a-z-]{0,30}(?:key|token|secret|password)[ =](?P<value>(?=\S{0,60}\d)[^\s\"'\\]{8,})")),
    ("webhook", ("hooks.slack", "webhook"), re.compile(r"hooks\.slack\.com/\w+/(?P<value>[\w/]{16,})|/api/webhooks/(?P<b>\d{15,}/[\w-]{30,})|webhookb2/(?P<c>[\w@/-]{30,})")),
    ("account", ("arn:aws", "projects/"), re.compile(r"arn:aws[a-z-]*:[\w-]*:[\w-]*:(?P<value>\d{12})|\bprojects/(?P<b>\d{9,14})\b")),
    ("partly-hidden", ("***",), re.compile(r"(?<![\w-])(?!REDACTED-)[\w-]{2,40}\*{3,}[A-Za-z0-9]{2,8}")),
    ("key", ("jqqj99", "q~", "_mmk"), re.compile(r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}|(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{31,}|[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk")),
    ("key", (".",), re.compile(r"(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}")),
    ("key", (":a", "|"), re.compile(r"(?<!\d)\d{5,16}:A[\w-]{33,}|(?<!\d)\d{15,16}\|[\w-]{27,}")),
    ("key", ("!", "-us"), re.compile(r"(?<![A-Za-z0-9])00[A-Za-z0-9]{13}![\w.-]{60,}|(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}\b")),
    ("key", ('"d"', '"k"', "t3blbkfj"), re.compile(r"\"(?:d|k)\"\s*:\s*\"(?P<value>[\w-]{22,})\"|\bsk-[A-Za-z0-9]{20}T3BlbkFJ")),
    ("email", ("@",), re.compile(r"(?<![\w.+%-])[A-Za-z0-9][\w.+%'-]{0,63}@(?!\d)(?:[A-Za-z0-9-]{1,63}\.){1,8}(?P<end>[A-Za-z]{2,24})(?![\w(])")),
)  # fmt: skip
_NOBODY: Final = re.compile(
    r"(?i)^git@|@(?:.*\.)?(?:example(?:\.com|\.net|\.org)?|invalid|localhost|test)$|@v?\d|"
    r"\.(?:alpha|avif|beta|bz|canary|css|gif|gz|htm|html|ico|jar|jpe?g|jsx?|json|md|mjs|mp4|pdf|png|py|svg|tar|tgz|tsx?|txt|"
    r"webp|whl|xz|ya?ml|zip)$"
)


def suspects(text: str) -> Iterator[Suspect]:
    """Everything in a text that may be a secret."""
    yield from _by_beginning(text)
    yield from _by_name(text)
    folded = text.casefold()
    for kind, signs, form in _FORMS:
        if not any(sign in folded for sign in signs):
            continue
        for found in form.finditer(text):
            start, end = next(
                (found.span(name) for name in form.groupindex if name != "end" and found[name]), found.span()
            )
            if not _PLACE_HOLDER.search(text[start:end]) and not (kind == "email" and _nobody(text, found)):
                yield kind, start, end


def _by_beginning(text: str) -> Iterator[Suspect]:
    for word in _WORD.finditer(text):
        if (at := _begins(word[0][:_LOOKED_AT])) is not None:
            yield "key", word.start() + at, word.end()


@lru_cache(maxsize=8192)
def _begins(word: str) -> int | None:
    """The offset in a word at which a key begins."""
    for start in _START.finditer(word):
        at = start.start()
        if word.startswith(_BEGINNINGS, at):
            beginning = max((each for each in _BEGINNINGS if word.startswith(each, at)), key=len)
            rest = _REST.match(word, at + len(beginning))
            if len(beginning) <= _SHORT and word[max(0, at - 1) : at] in _INSIDE:
                continue
            if rest and _drawn(beginning, rest[0]):
                return at
    return None


def _drawn(beginning: str, rest: str) -> bool:
    """Whether the text after a beginning looks random. The less the beginning proves, the more random it must be."""
    if len(rest) < _SHORTEST_REST or _PLACE_HOLDER.search(rest):
        return False
    if len(beginning) > _SHORT:
        return _bits(rest) >= 2.5 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{0,4}", rest)
    head = re.split(r"[^A-Za-z0-9]", rest)
    longest = max(head, key=len)
    has_both = bool(re.search(r"\d", longest)) and bool(re.search(r"[A-Za-z]", longest))
    return len(longest) >= 16 and _bits(longest) >= 3.0 and (has_both or beginning in ("hf_", "hvs."))


def _by_name(text: str) -> Iterator[Suspect]:
    folded = text.casefold()
    if not any(
        word in folded
        for word in ("key", "token", "secret", "pass", "pwd", "cred", "auth", "cookie", "dsn", "jwt", "sig")
    ):
        return
    for found in _SIGNED.finditer(text):
        if _bits(found["value"]) >= 3.0 and not _PLACE_HOLDER.search(found["value"]):
            yield "signature", *found.span("value")
    if not _MAY_BE_ASSIGNED.search(folded):
        return
    for found in _ASSIGNED.finditer(text):
        value = found["value"].rstrip("=.")
        if not _HARMLESS_NAME.fullmatch(found["name"]) and _value(value):
            yield "assigned", *found.span("value")


def _value(value: str) -> bool:
    if _PLACE_HOLDER.search(value) or re.match(r"[$%@#/~.({\[]|https?:|\w+[:(]", value):
        return False
    both = bool(re.search(r"\d", value)) and bool(re.search(r"[A-Za-z]", value))
    words = re.fullmatch(r"[A-Za-z]+(?:[-_./ ][A-Za-z]+)*[-_./]?\d{0,4}(?:\.\d+)*", value)
    return both and not words and _bits(value) >= (3.0 if len(value) >= 16 else 2.7)


def _nobody(text: str, found: re.Match[str]) -> bool:
    """Whether an address belongs to nobody, or is between the scheme and the host of a URL."""
    before = text[max(0, found.start() - 256) : found.start()]
    return _NOBODY.search(found[0]) is not None or re.search(r"://[^\s/?#\"'<>]*\Z", before) is not None


def _bits(text: str) -> float:
    """Shannon's entropy in bits per character."""
    return -sum(share * math.log2(share) for share in (text.count(each) / len(text) for each in set(text)))
