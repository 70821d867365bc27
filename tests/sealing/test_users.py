"""A seal that a user makes who is not root."""

from __future__ import annotations

import os
import subprocess
import sys

SOURCE = """
import ctypes, os, sys
from harness.sealing import files, namespaces
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(4321, 4321, 4321)
    os.setresuid(4321, 4321, 4321)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as after a program was started
namespaces.enter()
files.keep_from_writing([])
print(os.geteuid(), os.getegid())
try:
    open("/var/tmp/of-another-user", "w")
except OSError as error:
    print(error.strerror)
with open("/tmp/of-another-user", "w") as file:
    file.write("seen by nobody else")
print(os.listdir("/tmp") != [], all(os.openpty()))
"""


def test_who_is_not_root_stays_who_they_are_and_keeps_files_from_being_written() -> None:
    ran = subprocess.run([sys.executable, "-c", SOURCE], check=False, capture_output=True, text=True)
    number = f"{os.geteuid()} {os.getegid()}" if os.geteuid() else "4321 4321"
    assert (ran.stdout.splitlines(), ran.stderr) == ([number, "Read-only file system", "True True"], "")
    assert not os.path.exists("/tmp/of-another-user")  # noqa: PTH110, S108
