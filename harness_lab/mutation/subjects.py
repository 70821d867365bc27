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
        "`wire-rules`. These are the first 50 mutants of the sample of seed 103, a new one, in the order of the lot, "
        "judged before their own survivors were looked at: 45 of 50 were killed. They are so few because the time "
        "ended, while another one had been judged for minutes. The note on an equivalent one came after. By then the "
        "selftest judged six small changes of each small run; it judges five since, some of other kinds, and two "
        "at once, which no sample has measured yet. Before it had small changes of traces, of seed 41, 180 of "
        "200 were killed, 91.8 % without the equivalent ones. For seven of those survivors a small run came "
        "after the sample: all seven are found now. Of seed 31, drawn before, "
        "182 of 200 were killed; when its 13 survivors that are not equivalent were judged again, after their "
        "small runs, 11 were found, and one of the two left is equivalent. When the rules about callers had been "
        "added, 80 of 100 of seed 6 were killed; then, of seed 21, 91 of 100. Before that, of seed 6, 88 of 100; "
        "of seed 5, of which 53 were judged, 46; of seed 4, 83 of 100; of seed 3, 173 of 200; of seed 1, after "
        "its survivors had been mended, 188 of 199. A kill is any finding that is not word for word the stated "
        "one.",
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
        "judge the same checks by the way, are left out. These are the first 24 mutants of the sample of seed "
        "101, a new one, in the order of the lot, judged before their own survivors were looked at: 19 of 24 "
        "were killed. They are so few because the time ended. The selftest judges small changes two at "
        "once, what requests borrow of each other, texts and lists at limits, other paths and headers, histories "
        "issued in part, and a wire that remembers. Before it did, of seed 61, 52 of 60 were killed. It had a "
        "digest of all words that are found in each small change of each valid request, and in each mutant for "
        "other models and servers. Before it had that, of seed 7, 46 of 60 were killed; five of its survivors "
        "changed only the words of an answer, and seven for which models, servers or histories a check is "
        "silent or less certain.",
    ),
)

SUBJECTS: Final[Mapping[str, Subject]] = {subject.name: subject for subject in _ALL}
"""By name."""
