"""One benchmark, in this process: ``python -m benchmarks.tracking.one NAME [--quick]`` prints its rows as JSON."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module


def main(name: str, *, quick: bool) -> None:
    for row in import_module(f"benchmarks.{name}").figures(quick):
        print(json.dumps(asdict(row)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], quick="--quick" in sys.argv[2:])
