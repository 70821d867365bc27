"""Systems under test, each behind a small driver."""

from harness.targets.base import MODELS, CaseRun, Placement, Target
from harness.targets.declaration import CAPABILITIES, Capability, Declaration

__all__ = ["CAPABILITIES", "MODELS", "Capability", "CaseRun", "Declaration", "Placement", "Target"]
