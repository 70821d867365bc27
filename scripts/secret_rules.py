"""Write harness/secrets/rules/betterleaks.json anew: the rules of Betterleaks, the successor of gitleaks, as data.

    pip install kingfisher-bin
    kingfisher rules list --format json > rules.json
    python scripts/secret_rules.py rules.json 2.14.0

Kingfisher (Apache-2.0) carries the rules of Betterleaks (MIT) and prints them. They are written for RE2 and for files
of source code. Here they become expressions of Python's ``re``, of two kinds:

- rules by a beginning of the secret's own: the beginnings are listed, so that an expression is tried only where one of
  them stands;
- rules by the name that a secret is assigned to: the name and the value, each as an expression.

Two things are loosened: what follows a secret need not be a quotation mark or white space, and a secret may be longer
than it was last year.
"""

from __future__ import annotations

import json
import re
import re._constants as ops
import re._parser as parser
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

PLACE: Final = Path(__file__).resolve().parent.parent / "harness" / "secrets" / "rules" / "betterleaks.json"

LEFT_OUT: Final = {
    "cloudinary-api-key": "digits only: the name of a key",
    "curl-auth-header": "an authorization header is found by shapes of our own",
    "curl-auth-user": "user and password of a command are found by a shape of our own",
    "freemius-secret-key": "source code in PHP",
    "gcp-application-default-credentials": "its members are found by their names",
    "gcp-service-account": "the private key in it is found",
    "generic-credential-uri": "user and password of any URL are found by a shape of our own",
    "gitlab-incoming-mail-address-token": "an address of e-mail is found",
    "hashicorp-tf-password": "a password that looks random is found by its name",
    "jwt": "a shape of our own asks for less",
    "jwt-base64": "base64 is decoded",
    "kubernetes-secret-yaml": "base64 is decoded",
    "mongodb-connection-string": "user and password of any URL are found by a shape of our own",
    "nuget-config-password": "a shape of our own",
    "private-key": "a shape of our own finds one without its end, too",
    "sidekiq-sensitive-url": "user and password of any URL are found by a shape of our own",
    "zai-api-key": "a hash and a word: no beginning, and no name",
    "tableau-personal-access-token.1": "base64 and a word: no beginning, and no name",
    "salesforce-access-token.1": "a shape of our own",
    "azure-ad-client-secret": "a shape of our own",
    "maxmind-license-key": "a shape of our own",
    "facebook-access-token": "a shape of our own",
    "alibaba-secret-key": "its name is that of every service (key, secret)",
    "alibaba-sts-access-key-secret": "its name is that of every service (key, secret)",
    "alibaba-sts-security-token": "its name is that of every service (key, secret)",
    "aws-access-token": "a shape of our own",
    "aws-secret-access-key": "its name is that of every service; what looks random is found by shapes of our own",
    "aws-session-token": "its name is found by a shape of our own",
    "azure-app-configuration-connection-string": "a shape of our own",
    "azure-servicebus-connection-string": "a shape of our own",
    "clickhouse-cloud-key-id": "a name of a key, and no key",
    "influxdb-api-token": "its name is found by a shape of our own",
    "microsoft-teams-webhook": "a shape of our own",
    "polymarket-passphrase": "any text of 8 characters",
    "sidekiq-secret": "16 digits and a colon: what looks random is found by its name",
    "slack-legacy-workspace-token": "a shape of our own, which asks for more than 8 characters",
    "telegram-bot-api-token": "a shape of our own",
    "twilio-api-key": "a shape of our own",
    "deepseek-api-key": "a shape of our own asks for less",
    "kimi-api-key": "a shape of our own asks for less",
    "voyageai-api-key": "its beginning (pa-, al-) is that of common words",
    "vault-service-token": "a shape of our own: the old form (s.) is that of file names",
}
"""Rules that are not taken, with the reason."""

_NOT_SECRET: Final = re.compile(r"(?<!key)-(?:id|url|host|name|domain|username|repository|address)(?:\.\d+)?$")
_SEPARATOR: Final = r"(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'" + r'"\s=]{0,5}'
_GAP: Final = r"(?:[ \t\w.-]{0,20})[\s'" + r'"]{0,3}'
_AFTER: Final = re.compile(
    r"(?:\(\?:\\\\\?\['\"\\x60\]\|\[\\s;\]\|\\\\\[nr\]\|\$\)|\(\?:\[\\x60'\"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)|\\b|"
    r"\(\?:\$\|\[\^[^\]]+\]\)|\(\?:\[\^[^\]]+\]\|(?:\$|\\z|\\Z)\))$"
)
_LAST_COUNT: Final = re.compile(r"(?<!=)\{(\d+)(?:,\d*)?\}(\)*)$")
_FAR_GAP: Final = re.compile(r"\{0,\d+\}\?")
"""How a rule says that its name may stand some words before the value."""

_FIRST_WORD: Final = re.compile(r"(?<=[(:b])[A-Za-z]{5,}")
_LONGEST: Final = 4000
_KINDS_OF_ONE_NAME: Final = 40


def main(source: str, version: str) -> None:
    """Write the file from what Kingfisher ``version`` has printed to ``source``."""
    rules = []
    for rule in json.loads(Path(source).read_bytes()):
        family, _, name = rule["id"].partition(".")
        if family != "betterleaks" or name in LEFT_OUT or _NOT_SECRET.search(name):
            continue
        rules.append({"id": re.sub(r"\.\d+$", "", name), **_rule(_python(rule["pattern"]))})
    head = {"origin": "Betterleaks' rules, MIT, as Kingfisher prints them", "version": f"kingfisher {version}"}
    lines = ",\n  ".join(json.dumps(rule) for rule in rules)
    PLACE.write_text(f'{{"origin": {json.dumps(head)},\n "rules": [\n  {lines}\n]}}\n', encoding="utf-8")


def _rule(pattern: str) -> dict[str, Any]:
    if _SEPARATOR in pattern:
        return _named(pattern)
    if _FAR_GAP.search(pattern) and (name := _FIRST_WORD.search(pattern)):
        flags = "(?i)" if pattern.startswith("(?i)") else ""
        return {
            "keys": [name[0].lower()],
            "names": name[0],
            "value": flags + _loosened(_group(pattern, _last_group(pattern))),
        }
    expression = _loosened(pattern)
    beginnings = sorted(set(_beginnings(expression)))
    if min(map(len, beginnings), default=0) <= 4:
        expression = expression.replace(r"\b", "(?<![A-Za-z0-9_+-])", 1)
    else:
        expression = expression.replace(r"\b", "", 1)
    if not beginnings:
        raise SystemExit(f"no beginning: {pattern}; leave the rule out, with the reason")
    return {"beginnings": beginnings, "pattern": expression}


def _named(pattern: str) -> dict[str, Any]:
    """A name that is assigned a value."""
    at = pattern.index(_SEPARATOR)
    left, right = pattern[:at], pattern[at + len(_SEPARATOR) :]
    both = left.startswith("(?i)")
    names = left.removeprefix("(?i)").removeprefix("(?i:").removesuffix(")" if left.startswith("(?i:") else "")
    names = names.removesuffix(_GAP)
    opening = right.index("(")
    value = _group(right, opening)
    return {"keys": _keys(names), "names": names, "value": ("(?i)" if both else "") + _loosened(value)}


def _last_group(pattern: str) -> int:
    """Where the last group opens that captures: the value."""
    return max(found.start() for found in re.finditer(r"(?<!\\)\((?!\?)", pattern))


def _group(pattern: str, at: int) -> str:
    """The balanced group that opens at an offset."""
    depth, place, in_class = 0, at, False
    while True:
        letter = pattern[place]
        if letter == "\\":
            place += 2
            continue
        in_class = letter == "[" or (in_class and letter != "]")
        depth += 0 if in_class else (letter == "(") - (letter == ")")
        place += 1
        if not depth and letter == ")":
            return pattern[at:place]


def _loosened(pattern: str) -> str:
    """Without what must follow, and with an open end."""
    while (shorter := _AFTER.sub("", pattern)) != pattern:
        pattern = shorter
    return _LAST_COUNT.sub(rf"{{\1,{_LONGEST}}}\2", pattern)


def _python(pattern: str) -> str:
    """RE2's syntax as Python's: flags within an expression, classes by name, the end of the text."""
    pattern = pattern.removeprefix("(?x)").replace("[[:alnum:]]", "[A-Za-z0-9]").replace(r"\z", r"\Z")
    while (flag := re.search(r"(?<!^)\(\?i\)", pattern)) is not None:
        start, end = flag.span()
        close = _end_of_group(pattern, end)
        pattern = f"{pattern[:start]}(?i:{pattern[end:close]}){pattern[close:]}"
    re.compile(pattern)
    return pattern


def _end_of_group(pattern: str, at: int) -> int:
    depth, in_class = 0, False
    while at < len(pattern):
        letter = pattern[at]
        if letter == "\\":
            at += 2
            continue
        in_class = letter == "[" or (in_class and letter != "]")
        depth += 0 if in_class else (letter == "(") - (letter == ")")
        if depth < 0:
            return at
        at += 1
    return at


def _keys(names: str) -> list[str]:
    """Texts of which each name has one, in lower case."""
    found = sorted({each.lower() for each in _prefixes(list(parser.parse(names)))})
    if not found or min(map(len, found)) < 2:
        raise SystemExit(f"no word is in every name: {names}")
    return found


# --- the texts that a match begins with ---------------------------------------------------------------------


def _beginnings(pattern: str) -> Iterator[str]:
    """The texts, in lower case, of which each match has one: at its beginning, else the longest inside of it."""
    tree = parser.parse(pattern)
    first = [each.lower() for each in _prefixes(list(tree)) or []]
    if first and min(map(len, first)) >= 3:
        yield from first
        return
    inner = max((each for each in _literals(list(tree)) if re.search("[a-z]{3}", each)), key=len, default="")
    if inner:
        yield inner.lstrip("_.-")


def _prefixes(items: Sequence[Any]) -> list[str]:
    """What a match can begin with; the empty list where that is not known."""
    found = [""]
    for operation, argument in items:
        if operation in (ops.AT, ops.ASSERT_NOT, ops.ASSERT):
            continue
        more = _choices(operation, argument)
        if more is None:
            break
        found = [before + after.rstrip("\0") for before in found for after in more]
        if any(each.endswith("\0") for each in more) or len(found) > _KINDS_OF_ONE_NAME:
            break
    found = [each.rstrip("\0") for each in found]
    return [] if "" in found else found


def _choices(operation: Any, argument: Any) -> list[str] | None:
    """The texts that one part stands for; one that ends with NUL is only how they begin."""
    if operation is ops.LITERAL:
        return [chr(argument)]
    if operation is ops.IN and len(argument) <= 5 and all(kind is ops.LITERAL for kind, _ in argument):
        return [chr(value) for _, value in argument]
    if operation is ops.SUBPATTERN:
        inner = list(argument[3])
        whole = _whole(inner)
        return whole if whole is not None else [f"{each}\0" for each in _prefixes(inner)] or None
    if operation is ops.BRANCH:
        options = [_whole(list(each)) or [f"{begin}\0" for begin in _prefixes(list(each))] for each in argument[1]]
        return [each for option in options for each in option] if all(options) else None
    return None


def _whole(items: Sequence[Any]) -> list[str] | None:
    found = [""]
    for operation, argument in items:
        more = _choices(operation, argument)
        if more is None or any(each.endswith("\0") for each in more):
            return None
        found = [before + after for before in found for after in more]
    return found


def _literals(items: Sequence[Any]) -> Iterator[str]:
    run = ""
    for operation, argument in items:
        if operation is ops.LITERAL:
            run += chr(argument).lower()
            continue
        yield run
        run = ""
        if operation is ops.SUBPATTERN:
            inner = list(argument[3])
            if all(kind is ops.LITERAL for kind, _ in inner):
                yield "".join(chr(value).lower() for _, value in inner)
            else:
                yield from _literals(inner)
    yield run


if __name__ == "__main__":
    main(*sys.argv[1:])
