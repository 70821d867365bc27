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
    "named-secret": _in('{"db_password": "', "hun" + "ter27!x9Qz", '"}'),
    "email": _in("ask ", "jane.doe" + "@corp-mail.com"),
    "organization-id": _key("or" + "g-", 24),
    "project-id": _key("pr" + "oj_", 24),
    "user-id": _key("us" + "er-", 24),
    "openrouter-user-id": _key("us" + "er_", 27),
    "google-project-number": _in("projects/", "1234" + "56789012"),
    "aws-account-id": _in("arn:aws:bedrock:us-east-1:", "1234" + "56789012", ":model/x"),
}
"""By the kind of its shape."""

UUID = "1f0c2d3e-4b5a-4678-9abc-"


def _uuid(kind: str) -> str:
    return UUID + drawn(kind, 12, HEX)


SERVICE_SAMPLES: dict[str, Callable[[str], Sample]] = {
    "openai-ephemeral-key": _key("e" + "k_", 40),
    "gemini-auth-token": lambda kind: Sample("auth" + "_tokens/" + drawn(kind, 40), drawn(kind, 40)),
    "jina-key": _key("ji" + "na_", 60),
    "elevenlabs-key": _key("s" + "k_", 48, HEX),
    "e2b-key": _key("e2" + "b_", 40, HEX),
    "endorlabs-key": _key("en" + "dr+", 16),
    "browserbase-key": _key("bb_" + "live_", 24),
    "apify-token": _key("apify" + "_api_", 36),
    "huggingface-oauth-token": _key("hf_" + "oauth_", 60),
    "notion-secret": _key("secr" + "et_", 43),
    "azure-client-secret": lambda kind: _whole(drawn(kind, 2) + "78" + "Q~" + drawn(kind, 34)),
    "tencent-key-id": _key("AK" + "ID", 32),
    "bitbucket-app-password": _key("AT" + "BB", 32),
    "atlassian-token": _key("AT" + "ATT3", 180),
    "doppler-token": _key("dp" + ".st.dev.", 43),
    "netlify-token": _key("nf" + "p_", 36),
    "onepassword-token": _key("ops_" + "eyJ", 260),
    "flyio-token": _key("fm" + "2_", 120),
    "databricks-secret": _key("do" + "se", 32, HEX),
    "databricks-key": _key("dk" + "ea", 32, HEX),
    "tailscale-key": lambda kind: _whole("ts" + "key-auth-" + drawn(kind, 12) + "-" + drawn(kind, 32)),
    "vault-recovery-token": _key("hv" + "r.", 60),
    "heroku-key": _key("HR" + "KU-", 40),
    "nuget-key": _key("oy" + "2", 43, string.ascii_lowercase + string.digits),
    "crates-token": _key("ci" + "o", 32),
    "linear-oauth-token": _key("lin_" + "oauth_", 40),
    "stripe-restricted-key": _key("rk" + "_prod_", 32),
    "registry-auth": lambda kind: Sample("//registry.example/:_auth=" + drawn(kind, 40), drawn(kind, 40)),
    "docker-auth": lambda kind: Sample(
        '{"auths": {"r.example": {"auth": "' + drawn(kind, 40) + '"}}}', drawn(kind, 40)
    ),
    "square-secret": _key("sq0" + "csp-", 43),
    "square-token": _key("EA" + "AA", 60),
    "facebook-token": _key("EA" + "AB", 120),
    "facebook-app-token": lambda kind: _whole("123456789012345" + "|" + drawn(kind, 27)),
    "plaid-token": lambda kind: _whole("access-" + "sandbox-" + _uuid(kind)),
    "new-relic-key": _key("NR" + "AK-", 27, string.ascii_uppercase + string.digits),
    "dropbox-token": _key("s" + "l.", 136),
    "twilio-key": _key("S" + "K", 32, HEX),
    "mailgun-key": _key("ke" + "y-", 32, HEX),
    "mailchimp-key": lambda kind: _whole(drawn(kind, 32, HEX) + "-us" + "17"),
    "discord-bot-token": lambda kind: _whole("M" + drawn(kind, 23) + "." + drawn(kind, 6) + "." + drawn(kind, 38)),
    "discord-webhook": lambda kind: Sample(
        "https://discord." + "com/api/webhooks/123456789012345678/" + drawn(kind, 68),
        "123456789012345678/" + drawn(kind, 68),
    ),
    "teams-webhook": lambda kind: Sample(
        "https://corp.webhook." + "office.com/webhookb2/" + _uuid(kind) + "@" + _uuid("x") + "/IncomingWebhook/x1",
        _uuid(kind) + "@" + _uuid("x") + "/IncomingWebhook/x1",
    ),
    "salesforce-token": lambda kind: _whole("00" + drawn(kind, 13) + "!" + drawn(kind, 96)),
    "maxmind-key": lambda kind: _whole(drawn(kind, 6) + "_" + drawn(kind, 29) + "_m" + "mk"),
    "jwe": lambda kind: _whole(
        ".".join(("ey" + "J" + drawn(kind, 30), drawn(kind, 60), drawn(kind, 16), drawn(kind, 80), drawn(kind, 22)))
    ),
    "paseto": _key("v4" + ".local.", 80),
    "putty-key": lambda kind: Sample(
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-" + f"Lines: 2\n{drawn(kind, 64)}\n{drawn('b', 64)}\n",
        f"{drawn(kind, 64)}\n{drawn('b', 64)}",
    ),
    "age-key": lambda kind: _whole("AGE-SECRET" + "-KEY-1" + drawn(kind, 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")),
    "jwk-private-part": lambda kind: Sample('{"kty": "EC", "d": "' + drawn(kind, 43) + '"}', drawn(kind, 43)),
    "request-signature": lambda kind: Sample(
        "AWS4-HMAC-SHA256 SignedHeaders=host, Signature=" + drawn(kind, 64, HEX), drawn(kind, 64, HEX)
    ),
    "digest-response": lambda kind: Sample(
        'Authorization: Digest username="u", response="' + drawn(kind, 32, HEX) + '"', drawn(kind, 32, HEX)
    ),
    "command-password": _in("curl -s -u ", "joe:hun" + "ter27", " https://a.example/"),
    "command-key": lambda kind: Sample("agent --api-key " + drawn(kind, 32), drawn(kind, 32)),
}
SAMPLES |= SERVICE_SAMPLES


def sample(kind: str) -> Sample:
    return SAMPLES[kind](kind)
