"""Numbers on the command line, for argparse's ``type``."""

from __future__ import annotations

import argparse
import math


def at_least_0(text: str) -> int:
    """A whole number from 0 on. Raises ``ArgumentTypeError`` for anything else."""
    return _at_least(0, text)


def at_least_1(text: str) -> int:
    """The same from 1 on."""
    return _at_least(1, text)


def seconds(text: str) -> float:
    """A number above 0. Raises ``ArgumentTypeError`` for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got {text!r}")
    return number


def _at_least(least: int, text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, got {text!r}") from None
    if number < least:
        raise argparse.ArgumentTypeError(f"expected {least} or more")
    return number
