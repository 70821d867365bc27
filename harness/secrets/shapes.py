"""The kinds of secrets that are known by their look, each with the source of its shape.

Providers seldom publish how their keys look; maintained scanners have learned it. The regular expressions are ours. If
the beginning is unmistakable, they do not ask for an exact length: a key that is one character longer than last year's
is still a key.
"""

from __future__ import annotations

import base64
import binascii

from harness.secrets.assigned import ASSIGNED, assigned_spans
from harness.secrets.emails import email_spans
from harness.secrets.learned import can_be_secret
from harness.secrets.randomness import bits, looks_drawn, looks_random
from harness.secrets.service_shapes import SERVICES
from harness.secrets.shape import SecretShape, matching, starting

_GITLEAKS = "gitleaks, config/gitleaks.toml"
_TRUFFLEHOG = "trufflehog, pkg/detectors"
_GITHUB = "docs.github.com: supported secret scanning patterns"
_SEEN = "recorded traffic and error messages of the provider"

_WORD = r"[A-Za-z0-9_-]"


# --- model providers ----------------------------------------------------------------------------------------

_PROVIDERS = (
    starting("anthropic-key", "sk-ant-api", rf"{_WORD}{{20,}}", f"{_GITLEAKS}: anthropic-api-key"),
    starting("anthropic-admin-key", "sk-ant-admin", rf"{_WORD}{{20,}}", f"{_GITLEAKS}: anthropic-admin-api-key"),
    starting("anthropic-token", "sk-ant-", rf"(?!api|admin){_WORD}{{20,}}", f"{_GITHUB}: anthropic_session_id"),
    starting("openai-project-key", "sk-proj-", rf"{_WORD}{{20,}}", f"{_GITLEAKS}: openai-api-key"),
    starting("openai-service-key", "sk-svcacct-", rf"{_WORD}{{20,}}", f"{_GITLEAKS}: openai-api-key"),
    starting("openai-admin-key", "sk-admin-", rf"{_WORD}{{20,}}", f"{_GITLEAKS}: openai-api-key"),
    matching(
        "openai-key",
        ("T3BlbkFJ",),
        r"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}",
        f"{_GITLEAKS}: openai-api-key",
        in_word=True,
    ),
    starting("openai-session", "sess-", r"[A-Za-z0-9]{40,}", _SEEN),
    starting("openrouter-key", "sk-or-v1-", r"[A-Za-z0-9]{32,}", f"{_TRUFFLEHOG}/openrouter"),
    # DeepSeek, Moonshot, DashScope, LiteLLM and others have no more of a beginning than this.
    starting(
        "sk-key",
        "sk-",
        rf"(?!ant-|proj-|svcacct-|admin-|or-v1-)(?={_WORD}{{0,40}}\d){_WORD}{{20,}}",
        f"{_TRUFFLEHOG}/deepseek",
        check=looks_drawn,
    ),
    # A refusal says which key it refuses: the first and the last characters of it.
    matching("masked-key", ("***",), rf"(?<!{_WORD})(?!REDACTED-){_WORD}{{2,40}}\*{{3,}}[A-Za-z0-9]{{2,8}}", _SEEN),
    starting("google-key", "AIza", rf"{_WORD}{{35}}", f"{_GITLEAKS}: gcp-api-key"),
    starting("google-auth-key", "AQ.Ab8", rf"{_WORD}{{30,}}", _SEEN),
    starting("google-access-token", "ya29.", r"[A-Za-z0-9_.-]{20,}", f"{_GITHUB}: google_oauth_access_token"),
    starting("google-refresh-token", "1//0", rf"{_WORD}{{30,}}", f"{_GITHUB}: google_oauth_refresh_token"),
    starting("google-client-secret", "GOCSPX-", rf"{_WORD}{{20,}}", f"{_GITHUB}: google_oauth_client_secret"),
    starting("xai-key", "xai-", r"[A-Za-z0-9_]{60,}", f"{_TRUFFLEHOG}/xai"),
    starting("groq-key", "gsk_", r"[A-Za-z0-9]{40,}", f"{_TRUFFLEHOG}/groq"),
    starting("huggingface-token", "hf_", r"[A-Za-z0-9]{30,}", f"{_GITLEAKS}: huggingface-access-token"),
    starting(
        "huggingface-organization-token",
        "api_org_",
        r"[A-Za-z0-9]{30,}",
        f"{_GITLEAKS}: huggingface-organization-api-token",
    ),
    starting("perplexity-key", "pplx-", r"[A-Za-z0-9]{40,}", f"{_GITLEAKS}: perplexity-api-key"),
    starting("replicate-token", "r8_", rf"{_WORD}{{37}}", f"{_TRUFFLEHOG}/replicate"),
    starting("fireworks-key", "fw_", r"[A-Za-z0-9]{22,}", f"{_GITHUB}: fireworks_ai_api_key"),
    starting("together-key", "tgp_v1_", rf"{_WORD}{{40,}}", _GITHUB),
    starting("cerebras-key", "csk-", r"[a-z0-9]{40,}", _GITHUB),
    starting("nvidia-key", "nvapi-", rf"{_WORD}{{60,}}", f"{_TRUFFLEHOG}/nvapi"),
    starting("tavily-key", "tvly-", rf"{_WORD}{{20,}}", _GITHUB),
    starting("langsmith-key", "lsv2_", r"(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", f"{_TRUFFLEHOG}/langsmith"),
    matching(
        "azure-key", ("JQQJ99",), r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}", f"{_TRUFFLEHOG}/azure_openai", in_word=True
    ),
)


# --- clouds, forges, registries, services -------------------------------------------------------------------

_SERVICES = (
    matching(
        "aws-key-id",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        r"A(?:KIA|SIA|BIA|CCA)(?<![A-Za-z0-9_+-]A...)[A-Z2-7]{16}(?![A-Za-z0-9])",
        f"{_GITLEAKS}: aws-access-token",
        in_word=True,
    ),
    starting("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,}={0,2}", f"{_GITLEAKS}: aws-amazon-bedrock-api-key"),
    starting(
        "aws-bedrock-token", "bedrock-api-key-", r"[A-Za-z0-9+/]{20,}={0,2}", f"{_GITLEAKS}: aws-amazon-bedrock-api-key"
    ),
    matching(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"gh[opusr]_(?<![A-Za-z0-9_+-]gh._)[A-Za-z0-9]{36,}",
        f"{_GITLEAKS}: github-pat",
        in_word=True,
    ),
    starting("github-fine-grained-token", "github_pat_", r"[A-Za-z0-9_]{40,}", f"{_GITLEAKS}: github-fine-grained-pat"),
    matching(
        "gitlab-token",
        ("gl",),
        rf"gl(?:pat|ptt|dt|rt|cbt|imt|soat|agent|oas|ft)-{_WORD}{{20,}}",
        f"{_GITLEAKS}: gitlab-pat",
        in_word=True,
    ),
    matching(
        "slack-token",
        ("xox", "xapp-"),
        r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{20,}",
        f"{_GITLEAKS}: slack-bot-token",
        in_word=True,
    ),
    starting(
        "slack-webhook",
        "hooks.slack.com/",
        r"(?P<secret>(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,})",
        f"{_GITLEAKS}: slack-webhook-url",
    ),
    matching(
        "stripe-key",
        ("k_live_", "k_test_"),
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        f"{_GITLEAKS}: stripe-access-token",
        in_word=True,
    ),
    starting("stripe-webhook-secret", "whsec_", r"[A-Za-z0-9+/=]{24,}", f"{_GITHUB}: stripe_webhook_signing_secret"),
    starting("npm-token", "npm_", r"[A-Za-z0-9]{36,}", f"{_GITLEAKS}: npm-access-token"),
    starting("pypi-token", "pypi-AgE", rf"{_WORD}{{40,}}", f"{_GITLEAKS}: pypi-upload-token"),
    starting("sendgrid-key", "SG.", rf"{_WORD}{{20,24}}\.{_WORD}{{40,}}", f"{_GITLEAKS}: sendgrid-api-token"),
    starting("digitalocean-token", "dop_v1_", r"[a-f0-9]{64}", f"{_GITLEAKS}: digitalocean-pat"),
    starting("databricks-token", "dapi", r"[a-f0-9]{32}", f"{_GITLEAKS}: databricks-api-token"),
    starting("shopify-token", "shp", r"(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}", f"{_GITLEAKS}: shopify-access-token"),
    starting("vault-token", "hvs.", rf"{_WORD}{{24,}}", f"{_GITLEAKS}: vault-service-token"),
    starting("notion-token", "ntn_", r"[A-Za-z0-9]{40,}", f"{_GITLEAKS}: notion-api-token"),
    starting("linear-key", "lin_api_", r"[A-Za-z0-9]{32,}", f"{_GITLEAKS}: linear-api-key"),
    matching(
        "telegram-token", (":AA",), r"(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33}", f"{_GITLEAKS}: telegram-bot-api-token"
    ),
)


# --- credentials of any service -----------------------------------------------------------------------------


def _user_and_password(text: str) -> bool:
    """Whether base64 text is what basic authentication sends."""
    try:
        return b":" in base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except binascii.Error:
        return False


def _spellings(*words: str) -> tuple[str, ...]:
    """Words as names of members have them: ``apiKey``, ``API_KEY``, ``api_key``."""
    return tuple(form for word in words for form in (word, word.upper(), word.capitalize()))


def _random_secret(text: str) -> bool:
    return can_be_secret(text) and (looks_random(text) or (len(text) < 16 and _is_mixed(text)))


def _is_mixed(text: str) -> bool:
    """Whether a short text has the mix of characters that people are asked to put into a password."""
    return any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and bits(text) >= _SHORT_RANDOM


_SHORT_RANDOM = 2.7
"""Bits per character of short passwords: they cannot have more than the logarithm of their length."""

_NAMES = (
    r"api[_-]?key|access[_-]?key(?:[_-]?id)?|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|private[_-]?key|"
    r"access[_-]?token|auth(?:orization)?[_-]?token|refresh[_-]?token|id[_-]?token"
)
# No password: arguments of a call have them, and a tool that is given a placeholder answers something else. One that
# looks random is found all the same, as an assignment.

_CREDENTIALS = (
    matching(
        "private-key",
        ("PRIVATE KEY",),
        # Quotation marks and braces are in no key: what a stream puts between two pieces of one stays.
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,-]{0,20000}"
        r"(?<!-)(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
        f"{_GITLEAKS}: private-key; RFC 7468",
    ),
    starting("jwt", "eyJ", rf"{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}(?:\.{_WORD}{{10,}})?", "RFC 7519"),
    matching(
        "bearer-token",
        ("Bearer ", "bearer "),
        r"[Bb]earer {1,3}(?P<secret>(?=[A-Za-z0-9._~+/-]{0,60}\d)[A-Za-z0-9._~+/-]{16,}={0,2})",
        "RFC 6750, 2.1",
    ),
    matching(
        "basic-credentials",
        ("Basic ", "basic "),
        r"[Bb]asic {1,3}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})",
        "RFC 7617, 2",
        check=_user_and_password,
    ),
    matching(
        "cookie",
        ("ookie:",),
        r"[Cc]ookie: {0,3}(?P<secret>[A-Za-z0-9_.-]{1,64}=[^\s\"'<>\\]{4,}"
        r"(?:; [A-Za-z0-9_.-]{1,64}=[^\s\"'<>\\]{1,})*)",
        "RFC 6265, 4",
    ),
    matching(
        "named-secret",
        _spellings("token", "secret", "passw", "passphrase", "credential", 'dsn"', 'jwt"', 'session"'),
        # Names that arguments and pages have, too: only what looks random is secret.
        r'(?i)"(?![\w.-]{0,40}(?:page|next|prev|sync|cursor|resume|continu|stop|pad_|[be]os_))(?:[\w.-]{0,40}[_.-])?(?:token|secret|password|passwd|passphrase|credentials?|dsn|jwt|session)"'
        r'\s{0,8}:\s{0,8}"(?P<secret>(?:[^"\\\s]|\\.){8,})"',
        "names of members, with a value that looks random",
        check=_random_secret,
    ),
    matching(
        "userinfo",
        ("://",),
        r"://(?<=[A-Za-z0-9]://)(?P<secret>[^\s/?#@\"'<>\\`{}()\[\]]{1,256})@[A-Za-z0-9]",
        "RFC 3986, 3.2.1",
    ),
    matching(
        "url-secret",
        ("=",),
        r"(?i)(?:^|[?&;])(?:key|(?:x-goog-)?api[_-]?key|(?:access_|auth_|refresh_|id_)?token|sig|signature|client_secret|"
        r"secret|password|passwd|pwd|x-(?:amz|goog)-(?:signature|credential|security-token))="
        r"(?P<secret>[A-Za-z0-9._~%+/-]{4,}={0,2})",
        "RFC 6750, 2.3; Gemini's ?key=; presigned URLs of AWS, Azure and Google",
        check=can_be_secret,
    ),
    matching(
        "connection-string",
        ("AccountKey=", "SharedAccessKey=", "AccessKey=", "Password=", "Pwd="),
        r"(?:AccountKey|SharedAccessKey|AccessKey|Password|Pwd)=(?P<secret>[^;\s\"'\\]{6,})",
        "trufflehog, pkg/detectors/azurestorage",
    ),
    matching(
        "credential",
        _spellings("key", "token", "secret", "authorization", "cookie"),
        # A member of JSON, whatever its value looks like.
        rf'(?i)"(?:{_NAMES}|authorization|(?:x-)?(?:goog-)?api-key|(?:set-)?cookie)"\s{{0,8}}:\s{{0,8}}'
        r'"(?P<secret>(?:[^"\\]|\\.){4,})',
        "names of members that contain nothing else; OpenAI and Anthropic: MCP servers of a request",
        check=can_be_secret,
    ),
    SecretShape("assignment", f"{_GITLEAKS}: generic-api-key", assigned_spans, ASSIGNED),
)


# --- who it was ---------------------------------------------------------------------------------------------

_PERSONS = (
    SecretShape("email", "RFC 5322, 3.4.1, as people write them", email_spans, ("@",)),
    starting("organization-id", "org-", r"[A-Za-z0-9]{20,}", f"{_SEEN} (OpenAI)"),
    starting("project-id", "proj_", r"[A-Za-z0-9]{20,}", f"{_SEEN} (OpenAI)"),
    starting("user-id", "user-", r"[A-Za-z0-9]{24,}", f"{_SEEN} (OpenAI)"),
    starting("openrouter-user-id", "user_", r"[A-Za-z0-9]{24,}", f"{_SEEN} (OpenRouter)"),
    starting("google-project-number", "projects/", r"(?P<secret>\d{9,14})", f"{_SEEN} (Google)", in_word=False),
    matching(
        "aws-account-id",
        ("arn:aws",),
        r"arn:aws[a-z-]{0,12}:[a-z0-9-]{1,40}:[a-z0-9-]{0,20}:(?P<secret>\d{12})",
        "AWS: ARN format",
    ),
)


KEYS: tuple[SecretShape, ...] = (*_PROVIDERS, *_SERVICES, *SERVICES)
"""Kinds with a beginning of their own."""

SHAPES: tuple[SecretShape, ...] = (*KEYS, *_CREDENTIALS, *_PERSONS)
"""Every kind, the more specific first: where two find the same text, the first names it."""
