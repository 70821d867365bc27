"""What the maintainers of a loop could change, by the name of the target: ``remarks.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from harness.ground.data_files import read_data

REMARKS: Final[Mapping[str, str]] = read_data(Path(__file__).with_name("remarks.yaml"))
