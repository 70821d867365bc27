"""Whether the rules find what they say they find: each against what is broken on purpose, and against what is not.

scope       which rules, wires and kinds of mutants are wanted
mutant_run  one thing that was judged, and what was found in it
servers     the runs for the rules about what servers and gateways send
requests, traces, loops   the runs for wire rules, for the rules on broken traces, and for the rules on broken loops
summary     the result of all runs: rules without a kill, survivors, findings on clean traffic
matrix      the summary as files: which mutant each rule kills
"""

from harness_lab.selftest.mutant_run import Family, Found, MutantRun
from harness_lab.selftest.scope import Scope, scope
from harness_lab.selftest.summary import SelftestFailure, SelftestSummary
from harness_lab.selftest.work import families

__all__ = ["Family", "Found", "MutantRun", "Scope", "SelftestFailure", "SelftestSummary", "families", "scope"]
