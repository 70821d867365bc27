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


_OF_THE_LOOP: Final = """\
The latest sample is of seed 331, a new one, judged before its survivors were looked at: of the 197 that are not
equivalent 193 were killed, 98.0 %. 190 were judged `--in-process` by all cases: of the 187 of them that are not
equivalent 185 were killed. The other ten are mistakes that are made when a module is imported, judged in forks by the
first 700 cases: eight were killed, and one that these let live is found by the scenario `connection-cut`, which is not
among them (the page counts it as it was judged).

The sample before, of seed 317, was judged by all cases in one process on the same day, before the loop was changed: of
180 mutants of functions 168 were killed, 93.3 %. Together with those of the seeds 281, 307 and 311 before it (187 of
196, 168 of 182, 180 of 191) that is 703 of 749, 93.9 %. Between the two samples all mutants with a note were gone
through, 231 of them. 163 are gone or found: most with code that said what other code says, or that no history of the
loop could reach, the others by 17 scenarios. 68 of 6,298 are left that no scenario finds, as their notes say; what a
sample finds beside these is new. Some mutants that had a note came back without one in code that was written anew.

The sample of seed 281 was judged before its survivors were looked at: 187 of the 196 that are not equivalent were
killed, 95.4 %. 191 were judged `--in-process` by all 7,866 cases: of the 188 of them that are not
equivalent 181 were killed. The other nine are mistakes that are made when a module is imported. They were judged in
forks, with `--rest`, by the first 700 cases, and one that these let live was tried on the scenario that is about its
status (501 in place of a WebSocket), which finds it.

The sample before is of seed 263: of 177 judged by the first 1,600 of 7,700 cases 144 were killed, 81.4 %. Between the
two the survivors of each session were gone through, about 600 of them: some 60 scenarios came, mostly of odd
answers and broken connections, some 130 mutants are gone with conditions that said what others say, and 150 have a
note. A scenario that is about WebSockets had its `values` passed over, which let six of them live.

The one before that is of seed 251: of 98 judged by 1,200 cases 79 were killed. Only the functions of modules that the
first case imports were judged then, which is mended: so the sessions of most wires were not in it, and are now.
Between the two the survivors of each module were gone through: 18 scenarios came, 47 others expect more, and 190
mutants have a note, most of which only programs can see. When the sample was judged there were five scenarios more.
Third-party loops failed them for reasons that nobody had confirmed in their sources, so they are gone.

The one of seed 211 is older. Its first 26 mutants, in the order of the lot, were judged before any of them was
looked at: 23 were killed. 200 were wanted: the machine was busy, and the time ended. To measure which
case runs which line of 7,386 cases takes longer than the time that there was, so it was not measured. A mutant of a
session was judged by the first 500 cases of its wire, and another by the first 900 of all cases, those of `wire-only`
and of its part of the loop first (three by the first 500). A survivor is therefore one of these cases, and not of all
that run its line. Of the three survivors one is equivalent, by a note that came after, one is found by a scenario that
came after, and one has a note. A 27th mutant had been judged for more than a minute when the time ended: perhaps a
fourth. Of so few mutants the score may be some ten points off.

Before it, of seed 97, the first 65 mutants were judged by 2,400 of 6,744 cases, and 52 were killed, 82.5 %
without the equivalent ones. Of its eleven survivors each was studied. Four are gone, because the code said twice, or
caught, what nobody can see: the result of a call that was not run, the place in front of what a schema says, an empty
turn, a second handler of errors. Four are found by new scenarios and expectations, as was tried one by one: a call that
begins with all of its input on Messages, what tools say beside their results on Gemini, a WebSocket that is closed in
its handshake, the words in which a tool refuses its arguments. Three are left, with notes: only programs see them.

| seed | judged | by cases | killed | score |
|---|---|---|---|---|
| 96 | 61 | 1,350 | 52 | none: it showed gaps to close |
| 41 | 164 | 700 of 5,077 | 136 | 84.5 % |
| 11 | 100 | 700 | 88 | 92.7 % |
| 10 | 40 | | 37 | |
| 8 | 100 | | 85 | |
| 6 | 130 | | 103 | 79.2 % |
| 5 | 100 | | 84 | |
| 4 | 200 | | 152 | 76.0 % |
| 3 | 99 | | 78 | 78.8 % |
| 2 | 250 | | 171 | 68.4 % |
| 1 | 198 | | 184 | 92.9 %, mended over and over |

What survives is of a few kinds: API that only programs use (a client of a session's own, variants side by side, a
service of pictures, whether arguments that arrive are broken); what reads as well in another form.\
"""

_ALL: Final = (
    Subject(
        "loop",
        "The reference loop: engine, presets, sessions, tools",
        ("harness/loop/**/*.py",),
        Cases,
        ("harness/loop/tools/drawing.py",),
        "it draws placeholder pictures, of which a run sees the names alone",
        samples=_OF_THE_LOOP,
    ),
    Subject(
        "rules",
        "The rules about traces",
        ("harness/rules/**/*.py",),
        StatedTraces,
        ("harness/rules/demonstration.py", "harness/rules/example.py"),
        "they are for documentation",
        ("tests/rules",),
        samples="The traces of the selftest are judged one by one, and its broken loops and pairs of mistakes are left "
        "out. These are the rules about traces alone; the providers' own (`harness/wire/*/rules`) are the part "
        "`wire-rules`. A kill is any finding that is not word for word the stated one. Each sample was judged before "
        "its own survivors were looked at. The one in the table is of seed 283, a new one: 192 of 195 were killed, "
        "98.5 %, without five equivalent ones. Of the two before it, of seeds 271 and 251, 188 of 198 and 196 of 200 "
        "were. Before the one of seed 271 much of what the rules compute had been written anew, to take less time. "
        "After it the mutants of these modules were judged in one process, and those that were left were gone through: "
        "41 small runs came, and a record of a rule says its scope and its facts.\n\n"
        "Of the three before these, of seeds 227, 233 and 241, 542 of 600 were killed, 90.3 %. Then all mutants in the "
        "bodies of functions were judged in one process, each by some hundred of the traces that run its line, and the "
        "850 that were left were gone through one by one: 351 small runs came, conditions that said what others "
        "say are gone, and some hundred that nobody could see have a note. Four mistakes of rules were found so, and "
        "mended.\n\n"
        "Earlier samples, after each of which its gaps were closed:\n\n"
        "| seed | 241 | 233 | 227 | 103 | 41 | 31 | 21 | 6 | 6, before | 5 | 4 | 3 | 1, mended |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
        "| judged | 200 | 200 | 200 | 50 | 200 | 200 | 100 | 100 | 100 | 53 | 100 | 200 | 199 |\n"
        "| killed | 177 | 181 | 184 | 45 | 180 | 182 | 91 | 80 | 88 | 46 | 83 | 173 | 188 |",
    ),
    Subject(
        "wire-rules",
        "The checks of the providers' rules",
        ("harness/wire/*/rules/**/*.py",),
        Selftest,
        ("harness/wire/*/rules/table/*",),
        "they are statements, reasons and evidence",
        ("tests/wire",),
        samples="Judged by the parts of the selftest that break requests and loops; its traces, which judge the same "
        "checks by the way, are left out. The sample is of seed 269, a new one, judged `--unmeasured`, each mutant by "
        "what is about its own wire, before its survivors were looked at: 191 of 199 were killed, 96.0 %, without an "
        "equivalent one. Of the two before it, of seeds 257 and 229, 186 and 177 of 200 were. Between them the mutants "
        "of Chat, Responses, Converse, Gemini, Interactions, and of a part of Messages were judged in one process, and "
        "those that were left were gone through. Of the eight that are left now five are of Messages.\n\n"
        "Earlier samples:\n\n| seed | 257 | 229 | 223 | 101 | 61 | 7 |\n|---|---|---|---|---|---|---|\n"
        "| judged | 200 | 200 | 96 | 24 | 60 | 60 |\n| killed | 186 | 177 | 88 | 19 | 52 | 46 |",
    ),
)

SUBJECTS: Final[Mapping[str, Subject]] = {subject.name: subject for subject in _ALL}
"""By name."""
