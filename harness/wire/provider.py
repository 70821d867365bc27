"""Who serves a wire, and how the official SDKs find and address the service."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider of models.

    ``base_url`` is the provider's URL without a version path, or empty if nobody serves the wire publicly. ``sdk`` is
    the distribution of its official SDK for Python, or empty. ``base_variables`` are the environment variables that
    lead SDKs to another endpoint, the current one first; their value is the endpoint's URL with ``base_suffix``.
    ``other_variables`` are variables that name the owner of a request or the provider's service. ``key_variables``
    contain the key, the current one first; ``key_header`` is the header that carries it, in ``key_form``, and servers
    of the format also accept a key in ``other_key_headers``. No trace and no cassette has the values of these headers.
    ``signing_variables`` contain credentials with which SDKs sign a request to an endpoint without https: they are set
    instead of ``key_variables``. ``sdk_settings`` are variables, with their values, without which an SDK sends no
    request.
    """

    base_url: str
    sdk: str = ""
    base_variables: tuple[str, ...] = ()
    base_suffix: str = ""
    other_variables: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()
    key_header: str = "authorization"
    key_form: str = "Bearer {}"
    other_key_headers: tuple[str, ...] = ()
    signing_variables: tuple[str, ...] = ()
    sdk_settings: tuple[tuple[str, str], ...] = ()

    @property
    def host(self) -> str:
        """The host to which the official SDKs connect by default."""
        return urlsplit(self.base_url).hostname or ""

    def environment(self, base_url: str, api_key: str) -> dict[str, str]:
        """The environment variables that lead the official SDKs to ``base_url``, which has no version path."""
        base = dict.fromkeys(self.base_variables[:1], base_url + self.base_suffix)
        credentials = self.signing_variables or self.key_variables[:1]
        return base | dict.fromkeys(credentials, api_key) | dict(self.sdk_settings)
