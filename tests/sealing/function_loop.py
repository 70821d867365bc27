"""A loop in Python that asks its endpoint once, and then tries every way out of its process."""

from __future__ import annotations

import json
from urllib.request import ProxyHandler, Request, build_opener

from harness.targets import CaseRun
from tests.sealing.python_ways import try_all


def run(case: CaseRun) -> str:
    body = {"model": case.model, "max_tokens": 9, "messages": [{"role": "user", "content": "Say hello."}]}
    heads = {"content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01"}
    with build_opener(ProxyHandler({})).open(
        Request(f"{case.base_url}/v1/messages", json.dumps(body).encode(), heads)  # noqa: S310 - of the case
    ) as answer:
        text = json.load(answer)["content"][0]["text"]
    try_all()
    return str(text)
