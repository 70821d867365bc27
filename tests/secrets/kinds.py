"""Every kind of secret, with an invented one: by shape, by rule, sent, set; and those that nobody can know."""

from __future__ import annotations

import json
import re
import string
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tests.secrets.drawing import text_of
from tests.secrets.samples import SAMPLES, drawn, sample


@dataclass(frozen=True)
class Kind:
    """``text`` has the ``secret``; ``sent`` (headers), ``query`` (a parameter) or ``variable`` say it, too."""

    name: str
    text: str
    secret: str
    sent: tuple[tuple[str, str], ...] = ()
    query: str = ""
    variable: str = ""


@cache
def kinds() -> tuple[Kind, ...]:
    """All that are to be found."""
    own = [Kind(name, *sample(name)) for name in SAMPLES]
    return (*own, *_published(), *_known())


def _published() -> list[Kind]:
    found = []
    rules = json.loads(files("harness.secrets").joinpath("rules/betterleaks.json").read_bytes())["rules"]
    for number, rule in enumerate(rules):
        seed = f"{rule['id']}{number}"
        if "names" in rule:
            secret = text_of(rule["value"], seed)
            name = re.sub(r"[^\w.-]", "_", text_of(rule["names"], seed))
            found.append(Kind(f"rule {number} {rule['id']}", f'{name}_key = "{secret}"', secret))
        else:
            secret = text_of(rule["pattern"], seed)
            found.append(Kind(f"rule {number} {rule['id']}", f"Use {secret} now", secret))
    return found


def _plain(name: str) -> str:
    return drawn(name, 32, string.ascii_letters + string.digits)


def _known() -> list[Kind]:
    """Keys that look like nothing, known because they were sent or set."""
    names = {
        "bearer": ("authorization", "Bearer {}"),
        "api key": ("x-api-key", "{}"),
        "azure": ("api-key", "{}"),
        "cookie": ("cookie", "theme=dark; sid={}"),
        "internal token": ("x-internal-token", "{}"),
        "session": ("x-session-id", "{}"),
        "unknown header": ("x-odd", "{}"),
        "organization": ("openai-organization", "{}"),
        "account": ("x-account", "{}"),
        "digest": ("authorization", 'Digest username="u", response="{}"'),
        "aws": ("authorization", "AWS4-HMAC-SHA256 Credential=x, SignedHeaders=host, Signature={}"),
    }
    sent = [
        Kind(f"sent: {name}", f"It says {_plain(name)} here", _plain(name), ((header, form.format(_plain(name))),))
        for name, (header, form) in names.items()
    ]
    queries = [Kind(f"query: {each}", f"It says {_plain(each)} here", _plain(each), query=each) for each in _QUERIES]
    variables = [
        Kind(f"set: {each}", f"It says {_plain(each)} here", _plain(each), variable=each) for each in _VARIABLES
    ]
    return [*sent, *queries, *variables]


_QUERIES = ("key", "token", "x-goog-api-key", "access_token", "sig")
_VARIABLES = ("MISTRAL_API_KEY", "DB_PASSWORD", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "SENTRY_DSN", "AZURE_CREDENTIAL")

NO_SHAPE = {
    "letters and digits": "a key of letters and digits alone, neither sent nor set, under no name",
    "number of a card": "digits only",
    "iban": "who it was is not looked for beside addresses of e-mail and ids of accounts",
    "telephone": "digits only",
    "pass phrase": "words",
    "short password": "fewer than 8 characters",
    "seed words": "words",
    "wallet key": "64 hexadecimal digits: so is every hash",
}
"""What is not found, with the reason."""
