"""The wire of Amazon Bedrock's ``Converse`` and ``ConverseStream``.

``POST /model/{modelId}/converse`` is answered with one document, ``/converse-stream`` with frames of AWS. The path has
the model and whether to stream. The service makes the ids itself, in one form for models of all makers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from harness.finding import ProviderAnswer
from harness.wire.base import NO_HEADERS, Conversation, Json, Route, Wire
from harness.wire.bedrock_converse.auxiliary import auxiliary
from harness.wire.bedrock_converse.claim import claim
from harness.wire.bedrock_converse.errors import answer, failure, refusal, response_headers
from harness.wire.bedrock_converse.fold import arrivals
from harness.wire.bedrock_converse.models import MODELS
from harness.wire.bedrock_converse.parse import begins_answer, parse
from harness.wire.bedrock_converse.read import elsewhere, path, read, route
from harness.wire.bedrock_converse.render import render
from harness.wire.bedrock_converse.response_rules import LACKS, RESPONSE_RULES
from harness.wire.bedrock_converse.rules.book import RULES, violations
from harness.wire.bedrock_converse.stream import EVENT_STREAM
from harness.wire.bedrock_converse.strict import strict
from harness.wire.bedrock_converse.thinks import thinks
from harness.wire.bedrock_converse.write import SETTINGS, entries, returned, write
from harness.wire.content_blocks import answers
from harness.wire.grammar import Grammar
from harness.wire.judge import DeclaredRules
from harness.wire.lenient import members
from harness.wire.provider import Provider
from harness.wire.tool_choice import ToolChoice, tool_choice

__all__ = ["WIRE"]

_BEDROCK: Final = Provider(
    base_url="https://bedrock-runtime.us-east-1.amazonaws.com",
    sdk="boto3",
    base_variables=("AWS_ENDPOINT_URL_BEDROCK_RUNTIME",),
    other_variables=("AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
    key_variables=("AWS_BEARER_TOKEN_BEDROCK",),
    signing_variables=("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    sdk_settings=(
        ("AWS_REGION", "us-east-1"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ),
)
"""botocore refuses to send a key over http, so it gets credentials to sign with.

``AWS_ENDPOINT_URL`` is not set, because it would lead requests to all services of AWS to the endpoint.
"""


def _read(
    route: Route,
    body: bytes,
    headers: Mapping[str, str] = NO_HEADERS,  # noqa: ARG001 - no rule of this wire depends on one
    /,
) -> Conversation:
    return read(route, body)


def _tool_choice(body: Json) -> ToolChoice:
    choice = members(members(body.get("toolConfig")).get("toolChoice"))
    return tool_choice(next(iter(choice), None), [members(choice.get("tool")).get("name")])


def _kind(event: Any) -> str:
    return next(iter(event), "") if isinstance(event, dict) else str(event)[:20]


def _same(kind: str) -> str:
    return kind


def _mark(name: str, value: Json) -> str:
    """The mark of an element of a list: the member that it has, or nothing."""
    return f"<{next(iter(value))}>" if name.endswith("[]") and len(value) == 1 else ""


WIRE: Final = Wire(
    name="bedrock-converse",
    label="bedrock",
    rule_prefix="BED",
    rules=DeclaredRules(RULES),
    models=MODELS,
    provider=_BEDROCK,
    default_model="us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    history="messages",
    grammar=Grammar(_kind, _same, _mark, frozenset({"input", "p"}), free_in_requests=frozenset({"input", "json"})),
    settings=SETTINGS,
    cache_marks=frozenset({"cachePoint"}),
    route=route,
    elsewhere=elsewhere,
    path=path,
    read=_read,
    violations=violations,
    render=render,
    parse=parse,
    strict=strict,
    response_rules=RESPONSE_RULES,
    lacks=LACKS,
    begins_answer=begins_answer,
    arrivals=arrivals,
    auxiliary=auxiliary,
    unknown_path=lambda method, path: ProviderAnswer(
        f"Unable to determine service/operation name to be authorized: {method} {path}",
        404,
        kind="UnknownOperationException",
    ),
    refuse=refusal,
    error=answer,
    failure=failure,
    response_headers=response_headers,
    write=write,
    entries=entries,
    returned=returned,
    answers=answers,
    claim=claim,
    tool_choice=_tool_choice,
    thinks=thinks,
    transport=EVENT_STREAM,
    on_request=True,
    model_member="modelId",
    model_in_path=True,
    marks_failures=True,
    object_arguments=True,
    documents_need_valid_arguments=True,
)
