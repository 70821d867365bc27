# ruff: noqa: S310, T201
"""Loops in Python that answer, or misbehave in the case ``case-1``, for the tests of worker processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

from harness.targets import CaseRun


def ask(case: CaseRun) -> str:
    body = {"model": case.model, "max_tokens": 99, "messages": [{"role": "user", "content": "Say hello."}]}
    head = {"content-type": "application/json", "x-api-key": case.api_key, "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{case.base_url}/v1/messages", json.dumps(body).encode(), head)
    with urllib.request.urlopen(request) as response:
        text: str = json.load(response)["content"][0]["text"]
    return text


def only_in_one(misbehave: Callable[[CaseRun], Any]) -> Callable[[CaseRun], str]:
    def run(case: CaseRun) -> str:
        said = ask(case)
        if "/case-1." in case.base_url:
            misbehave(case)
        return said

    return run


@only_in_one
def answer(case: CaseRun) -> None:
    pass


@only_in_one
def end_the_process(case: CaseRun) -> None:
    print("not flushed", flush=True)
    os.write(2, b"about to go\n")
    os._exit(7)


@only_in_one
def exit_python(case: CaseRun) -> None:
    sys.exit("enough")


async def for_ever(case: CaseRun) -> str:
    said = ask(case)
    while "/case-1." in case.base_url:
        print("round and round")
    return said


@only_in_one
def flood(case: CaseRun) -> None:
    for _ in range(2_000):
        print("and so on " * 6_000)
    raise ValueError("that is all")


@only_in_one
def ask_elsewhere(case: CaseRun) -> None:
    for address in ("https://api.example.invalid/v1/messages", "http://192.0.2.1/v1/messages"):
        try:
            urllib.request.urlopen(address)
        except OSError as error:
            print(error)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.sendto(b"x", ("192.0.2.1", 53))


@only_in_one
def leave_a_child(case: CaseRun) -> None:
    subprocess.Popen([sys.executable, "-ISc", "import signal\nwhile True: signal.pause()"])
