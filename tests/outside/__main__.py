"""``python -m tests.outside SEED ...``: figures of tool schemas and of right programs that no test has drawn."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from random import Random

from harness.wire import NATIVE_WIRES
from tests.outside.endpoint import asked
from tests.outside.programs import PROGRAMS
from tests.outside.test_programs import play
from tests.outside.test_tool_schemas import misfits
from tests.outside.tool_schemas import forms


def schemas(seeds: Iterable[int]) -> None:
    """Print, for each seed, how many arguments fit, and those that do not."""
    for seed in seeds:
        drawn = [*forms(seed)]
        with asked("openai-chat") as endpoint:
            found = [*misfits(endpoint, drawn)]
        for form, stream, said, wrong in found:
            if not stream:
                print(json.dumps({"form": form.name, "schema": form.schema, "arguments": said, "wrong": wrong}))
        told = f"{len(endpoint.findings)} findings in {len(endpoint.cases)} conversations"
        print(f"seed {seed}: {2 * len(drawn) - len(found)} of {2 * len(drawn)} fit; {told}")


def programs(seeds: Iterable[int]) -> None:
    """Print what is found of right programs, for each seed and wire: alone, and all at once."""
    for seed in seeds:
        for wire in NATIVE_WIRES:
            draw = Random(f"{seed} {wire}")
            found: Counter[str] = Counter()
            alone: Counter[str] = Counter()
            for name in PROGRAMS:
                with asked() as endpoint:
                    for _ in range(3):
                        play(endpoint, [wire], [name], draw)
                alone.update(f"{name}: {each.partition(' ')[2][:150]}" for each in endpoint.musts)
            with asked() as endpoint:
                play(endpoint, [wire], draw.sample([*PROGRAMS], len(PROGRAMS)), draw)
            found.update(each.partition(" ")[2][:200] for each in endpoint.musts)
            print(f"seed {seed}, {wire}: {alone.total()} MUST alone, {found.total()} all at once")
            for line, count in [*alone.items(), *found.items()]:
                print(f"  {count} {line}")


if __name__ == "__main__":
    chosen = [int(seed) for seed in sys.argv[1:]]
    schemas(chosen)
    programs(chosen)
