"""Systems under test, each behind a small driver."""

from harness.targets.base import MODELS, Assignment, Target

__all__ = ["MODELS", "Assignment", "Target"]
