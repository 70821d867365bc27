"""Secrets: taken out of what is recorded, and looked for once more in the finished file.

redactor = Redactor({"OPENAI_API_KEY": key}, [Pattern("customer", re.compile(r"C-\\d{6}"))])
redactor.redact(interaction)           the interaction as a cassette may keep it
scan(text_of_the_file, [key])          the leaks in it: none, or the file must not be kept
"""

from __future__ import annotations

from harness.secrets.finder import Pattern
from harness.secrets.redactor import Redactor
from harness.secrets.scan import Leak, scan

__all__ = ["Leak", "Pattern", "Redactor", "scan"]
