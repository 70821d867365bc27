"""What every test may use: the asyncio backend and the shared material that lies beside the checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with recorded traffic and wire examples; its tests are skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"no recorded traffic: {SHARED.name}/ does not lie beside the checkout")
    return SHARED
