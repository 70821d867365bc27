"""One invented secret of every kind, put together here so that none stands in a file."""

from __future__ import annotations

import string
from collections.abc import Callable
from random import Random
from typing import NamedTuple

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


class Sample(NamedTuple):
    """``text`` as it stands somewhere, and the ``secret`` in it."""

    text: str
    secret: str


def drawn(kind: str, length: int, letters: str = WORD) -> str:
    """Invented characters: the same for a kind on every run, at least one of them a digit."""
    random = Random(kind)
    return "".join(random.choice(letters) for _ in range(length - 1)) + "7"


def _key(prefix: str, length: int, letters: str = WORD) -> Callable[[str], Sample]:
    return lambda kind: _whole(prefix + drawn(kind, length, letters))


def _whole(secret: str) -> Sample:
    return Sample(secret, secret)


def _in(before: str, secret: str, after: str = "") -> Callable[[str], Sample]:
    return lambda kind: Sample(before + secret + after, secret)


def _openai(kind: str) -> Sample:
    return _whole("sk-" + drawn(kind, 20) + "T3Blbk" + "FJ" + drawn(kind, 20))


def _azure(kind: str) -> Sample:
    return _whole(drawn(kind, 52) + "JQQ" + "J99" + drawn(kind, 26))


def _jwt(kind: str) -> Sample:
    return _whole(".".join(("ey" + "J" + drawn(kind, 20), "ey" + "J" + drawn(kind, 30), drawn(kind, 43))))


def _pem(kind: str) -> Sample:
    lines = "\n".join(drawn(f"{kind}{line}", 64) for line in range(3))
    begin, end = (f"-----{word} PRIVATE {'KEY'}-----" for word in ("BEGIN", "END"))
    return _whole(f"{begin}\n{lines}\n{end}")


SAMPLES: dict[str, Callable[[str], Sample]] = {
    "anthropic-key": _key("sk-" + "ant-api03-", 95),
    "anthropic-admin-key": _key("sk-" + "ant-admin01-", 95),
    "anthropic-token": _key("sk-" + "ant-oat01-", 95),
    "openai-project-key": _key("sk-" + "proj-", 120),
    "openai-service-key": _key("sk-" + "svcacct-", 120),
    "openai-admin-key": _key("sk-" + "admin-", 120),
    "openai-key": _openai,
    "openai-session": _key("sess" + "-", 40),
    "openrouter-key": _key("sk-" + "or-v1-", 64, HEX),
    "sk-key": _key("sk" + "-", 32, HEX),
    "masked-key": _in("provided: ", "sk-" + "pr" + "*" * 12 + "x9Z7"),
    "google-key": _key("AI" + "za", 35),
    "google-auth-key": _key("AQ" + ".Ab8RN6", 44),
    "google-access-token": _key("ya" + "29.", 60),
    "google-refresh-token": _key("1/" + "/0", 60),
    "google-client-secret": _key("GOC" + "SPX-", 28),
    "xai-key": _key("xa" + "i-", 80),
    "groq-key": _key("gs" + "k_", 52),
    "huggingface-token": _key("h" + "f_", 34),
    "huggingface-organization-token": _key("api" + "_org_", 34),
    "perplexity-key": _key("pp" + "lx-", 48),
    "replicate-token": _key("r" + "8_", 37),
    "fireworks-key": _key("f" + "w_", 24),
    "together-key": _key("tg" + "p_v1_", 43),
    "cerebras-key": _key("cs" + "k-", 48, string.ascii_lowercase + string.digits),
    "nvidia-key": _key("nv" + "api-", 64),
    "tavily-key": _key("tv" + "ly-", 32),
    "langsmith-key": lambda kind: _whole("ls" + "v2_pt_" + drawn(kind, 32, HEX) + "_" + drawn(kind, 10, HEX)),
    "azure-key": _azure,
    "aws-key-id": lambda kind: _whole("AK" + "IA" + drawn(kind, 15, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") + "Q"),
    "aws-bedrock-key": _key("AB" + "SK", 120),
    "aws-bedrock-token": _key("bedrock" + "-api-key-", 40),
    "github-token": _key("gh" + "p_", 36),
    "github-fine-grained-token": _key("github" + "_pat_", 82),
    "gitlab-token": _key("gl" + "pat-", 20),
    "slack-token": _key("xo" + "xb-", 50),
    "slack-webhook": lambda kind: Sample(
        "https://hooks." + "slack.com/services/T0/B0/" + drawn(kind, 24), "services/T0/B0/" + drawn(kind, 24)
    ),
    "stripe-key": _key("sk" + "_live_", 24),
    "stripe-webhook-secret": _key("wh" + "sec_", 32),
    "npm-token": _key("np" + "m_", 36),
    "pypi-token": _key("py" + "pi-AgEIcHlwaS5vcmc", 100),
    "sendgrid-key": lambda kind: _whole("S" + "G." + drawn(kind, 22) + "." + drawn(kind, 43)),
    "digitalocean-token": _key("do" + "p_v1_", 64, HEX),
    "databricks-token": _key("da" + "pi", 32, HEX),
    "shopify-token": _key("sh" + "pat_", 32, HEX),
    "vault-token": _key("hv" + "s.", 90),
    "notion-token": _key("nt" + "n_", 46),
    "linear-key": _key("lin" + "_api_", 40),
    "telegram-token": lambda kind: _whole("123456789:" + "AA" + drawn(kind, 33)),
    "private-key": _pem,
    "jwt": _jwt,
    "bearer-token": lambda kind: Sample("Authorization: Bearer " + drawn(kind, 40), drawn(kind, 40)),
    "basic-credentials": _in("Authorization: Basic ", "am9lOmh1" + "bnRlcjI3"),
    "cookie": _in("Set-Cookie: ", "sid=" + "s3cr3tsession42"),
    "userinfo": _in("postgres://", "admin:hunter" + "27", "@db.internal:5432/app"),
    "url-secret": _in("https://api.internal/v1/models?key=", "hunter" + "27hunter27"),
    "connection-string": _in("Server=db;Uid=joe;Pwd=", "hunter" + "27!;"[:3], ";Encrypt=1"),
    "credential": _in('{"client_secret": "', "hunter" + "27 and more", '"}'),
    "assignment": lambda kind: Sample("AWS_SECRET_ACCESS_KEY=" + drawn(kind, 40), drawn(kind, 40)),
    "email": _in("ask ", "jane.doe" + "@corp-mail.com"),
    "organization-id": _key("or" + "g-", 24),
    "project-id": _key("pr" + "oj_", 24),
    "user-id": _key("us" + "er-", 24),
    "openrouter-user-id": _key("us" + "er_", 27),
    "google-project-number": _in("projects/", "1234" + "56789012"),
    "aws-account-id": _in("arn:aws:bedrock:us-east-1:", "1234" + "56789012", ":model/x"),
}
"""By the kind of its shape."""


def sample(kind: str) -> Sample:
    return SAMPLES[kind](kind)
