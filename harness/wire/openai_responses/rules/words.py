"""Short texts of values and places, for findings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from harness.wire.json_text import compact
from harness.wire.shape import Fault

_LONGEST: Final = 60


def brief(value: Any) -> str:
    """A value as JSON; a long one without its middle: ``"gAAAAABqaR3...eehg=="``."""
    if isinstance(value, str) and len(value) > _LONGEST:
        return compact(f"{value[:36]}...{value[-16:]}")
    text = compact(value)
    return text if len(text) <= _LONGEST else f"{text[:36]}...{text[-16:]}"


def listed(values: tuple[str, ...]) -> str:
    """Values as the provider lists them: ``'none', 'low', and 'high'``."""
    quoted = [f"'{value}'" for value in values]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


def spelled(path: Iterable[str | int]) -> str:
    """A place in the provider's spelling: ``input[2].content[0].text``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def around(fault: Fault) -> tuple[str, str]:
    """The spelling of the place, and of the input item or tool that it belongs to."""
    return spelled(fault.path), spelled(fault.path[:2])
