"""The Python client as a module of this process."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

CLIENT = Path(__file__).resolve().parents[3] / "clients" / "python" / "harness_client.py"


def _imported() -> Any:
    spec = spec_from_file_location("harness_client", CLIENT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


harness_client = _imported()
