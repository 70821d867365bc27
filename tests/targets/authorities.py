"""One certificate authority in the place of the hundred and more that clients trust by default.

An SDK's client reads them all when it is made, which takes longer than a case, and the endpoint of the tests speaks
plain HTTP. What is about TLS (``test_as_provider.py``) has its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest

END = "-----END CERTIFICATE-----\n"


@pytest.fixture(scope="module", autouse=True)
def few_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clients that are made meanwhile read that one only: the first of the usual ones."""
    first, _, _ = Path(certifi.where()).read_text(encoding="utf-8").partition(END)
    file = tmp_path_factory.mktemp("authorities") / "authority.pem"
    file.write_text(f"{first}{END}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield
