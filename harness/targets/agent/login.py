"""Which variables of the harness's environment a program has in the folders of a case.

A variable can configure an agent as a file in the user's home can (``CODEX_HOME``, ``CLAUDE_CONFIG_DIR``,
``GEMINI_MODEL``), and changes what the agent does if an agent, an editor or a git hook has started the harness.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

_LOGIN: Final = re.compile(
    r"PATH|TERM|COLORTERM|LANG|LANGUAGE|LC_\w+|TZ|USER|LOGNAME|SHELL|HOME"
    r"|TMPDIR|TEMP|TMP"
    # where programs find their libraries
    r"|LD_LIBRARY_PATH|DYLD_(FALLBACK_)?(LIBRARY|FRAMEWORK)_PATH|NIX_LD\w*|PYTHONPATH|PYTHONHOME|VIRTUAL_ENV"
    r"|NODE_PATH|NODE_OPTIONS|JAVA_HOME|DOTNET_ROOT|GEM_HOME|GEM_PATH"
    # which authorities they trust
    r"|SSL_CERT_FILE|SSL_CERT_DIR|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS"
    # what Windows has in every process
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|PROGRAM(FILES|DATA)\S*|PROCESSOR_\w+|NUMBER_OF_PROCESSORS",
    re.IGNORECASE,
)
"""Variables that a program has in the shell of a user with a new account."""

_OF_A_REPOSITORY: Final = frozenset(
    f"GIT_{name}"
    for name in (
        *("ALTERNATE_OBJECT_DIRECTORIES", "COMMON_DIR", "CONFIG", "CONFIG_COUNT", "CONFIG_PARAMETERS", "DIR"),
        *("GRAFT_FILE", "IMPLICIT_WORK_TREE", "INDEX_FILE", "INTERNAL_SUPER_PREFIX", "NAMESPACE", "OBJECT_DIRECTORY"),
        *("NO_REPLACE_OBJECTS", "PREFIX", "QUARANTINE_PATH", "REPLACE_REF_BASE", "SHALLOW_FILE", "WORK_TREE"),
    )
)
"""Variables that make a git command work on the repository of the git that has started it, and not on the one in which
it is run (``git rev-parse --local-env-vars``)."""


def of_a_login(own: Mapping[str, str], passes: Iterable[str] = ()) -> dict[str, str]:
    """The variables of ``own`` that a new user has, and those named in ``passes``: for a program in its own home."""
    passed = frozenset(passes)
    return {name: value for name, value in own.items() if name in passed or _LOGIN.fullmatch(name)}


def without_repository(own: Mapping[str, str]) -> dict[str, str]:
    """``own`` without the variables that a git hook sets: for a program in its own work directory."""
    return {name: value for name, value in own.items() if name not in _OF_A_REPOSITORY}
