# ruff: noqa: S310, T201
"""A command under test: it answers, or in the case ``case-1`` does what its first argument says; without packages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from typing import Any

Case = dict[str, Any]


def say(**line: Any) -> None:
    print(json.dumps(line), flush=True)


def ask(case: Case) -> str:
    body = {"model": case["model"], "max_tokens": 99, "messages": [{"role": "user", "content": "Say hello."}]}
    if case.get("tools"):
        body["tools"] = [
            {"name": each["name"], "description": each["description"], "input_schema": each["parameters"]}
            for each in case["tools"]
        ]
    head = {"content-type": "application/json", "x-api-key": case["api_key"], "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{case['base_url']}/v1/messages", json.dumps(body).encode(), head)
    with urllib.request.urlopen(request) as response:
        text: str = json.load(response)["content"][0]["text"]
    return text


def answer(case: Case) -> None:
    say(event="assistant", text=ask(case), id="1")


def say_much_first(case: Case) -> None:
    """An event of more than a pipe holds, and then a request; and once more."""
    for number in range(3):
        say(event="thinking", text="x" * 1_000_000, id=str(number))
        text = ask(case) if number == 0 else ""
    say(event="assistant", text=text, id="3")


# --- it does not end ----------------------------------------------------------------------------------------


def wait_for_ever() -> None:
    while True:
        signal.pause()


def hang(case: Case) -> None:
    ask(case)
    print("thinking it over", file=sys.stderr, end="", flush=True)
    wait_for_ever()


def hang_behind_an_event(case: Case) -> None:
    ask(case)
    say(event="turnStart", turn=1)
    wait_for_ever()


def ignore_sigterm(case: Case) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hang(case)


def read_to_the_end(case: Case) -> None:
    ask(case)
    sys.stdin.read()


# --- it ends in its own way ---------------------------------------------------------------------------------


def crash_at_import(case: Case) -> None:
    import no_such_package  # type: ignore[import-not-found]  # noqa: F401


def exit_three(case: Case) -> None:
    ask(case)
    print("the disk is full", file=sys.stderr)
    sys.exit(3)


def tell_and_exit_three(case: Case) -> None:
    ask(case)
    say(event="error", kind="http", message="it was refused")
    sys.exit(3)


def segfault(case: Case) -> None:
    ask(case)
    os.kill(os.getpid(), signal.SIGSEGV)


def silence(case: Case) -> None:
    ask(case)


# --- what it prints -----------------------------------------------------------------------------------------


def print_beside_events(case: Case) -> None:
    print("[1] not an event\nneither is this: {}")
    answer(case)


def no_end_of_line(case: Case) -> None:
    print(json.dumps({"event": "assistant", "text": ask(case), "id": "1"}), end="")


def flood(case: Case) -> None:
    ask(case)
    while True:
        os.write(1, b"and so on\n" * 6000)


def flood_one_line(case: Case) -> None:
    ask(case)
    while True:
        os.write(1, b"and so on " * 6000)


def flood_errors(case: Case) -> None:
    ask(case)
    while True:
        os.write(2, b"and so on\n" * 6000)


def broken_json(case: Case) -> None:
    answer(case)
    print('{"event": "assistant", "text": "Hel', flush=True)


def unknown_event(case: Case) -> None:
    print("Hello.")
    say(event="asistant", text="Hello.", id="1")


def unknown_member(case: Case) -> None:
    say(event="assistant", text="Hello.", id="1", colour="red")


def an_object(case: Case) -> None:
    say(level="info", message="asking")


def no_text(case: Case) -> None:
    os.write(1, b'{"event": "assistant", "text": "\xff", "id": "1"}\n')


def a_record(case: Case) -> None:
    say(record="request", exchange=0, method="POST", path="/", headers={}, body={"text": ""})


# --- what it leaves behind ----------------------------------------------------------------------------------

_WAIT = "import signal\nwhile True: signal.pause()"


def leave_a_child(case: Case) -> None:
    subprocess.Popen([sys.executable, "-ISc", _WAIT])
    answer(case)


def leave_a_deaf_child(case: Case) -> None:
    deaf = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    subprocess.Popen([sys.executable, "-ISc", deaf + _WAIT])
    answer(case)


def leave_its_group(case: Case) -> None:
    """Fork twice, with a session in between: the grandchild has neither the group nor the parent."""
    answer(case)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            wait_for_ever()
        os._exit(0)
    os.wait()


def leave_its_group_and_hang(case: Case) -> None:
    leave_its_group(case)
    wait_for_ever()


# --- where it asks ------------------------------------------------------------------------------------------


def ask_elsewhere(case: Case) -> None:
    answer(case)
    for address in ("https://api.example.invalid/v1/messages", "http://192.0.2.1/v1/messages?key=secret"):
        try:
            urllib.request.urlopen(address)
        except OSError as error:
            print(error, file=sys.stderr)


def only_ask_elsewhere(case: Case) -> None:
    urllib.request.urlopen("https://api.example.invalid/v1/messages")


# --- its standard input -------------------------------------------------------------------------------------


def close_stdin(case: Case) -> None:
    os.close(0)
    say(call={"key": 1, "name": "get_weather", "arguments": {}})
    answer(case)


def never_read_results(case: Case) -> None:
    while True:
        say(call={"key": 1, "name": "get_page", "arguments": {}})


def never_read(case: Case) -> None:
    answer(case)


def leave_in_the_stream(case: Case) -> None:
    body = {
        "model": case["model"],
        "max_tokens": 99,
        "stream": True,
        "messages": [{"role": "user", "content": "Say hello."}],
    }
    head = {"content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(f"{case['base_url']}/v1/messages", json.dumps(body).encode(), head)
    response = urllib.request.urlopen(request)
    response.readline()
    os._exit(4)


def answer_by_environment(case: Case) -> None:
    answer({**case, "base_url": os.environ["ANTHROPIC_BASE_URL"]})


# --- a process for many cases -------------------------------------------------------------------------------


def wait_with_done(case: Case) -> None:
    answer(case)
    sys.stdin.read()


def done_with_another(case: Case) -> None:
    answer(case)
    say(done="case-0")


def tell_after_done(case: Case) -> None:
    answer(case)
    os.write(1, b'{"done": "%s"}\n{"event": "assistant", "text": "P.S.", "id": "1"}\n' % case["case"].encode())


def main() -> None:
    if "TEST_STARTS" in os.environ:
        with open(os.environ["TEST_STARTS"], "a") as starts:  # noqa: PTH123
            starts.write(f"{os.getpid()}\n")
    if sys.argv[1] == "never_read":
        url = os.environ["HARNESS_CASE_BASE_URL"]
        case = {
            "case": url.rpartition("/")[2],
            "model": os.environ["HARNESS_MODEL"],
            "base_url": url,
            "api_key": "harness",
        }
    else:
        case = json.loads(sys.stdin.readline())
    run(case)
    while case.get("persistent"):
        say(done=case["case"])
        if not (line := sys.stdin.readline()):
            break
        run(case := json.loads(line))


def run(case: Case) -> None:
    globals()[sys.argv[1] if case["case"].startswith("case-1.") else "answer"](case)


if __name__ == "__main__":
    main()
