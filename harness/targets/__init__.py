"""Systems under test, each behind a small driver."""

from harness.targets.base import CaseRun, Isolation, Target
from harness.targets.declaration import CAPABILITIES, Capability, Declaration

__all__ = ["CAPABILITIES", "Capability", "CaseRun", "Declaration", "Isolation", "Target"]
