"""What of the environment of the harness a program has in the folders of a case.

A variable can configure an agent as a file in the user's home can (``CODEX_HOME``, ``CLAUDE_CONFIG_DIR``,
``GEMINI_MODEL``), and changes what it does where the harness itself was started by an agent, an editor or a git hook.
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
"""Variables that a program has in a shell of somebody who has just got an account."""

_OF_A_REPOSITORY: Final = frozenset(
    f"GIT_{name}"
    for name in (
        *("ALTERNATE_OBJECT_DIRECTORIES", "COMMON_DIR", "CONFIG", "CONFIG_COUNT", "CONFIG_PARAMETERS", "DIR"),
        *("GRAFT_FILE", "IMPLICIT_WORK_TREE", "INDEX_FILE", "INTERNAL_SUPER_PREFIX", "NAMESPACE", "OBJECT_DIRECTORY"),
        *("NO_REPLACE_OBJECTS", "PREFIX", "QUARANTINE_PATH", "REPLACE_REF_BASE", "SHALLOW_FILE", "WORK_TREE"),
    )
)
"""Variables by which a git command works on the repository of the git that has started it (``git rev-parse
--local-env-vars``), and not on the one in which it is run."""


def of_a_login(own: Mapping[str, str], passes: Iterable[str] = ()) -> dict[str, str]:
    """Of ``own`` what a new user has, for a program in a home of its own; and the variables named in ``passes``."""
    passed = frozenset(passes)
    return {name: value for name, value in own.items() if name in passed or _LOGIN.fullmatch(name)}


def without_repository(own: Mapping[str, str]) -> dict[str, str]:
    """``own`` without what a git hook sets, for a program in a work directory of its own."""
    return {name: value for name, value in own.items() if name not in _OF_A_REPOSITORY}
