"""The types behind the fixtures of the pytest plugin (docs/pytest.md)."""

from harness.testing.cases import HarnessCase
from harness.testing.model import FakeModel, FakeModels

__all__ = ["FakeModel", "FakeModels", "HarnessCase"]
