"""Clients of SDKs are made for every case: they shall be made fast."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.targets.authorities import trusting_one


@pytest.fixture(scope="module", autouse=True)
def few_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    yield from trusting_one(tmp_path_factory.mktemp("authorities"))
