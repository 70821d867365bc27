# ruff: noqa: S310, T201
"""A command whose runs are one conversation on Messages, by the lines of the protocol alone, without packages.

Its first argument says what it does wrong; nothing, if it is ``keep``.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.request
from typing import Any

Case = dict[str, Any]
MANNER = sys.argv[1]


class Cancelled(Exception):
    """The caller has cancelled the run."""


def say(**line: Any) -> None:
    print(json.dumps(line), flush=True)


class Run:
    """One run: it keeps its messages in the state, and reads its standard input while a tool runs."""

    def __init__(self, case: Case) -> None:
        self.case = case
        texts = [each["text"] for each in case["prompt"]]
        self.messages = [*case["state"].get("messages", []), {"role": "user", "content": [text(*texts)]}]
        self.said: list[str] = []

    def go(self) -> None:
        try:
            while calls := [block for block in self.asked() if block["type"] == "tool_use"]:
                self.run_all(calls)
        except Cancelled:
            pass
        if MANNER != "forget":
            say(state={"messages": self.messages})
        if MANNER == "never_end":
            time.sleep(3600)

    def run_all(self, calls: list[Any]) -> None:
        """Every call has a result, also where the run is cancelled meanwhile."""
        results = {call["id"]: "cancelled by the user" for call in calls}
        try:
            for call in calls:
                results[call["id"]] = self.run_one(call)
        finally:
            answers = [
                {
                    "type": "tool_result",
                    "tool_use_id": id,
                    "content": result,
                    "is_error": result.startswith("cancelled"),
                }
                for id, result in results.items()
            ]
            said = [text(each) for each in self.said]
            self.messages.append({"role": "user", "content": [*answers, *said]})
            self.said.clear()

    def run_one(self, call: Any) -> str:
        say(call={"key": call["id"], "name": call["name"], "arguments": call["input"], "id": call["id"]})
        while True:
            line = read()
            if "result" in line:
                return json.dumps(line["result"]["output"])
            if "say" in line:
                self.said.append(line["say"])
            elif MANNER == "hang":
                time.sleep(3600)
            elif MANNER == "exit":
                sys.exit(130)
            elif MANNER != "go_on":
                raise Cancelled

    def asked(self) -> list[Any]:
        tools = [
            {"name": each["name"], "description": each["description"], "input_schema": each["parameters"]}
            for each in self.case["tools"]
        ]
        body = {"model": self.case["model"], "max_tokens": 99, "messages": self.messages, "tools": tools}
        head = {"content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01"}
        request = urllib.request.Request(f"{self.case['base_url']}/v1/messages", json.dumps(body).encode(), head)
        with urllib.request.urlopen(request) as response:
            content: list[Any] = json.load(response)["content"]
        self.messages.append({"role": "assistant", "content": content})
        return content


def text(*texts: str) -> dict[str, str]:
    return {"type": "text", "text": "\n".join(texts)}


def read() -> Any:
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)


def main() -> None:
    case = read()
    while True:
        if "TEST_STARTS" in os.environ:
            with open(os.environ["TEST_STARTS"], "a") as starts:  # noqa: PTH123
                starts.write(f"{os.getpid()} {case['run']} {case['resumed']}\n")
        Run(case).go()
        if not case["persistent"]:
            return
        say(done=case["case"])
        while "case" not in (case := read()):  # what comes too late
            pass


if __name__ == "__main__":
    main()
