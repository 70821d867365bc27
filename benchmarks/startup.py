"""Start-up: ``harness --help`` and ``harness list`` against importing the three provider SDKs.

    python benchmarks/startup.py

Goals: at most 100 ms CPU, and at most 1/40 of the SDKs. Children are timed by the operating system's accounting.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from statistics import median

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "harness --help": ["-m", "harness", "--help"],
    "harness list": ["-m", "harness", "list"],
    "import the three SDKs": ["-c", "import openai, anthropic, google.genai"],
}
ROUNDS = 7


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            times[name].append(child_cpu([sys.executable, *arguments]))
    sdks = median(times["import the three SDKs"])
    print(f"{'command':24} {'CPU ms':>8} {'of the SDKs':>12}")
    for name, seconds in times.items():
        print(f"{name:24} {median(seconds) * 1000:8.0f} {'1/' + format(sdks / median(seconds), '.0f'):>12}")


def child_cpu(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


if __name__ == "__main__":
    main()
