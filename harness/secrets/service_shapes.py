"""Kinds of secrets that neither model providers nor the published rules have, or that the rules have too narrowly.

The sources are the issuers' own pages about their keys, unless a shape names another.
"""

from __future__ import annotations

from harness.secrets.learned import can_be_secret
from harness.secrets.randomness import looks_drawn, looks_random
from harness.secrets.shape import SecretShape, matching, starting

_WORD = r"[A-Za-z0-9_-]"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_OWN = "the issuer's documentation"


def _drawn(kind: str, prefix: str, length: int, source: str = _OWN) -> SecretShape:
    return starting(kind, prefix, rf"{_WORD}{{{length},}}", source, looks_drawn)


def _looks_like_value(text: str) -> bool:
    return can_be_secret(text) and any(letter.isdigit() for letter in text)


SERVICES: tuple[SecretShape, ...] = (
    # --- models, agents and their tools
    _drawn("openai-ephemeral-key", "ek_", 32),
    starting("gemini-auth-token", "auth_tokens/", rf"(?P<secret>{_WORD}{{20,}})", _OWN),
    _drawn("jina-key", "jina_", 40),
    starting("elevenlabs-key", "sk_", r"[0-9a-f]{40,}", _OWN),
    starting("e2b-key", "e2b_", r"[0-9a-f]{32,}", _OWN),
    starting("endorlabs-key", "endr+", r"[A-Za-z0-9-]{16,}", _OWN),
    _drawn("browserbase-key", "bb_live_", 20),
    starting("apify-token", "apify_api_", r"[A-Za-z0-9]{30,}", _OWN),
    starting("huggingface-oauth-token", "hf_oauth_", r"[A-Za-z0-9._-]{30,}", _OWN),
    starting("notion-secret", "secret_", r"[A-Za-z0-9]{40,}", _OWN),
    # --- clouds and platforms
    matching(
        "azure-client-secret",
        ("Q~",),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,40}",
        "gitleaks, config/gitleaks.toml: azure-ad-client-secret",
    ),
    starting("tencent-key-id", "AKID", r"[A-Za-z0-9]{32,}", _OWN),
    starting("bitbucket-app-password", "ATBB", r"[A-Za-z0-9]{28,}", _OWN),
    matching("atlassian-token", ("ATATT3", "ATCTT3"), r"AT[AC]TT3[A-Za-z0-9_=-]{60,}", _OWN, in_word=True),
    matching(
        "doppler-token",
        ("dp.",),
        r"(?<![A-Za-z0-9])dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,}",
        _OWN,
        in_word=True,
    ),
    matching(
        "netlify-token",
        ("nfp_", "nfc_", "nfo_", "nfb_", "nfu_"),
        r"(?<![A-Za-z0-9_])nf[pcobu]_[A-Za-z0-9]{36,}",
        _OWN,
        in_word=True,
    ),
    starting("onepassword-token", "ops_eyJ", r"[A-Za-z0-9+/_=-]{60,}", _OWN),
    starting("flyio-token", "fm2_", r"[A-Za-z0-9+/=_,-]{40,}", _OWN, in_word=False),
    starting("databricks-secret", "dose", r"[a-f0-9]{32}", _OWN),
    starting("databricks-key", "dkea", r"[a-f0-9]{32}", _OWN),
    starting("tailscale-key", "tskey-", r"(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{8,}-[A-Za-z0-9]{20,}", _OWN),
    starting("vault-recovery-token", "hvr.", rf"{_WORD}{{24,}}", _OWN),
    starting("heroku-key", "HRKU-", r"[A-Za-z0-9_-]{36,}", _OWN),
    # --- registries and forges
    starting("nuget-key", "oy2", r"[a-z0-9]{43}", _OWN),
    starting("crates-token", "cio", r"[A-Za-z0-9]{32}", _OWN),
    matching("linear-oauth-token", ("lin_oauth_",), r"lin_oauth_[A-Za-z0-9]{32,}", _OWN, in_word=True),
    matching("stripe-restricted-key", ("k_prod_",), r"[sr]k_prod_[A-Za-z0-9]{16,}", _OWN, in_word=True),
    matching(
        "registry-auth", ("_auth",), r"_auth(?:Token)?\s{0,3}=\s{0,3}(?P<secret>[A-Za-z0-9+/=_-]{16,})", "npm: .npmrc"
    ),
    matching(
        "docker-auth",
        ('"auth"',),
        r'"auth"\s{0,8}:\s{0,8}"(?P<secret>[A-Za-z0-9+/]{16,}={0,2})"',
        "docker: config.json",
    ),
    # --- messages, money, data
    starting("square-secret", "sq0", rf"(?:csp|atp|idp)-{_WORD}{{22,}}", _OWN),
    matching(
        "square-token", ("EAAA",), rf"(?<![A-Za-z0-9_+/-])EAAA(?={_WORD}{{0,20}}\d){_WORD}{{56,}}", _OWN, in_word=True
    ),
    matching("facebook-token", ("EAA",), r"(?<![A-Za-z0-9_+/-])EAA[A-Za-z0-9]{80,}", _OWN, in_word=True),
    matching(
        "facebook-app-token", ("|",), r"(?<!\d)\d{15,16}\|[A-Za-z0-9_-]{27,40}", "gitleaks: facebook-access-token"
    ),
    matching("plaid-token", ("access-",), rf"access-(?:sandbox|development|production)-{_UUID}", _OWN, in_word=True),
    matching("new-relic-key", ("NR",), r"NR(?:AK|II|JS|RA|AA|AL)-[A-Za-z0-9_-]{19,}", _OWN, in_word=True),
    matching("dropbox-token", ("sl.",), rf"(?<![A-Za-z0-9_.-])sl\.(?:u\.)?{_WORD}{{60,}}", _OWN, in_word=True),
    matching(
        "twilio-key", ("SK", "AC"), r"(?<![A-Za-z0-9_+/=-])(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9])", _OWN, in_word=True
    ),
    starting("mailgun-key", "key-", r"[0-9a-f]{32}(?![A-Za-z0-9])", _OWN),
    matching("mailchimp-key", ("-us",), r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\d)", _OWN),
    matching(
        "discord-bot-token",
        (".",),
        r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])",
        _OWN,
        check=looks_random,
        in_word=True,
    ),
    matching(
        "discord-webhook",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{15,20}/[A-Za-z0-9_-]{40,})",
        _OWN,
    ),
    matching(
        "teams-webhook",
        ("webhook.office.com/",),
        r"webhook\.office\.com/webhookb2/(?P<secret>[A-Za-z0-9@/-]{40,})",
        "gitleaks, config/gitleaks.toml: microsoft-teams-webhook",
    ),
    matching("salesforce-token", ("!",), r"(?<![A-Za-z0-9])00[A-Za-z0-9]{13}![A-Za-z0-9._-]{80,}", _OWN, in_word=True),
    matching("maxmind-key", ("_mmk",), r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", _OWN, in_word=True),
    # --- forms of keys and tokens
    matching(
        "jwe",
        ("eyJ",),
        rf"(?<![A-Za-z0-9_-])eyJ{_WORD}{{10,}}\.{_WORD}{{0,800}}\.{_WORD}{{10,40}}\.{_WORD}{{2,}}\.{_WORD}{{16,40}}(?!{_WORD})",
        "RFC 7516, 3.1",
        in_word=True,
    ),
    matching(
        "paseto",
        (".local.", ".public."),
        rf"(?<![A-Za-z0-9])v[1-4]\.(?:local|public)\.{_WORD}{{40,}}(?:\.{_WORD}+)?",
        "PASETO",
        in_word=True,
    ),
    matching(
        "putty-key",
        ("Private-Lines:",),
        r"Private-Lines: \d{1,3}\s{1,2}(?P<secret>(?:[A-Za-z0-9+/=]{1,64}\s{1,2}){1,60})",
        "PuTTY's format of keys",
    ),
    matching("age-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[A-Z0-9]{40,}", "age, C2SP", in_word=True),
    matching(
        "jwk-private-part",
        ('"kty"',),
        # Written on either side of the type: members of an object have no order.
        rf'"(?:d|k)"\s{{0,8}}:\s{{0,8}}"(?P<secret>{_WORD}{{22,}})"',
        "RFC 7517, 9.3",
    ),
    matching(
        "request-signature",
        ("ignature=",),
        r"(?:X-Amz-|X-Goog-)?[Ss]ignature=(?P<secret>[0-9A-Fa-f]{40,}|[A-Za-z0-9+/%_-]{40,}={0,2})",
        "AWS: Signature Version 4; Google: V4 signing",
        in_word=True,
    ),
    matching(
        "digest-response", ("Digest ",), r'Digest [^\n]{0,400}?response="?(?P<secret>[0-9a-f]{32,})', "RFC 7616, 3.4"
    ),
    matching(
        "command-password",
        (" -u ", "--user "),
        r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =](?P<secret>[^\s:\"'\\]{1,64}:[^\s\"'\\]{4,128})",
        "curl(1)",
    ),
    matching(
        "command-key",
        ("--",),
        # An option of a command line whose name says it: it stands in what repeats a case.
        r"--(?:[a-z0-9]{1,20}-){0,3}(?:key|token|secret|password|passwd)[ =]{1,2}[\"']?(?P<secret>[^\s\"'\\]{8,512})",
        "conventions of command lines",
        check=_looks_like_value,
    ),
)
"""Kinds with a beginning, a form or a name of their own."""
