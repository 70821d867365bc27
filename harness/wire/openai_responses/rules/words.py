"""How a finding says what came: briefly."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.json_text import compact

_LONGEST: Final = 60


def brief(value: Any) -> str:
    """A value as JSON, its middle left out where it is long: ``"gAAAAABqaR3...eehg=="``."""
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
