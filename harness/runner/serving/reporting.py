"""Makes a pytest that the user's program starts report its tests to the endpoint: it finds a plugin by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PLUGIN: Final = "harness_serve_tests"
_FOLDER: Final = Path(__file__).parent / "in_pytest"
"""The folder that is added to the program's module path: a module, and the entry point by which pytest finds it.

An entry point is only found together with its module. With PYTEST_PLUGINS or PYTEST_ADDOPTS a Python that ignores
PYTHONPATH would look for a plugin that it cannot import.
"""


def reporting(surroundings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program, extended so that a pytest that it starts reports its tests to the endpoint."""
    found = dict(surroundings)
    found["PYTHONPATH"] = os.pathsep.join(filter(None, [found.get("PYTHONPATH"), str(_FOLDER)]))
    if found.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):  # entry points are not read then
        found["PYTEST_PLUGINS"] = ",".join(filter(None, [found.get("PYTEST_PLUGINS"), _PLUGIN]))
    return found
