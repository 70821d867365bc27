"""A certificate authority for one run: the endpoint answers as the providers' own hosts, to clients that trust it."""

from __future__ import annotations

import os
import secrets
import ssl
from pathlib import Path
from typing import Final

import trustme

from harness.endpoint.providers import provider_hosts


class Authority:
    """Signs for the providers' hosts, and nothing else. Its key is in memory only.

    ``certificates`` is the file with its certificate, which clients must trust; it lies in ``folder``, which the
    run removes at its end. ``context`` is what the endpoint shows to a client of any of the hosts.
    """

    def __init__(self, folder: Path) -> None:
        authority = trustme.CA(organization_name="agent-loop-harness, this run only")
        self.certificates: Final = folder / f"ca-{os.getpid()}-{secrets.token_hex(4)}.pem"
        authority.cert_pem.write_to_path(str(self.certificates))
        self.context: Final = _context(authority.issue_cert(*sorted(provider_hosts())), folder)

    def speaks_for(self, target: str) -> bool:
        """Whether a tunnel to ``target`` (``HOST:PORT``) is one to a provider."""
        host, _, port = target.rpartition(":")
        return port == "443" and host.rstrip(".").lower() in provider_hosts()


def _context(certificate: trustme.LeafCert, folder: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_alpn_protocols(["http/1.1"])
    with certificate.private_key_and_cert_chain_pem.tempfile(dir=str(folder)) as both:  # OpenSSL reads files only
        context.load_cert_chain(both)
    return context
