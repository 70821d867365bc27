"""Who serves a wire, and how the official SDKs find and address the service."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider of models.

    ``base_url`` is its own, without a version path; empty where nobody serves the wire publicly. ``sdk`` is the
    distribution of its official SDK for Python, empty where there is none. ``base_variables`` are the environment
    variables that lead SDKs to another endpoint, the current one first; their value is the endpoint's URL with
    ``base_suffix``. ``other_variables`` say there whose the request is, or which of the provider's services is asked.
    ``key_variables`` are those of the key, the current one first; ``key_header`` is the header that carries it, in
    ``key_form``, and ``other_key_headers`` are those in which servers of the format take a key, too. What they carry is
    in no trace and no cassette. ``signing_variables`` are those of credentials with which SDKs sign a request where the
    endpoint is no https one: they are set in place of the key's. ``sdk_settings`` are variables, with their values,
    without which an SDK asks nobody.
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
        """The host to which the official SDKs connect when nobody gives them another one."""
        return urlsplit(self.base_url).hostname or ""

    def environment(self, base_url: str, api_key: str) -> dict[str, str]:
        """The variables with which the official SDKs ask the endpoint at ``base_url``, which has no version path."""
        base = dict.fromkeys(self.base_variables[:1], base_url + self.base_suffix)
        credentials = self.signing_variables or self.key_variables[:1]
        return base | dict.fromkeys(credentials, api_key) | dict(self.sdk_settings)
