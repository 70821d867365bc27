"""What the tests of cassettes share."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest


@pytest.fixture(scope="module", autouse=True)
def one_certificate_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clients read one certificate in place of a bundle of them, which takes each new client longer than its requests.

    No test here speaks TLS with a server: what is asked of an ``https`` address comes from a cassette.
    """
    first = Path(certifi.where()).read_text(encoding="utf-8").partition(ssl.PEM_FOOTER)[0]
    path = tmp_path_factory.mktemp("authorities") / "one.pem"
    path.write_text(f"{ssl.PEM_HEADER}{first.partition(ssl.PEM_HEADER)[2]}{ssl.PEM_FOOTER}\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(path))
        yield
