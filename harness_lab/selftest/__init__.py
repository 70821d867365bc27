"""Whether the rules find what they say they find: each against what is broken on purpose, and against what is not.

scope       which rules, wires and kinds of mutants are wanted
trial       one thing that was judged, and what was found in it
requests, traces, loops   the trials of wire rules, of the rules on broken traces, and of the rules on broken loops
account     what all trials together say: rules without a kill, survivors, findings on clean traffic
matrix      the account as files: which mutant each rule kills
"""

from harness_lab.selftest.account import Account, Fault
from harness_lab.selftest.scope import Scope, scope
from harness_lab.selftest.trial import Family, Found, Trial
from harness_lab.selftest.work import families

__all__ = ["Account", "Family", "Fault", "Found", "Scope", "Trial", "families", "scope"]
