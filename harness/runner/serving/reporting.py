"""How a pytest that somebody's program starts reports its tests to the endpoint: by a plugin that it finds itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PLUGIN: Final = "harness_serve_tests"
_FOLDER: Final = Path(__file__).parent / "in_pytest"
"""What is put on the path of modules of the program: a module, and the entry point by which pytest finds it.

An entry point is found where the module is found and nowhere else: a Python that does not read PYTHONPATH is not led
to a plugin that it cannot import, as by PYTEST_PLUGINS or PYTEST_ADDOPTS.
"""


def reporting(surroundings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program, in which a pytest that it starts reports its tests to the endpoint."""
    found = dict(surroundings)
    found["PYTHONPATH"] = os.pathsep.join(filter(None, [found.get("PYTHONPATH"), str(_FOLDER)]))
    if found.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):  # entry points are not read then
        found["PYTEST_PLUGINS"] = ",".join(filter(None, [found.get("PYTEST_PLUGINS"), _PLUGIN]))
    return found
