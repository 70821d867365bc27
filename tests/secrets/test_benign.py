"""Texts without a secret that look a little like one: they stay as they are."""

from __future__ import annotations

import base64
import hashlib
import json

from harness.secrets.redactor import Redactor
from harness.secrets.second_table import suspects

_SHA = hashlib.sha256(b"a commit").hexdigest()
_IMAGE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + hashlib.sha512(b"pixels").digest() * 6).decode()
_SIGNATURE = base64.b64encode(hashlib.sha512(b"thought").digest() * 5).decode()

BENIGN = [
    "?key=home",
    "?token=next-page",
    "https://shop.example/list?key=title&sort=asc&session=new",
    "npm i left-pad@1.2.3.beta",
    "install foo@latest.tgz",
    "pip install torch==2.13.0 --index-url https://download.example/whl",
    '{"cookie":"chocolate chip"}',
    '{"api_key":"YOUR_API_KEY_HERE"}',
    '{"api_key": "<your api key>"}',
    '{"api_key": "${OPENAI_API_KEY}"}',
    "export OPENAI_API_KEY=sk-...",
    "OPENAI_API_KEY=your-key-goes-here",
    "sk-toggle-label-hidden-visually-2",
    '<label class="sk-toggleable__label fw_bold pat-autosuggest re_direct-link">',
    '{"id_token":"none"}',
    '{"password":"string"}',
    '{"password": {"type": "string", "minLength": 8}}',
    '{"token_count": 1234, "max_tokens": 4096, "stop_token": "<|im_end|>"}',
    '{"next_page_token": "CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA"}',
    '{"prompt_cache_key": "conversation-1f0c2d3e4b5a46789abc"}',
    '{"idempotency_key": "stainless-node-retry-1f0c2d3e-4b5a-4678-9abc-def012345678"}',
    '{"primary_key": "customer_id", "foreign_key": "order_2024_id"}',
    f"commit {_SHA[:40]}",
    f"sha256:{_SHA}",
    f'"integrity": "sha512-{base64.b64encode(hashlib.sha512(b"package").digest()).decode()}"',
    "1f0c2d3e-4b5a-4678-9abc-def012345678",
    '{"id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT"}',
    '{"id": "resp_048ccf2689860141006a5539a493b0819c9421103e8b4d6758"}',
    '{"previous_response_id": "resp_048ccf2689860141006a5539a493b0819c9421103e8b4d6758"}',
    '{"tool_call_id": "call_5DlXJ0zVqsn8nYhfzDVHXyZ1"}',
    '{"tool_use_id": "toolu_01A09q90qw90lq917835lq9"}',
    '{"id": "fc_67ca09c6bedc8190a7abfec07b1a1332096610f474011cc0"}',
    '{"id": "rs_68af4030baa48193b0b43b4c2a176a1a0e6967589f080e78"}',
    '{"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}',
    '{"id": "gen-1717171717-aBcDeFgHiJkLmNoPqRsT"}',
    '{"system_fingerprint": "fp_44709d6fcb"}',
    json.dumps({"type": "thinking", "signature": _SIGNATURE}),
    json.dumps({"thoughtSignature": _SIGNATURE}),
    json.dumps({"encrypted_content": "gAAAAAB" + _SIGNATURE.replace("+", "-").replace("/", "_")}),
    json.dumps({"image_url": f"data:image/png;base64,{_IMAGE}"}),
    "claude-sonnet-4-5-20250929, gpt-5-mini-2025-08-07, gemini-2.5-flash-preview-09-2025, qwen/qwen3-235b-a22b:free",
    "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
    "The key to the password of the secret garden is a token of friendship.",
    "Basic authentication is simple; bearer tokens are passed in a header.",
    "Authorization: Bearer $TOKEN",
    "curl -H 'Authorization: Bearer YOUR_TOKEN' https://api.example/v1",
    "git@github.com:acme/widgets.git",
    "mail to nobody@example.com or info@test",
    "background: url(logo@2x.png); color: #1f2d3e",
    "arn:aws:s3:::my-bucket/key=2024-11-24/part-00000.parquet",
    "s3://bucket/year=2024/month=11/key=abc/file.csv",
    "s.substring(start_index).toLowerCaseString() and user.getAuthenticationToken()",
    "const secretKeyName = process.env.SECRET_KEY_NAME;",
    "os.environ['AWS_SECRET_ACCESS_KEY'] must be set",
    "AKIA is how ids of keys of AWS begin, ghp_ those of GitHub, xoxb- those of Slack.",
    "rust: fn tokenize<'a>(tokens: &'a [Token]) -> Vec<Token<'a>>",
    "eyJust kidding. v1.local.build is not a token.",
    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "x" * 64,
    "The quick brown fox jumps over the lazy dog 0123456789 times.",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6sXxq1hIe2eVbH7S2K1eK0m9WbYFq0m3z7n2m1k0pZ me",
]


def test_there_are_enough_texts() -> None:
    assert len(set(BENIGN)) == len(BENIGN) >= 51


def test_at_most_two_of_them_change() -> None:
    redactor = Redactor()
    changed = [text for text in BENIGN if redactor.redact_text(text) != text]
    assert len(changed) <= 2, changed


def test_a_file_with_any_of_them_is_kept() -> None:
    refused = [text for text in BENIGN if list(suspects(text))]
    assert len(refused) <= 2, refused


IN_TWO = [
    ("ssh root@build", "ls.txt is gone"),
    ("My password is", "correct horse battery"),
    ("The token:", "none of your business 12"),
    ("set api_key=", "YOUR_API_KEY_HERE"),
    ("Use Basic", "authentication for it"),
    ("What is the key?", "A 12-bar blues in E7"),
    ("login secret:", "see the vault, item 4711abc"),
    ("git@github", "com is down"),
    ("token = ", "eval_v2_final_result_checkpoint7"),
    ("the id of the secret is", "req_011CSHoEeqs5C35K2UUqR7Fy"),
    ("password", "call_LU5NujZ6kVzB8QIXejQH3sXx"),
    ("the sha of token: ", _SHA[:40]),
]
"""Texts of two messages, which together look a little like a secret."""


def test_texts_of_two_messages_stay() -> None:
    redactor = Redactor()
    bodies = [
        json.dumps({"model": "m", "messages": [{"role": "user", "content": a}, {"role": "assistant", "content": b}]})
        for a, b in IN_TWO
    ]
    assert [body for body in bodies if redactor.redact_body(body.encode(), "application/json") != body.encode()] == []
