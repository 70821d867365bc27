"""What is mutated, and who judges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from harness_lab.mutation.by_cases import Cases
from harness_lab.mutation.by_selftest import Selftest
from harness_lab.mutation.by_stated_traces import StatedTraces
from harness_lab.mutation.judging import MutationJudge

__all__ = ["SUBJECTS", "Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A part of the harness. ``files`` and ``left_out`` are patterns of paths, relative to the repository.

    ``why_left_out`` says what those files are. ``tests`` are the tests that judge what ``judge`` does not find.
    ``samples`` says which samples there were before the one in the document, and what came of them.
    """

    name: str
    title: str
    files: tuple[str, ...]
    judge: Callable[[], MutationJudge]
    left_out: tuple[str, ...] = ()
    why_left_out: str = ""
    tests: tuple[str, ...] = ()
    samples: str = ""

    def paths(self, root: Path) -> list[str]:
        """The files that are mutated."""
        found = {path.relative_to(root).as_posix() for pattern in self.files for path in root.glob(pattern)}
        return sorted(path for path in found if not any(fnmatch(path, pattern) for pattern in self.left_out))


_ALL: Final = (
    Subject(
        "loop",
        "The reference loop: engine, presets, sessions, tools",
        ("harness/loop/**/*.py",),
        Cases,
        ("harness/loop/tools/drawing.py",),
        "it draws placeholder pictures, of which a run sees the names alone",
        samples="These are the first 65 mutants of the sample of seed 97, a new one, in the order of the lot, judged "
        "before their own survivors were looked at: 52 of 65 were killed, 80.0 %; one of the two notes on "
        "equivalent ones came after. The run was stopped by the clock: the machine was busy. They were judged by "
        "2,400 of the 6,744 cases: two of most scenarios on the SDKs, and, as never before, the situations by "
        "every policy and broken streams over WebSockets. The score is no better than that of the sample before, "
        "of seed 41: of its first 164 mutants 136 were killed by 700 of 5,077 cases, 84.5 % without the "
        "equivalent ones. Of so few mutants either may be some ten points off, and there are 6,371 now where "
        "there were 5,596: the sessions for Interactions and WebSockets are new. For ten survivors of seed 41 "
        "there is a scenario since, or an expectation; that scenario finds it, as was tried one by one. "
        "Of seed 96, drawn in between, 61 were judged by 1,350 cases, and 52 killed; they showed gaps to close "
        "and have no score. Earlier, of seed 11, 88 of 100 were killed, by at most 700 of the cases that run the "
        "line of each; 92.7 % without the equivalent ones. Of seed 10, of which 40 were judged, 37 were killed. "
        "Of seed 9 some 200 were judged, most of them by at most 250 cases; they showed the gaps to close and "
        "have no score. Of seed 8, 85 of 100 were killed when it was drawn; of seed 6, 103 of 130, 79.2 %; of "
        "seed 5, 84 of 100; of seed 4, 152 of 200, 76.0 %; of seed 3, 78 of 99, 78.8 %; of seed 2, 171 of 250, "
        "68.4 %. Seed 1 was mended over and over, and flatters: 184 of 198, 92.9 %. Seed 7 was given up after ten "
        "mutants, of which no case runs eight. What survives is of a few kinds: API that only programs use (a "
        "client of a session's own, variants side by side, tools of packages); a conversation that compacts by "
        "itself, which no preset does; what a scenario judges on a wire or in a policy of which the chosen cases "
        "have none (texts beside results on Gemini); what reads as well in another form (a failure under another "
        "name, an error that the tool meets later); constants of which nobody notices one more or less.",
    ),
    Subject(
        "rules",
        "The rules about traces",
        ("harness/rules/**/*.py",),
        StatedTraces,
        ("harness/rules/example.py",),
        "it is for documentation",
        ("tests/rules",),
        samples="The traces of the selftest are judged one by one, and its broken loops and pairs of mistakes are left "
        "out. These are the rules about traces alone; the providers' own (`harness/wire/*/rules`) are the part "
        "`wire-rules`. A kill is any finding that is not word for word the stated one. These are the first 50 mutants "
        "of the sample of seed 103, in the order of the lot, judged before their own survivors were looked at: 45 of "
        "50 were killed. They are so few because the time ended. The note on an equivalent one came after. For each "
        "of the four others there is a small run since, which finds it, as was tried one by one. The selftest judges "
        "six small changes of each small run since, and two pairs of them; no sample has measured that yet, because "
        "the machine was busy.\n\nBefore the selftest had small changes of traces, of seed 41, 180 of 200 were killed, "
        "91.8 % without the equivalent ones. Seven of those survivors have a small run since, which finds them.\n\n"
        "Earlier samples, after each of which its gaps were closed:\n\n"
        "| seed | 31 | 21 | 6 | 6, before | 5 | 4 | 3 | 1, mended |\n|---|---|---|---|---|---|---|---|---|\n"
        "| judged | 200 | 100 | 100 | 100 | 53 | 100 | 200 | 199 |\n"
        "| killed | 182 | 91 | 80 | 88 | 46 | 83 | 173 | 188 |",
    ),
    Subject(
        "wire-rules",
        "The checks of the providers' rules",
        ("harness/wire/*/rules/**/*.py",),
        Selftest,
        ("harness/wire/*/rules/table/*",),
        "they are statements, reasons and evidence",
        ("tests/wire",),
        samples="Judged by the part of the selftest that breaks requests; its traces and its broken loops, which "
        "judge the same checks by the way, are left out. These are the first 96 mutants of the sample of seed 223, a "
        "new one, in the order of the lot, judged before their own survivors were looked at: 88 of 96 were killed. "
        "The notes on two equivalent ones came after. They are not 200 because the machine was busy, and they were "
        "judged `--unmeasured`, each by the requests of its own wire. Since the sample before, the selftest judges "
        "each setting with each of its values on a model of every kind, values of every other type, and schemas, "
        "names, parts and blocks of every kind; and an empty name of an answer, which had meant the first, is an "
        "error. After this sample came one change of all texts of a kind at once, and a prompt that is too long "
        "without the beta of a larger window; the two survivors in Gemini's matching and pairing that were tried pass "
        "these, too. Most of the survivors are about what was issued in a form that no base request has: text before "
        "thinking, calls without ids or with a namespace.\n\nOf seed 101, the sample before, 19 of 24 were killed. "
        "Three of its survivors are found now, as was tried one by one; the lines of the other two are gone, because "
        "the code was simplified.\n\n"
        "Earlier samples:\n\n| seed | 61 | 7 |\n|---|---|---|\n| judged | 60 | 60 |\n| killed | 52 | 46 |",
    ),
)

SUBJECTS: Final[Mapping[str, Subject]] = {subject.name: subject for subject in _ALL}
"""By name."""
