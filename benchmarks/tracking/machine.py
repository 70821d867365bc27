"""On what the figures were measured."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_SDKS = ("openai", "anthropic", "google-genai", "httpx2", "pydantic")
_PEERS = ("jiter", "vcrpy", "hypothesis", "playwright")
_NODE_MODULES = Path(__file__).parents[1] / "node" / "node_modules"


def described() -> dict[str, str]:
    """The machine, and what is installed on it, in words."""
    return {
        "date": f"{now():%Y-%m-%d}",
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GiB",
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "SDKs": _versions(_SDKS),
        "peers": f"{_versions(_PEERS)}, aimock {_aimock()}",
        "node": _told("node", "--version"),
        "chromium": _told("chromium", "--version"),
    }


def now() -> datetime:
    return datetime.now(UTC)


def load() -> float:
    """The load of the last minute."""
    return os.getloadavg()[0]


def _processor() -> str:
    try:
        found = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.processor() or platform.machine()


def _versions(packages: tuple[str, ...]) -> str:
    return ", ".join(f"{package} {_version(package)}" for package in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _aimock() -> str:
    package = _NODE_MODULES / "@copilotkit" / "aimock" / "package.json"
    return str(json.loads(package.read_text())["version"]) if package.is_file() else "not installed"


def _told(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "not installed"
