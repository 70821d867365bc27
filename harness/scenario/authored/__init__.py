"""A scenario file as a person writes it: the keys, their short forms, and what each is for.

These models are the one source of the format: they check files, and ``scenarios/schema.json``, which editors use, is
made of them. Nothing else outside ``harness.scenario`` sees them; ``harness.scenario.checking`` puts their errors into
words.

Forms that are distinguished by their shape carry a ``Tag``; the tags appear in error locations and lead nowhere in
the file, which ``Document.place`` passes over.
"""

from harness.scenario.authored.answers import (
    CallEntry,
    CutEntry,
    HttpEntry,
    HttpErrorEntry,
    PartEntry,
    SideEntry,
    SocketEntry,
    StreamErrorEntry,
    ThinkingEntry,
    TurnEntry,
    UsageEntry,
)
from harness.scenario.authored.base import NOTHING, Authored
from harness.scenario.authored.caller import ActionEntry, CallerEntry, EditEntry, MessageEntry, ResolveEntry
from harness.scenario.authored.expected import (
    ExpectedErrorEntry,
    ExpectEntry,
    FileEntry,
    FinalEntry,
    OfferedEntry,
    ReportedEntry,
    ResultEntry,
    SentEntry,
    ValueEntry,
)
from harness.scenario.authored.file import ScenarioFile, VaryEntry
from harness.scenario.authored.inputs import PromptEntry, SkillEntry, ToolEntry
from harness.scenario.authored.timeline import CallerActEntry, TimelineEntry, WhenEntry

__all__ = [
    "NOTHING",
    "ActionEntry",
    "Authored",
    "CallEntry",
    "CallerActEntry",
    "CallerEntry",
    "CutEntry",
    "EditEntry",
    "ExpectEntry",
    "ExpectedErrorEntry",
    "FileEntry",
    "FinalEntry",
    "HttpEntry",
    "HttpErrorEntry",
    "MessageEntry",
    "OfferedEntry",
    "PartEntry",
    "PromptEntry",
    "ReportedEntry",
    "ResolveEntry",
    "ResultEntry",
    "ScenarioFile",
    "SentEntry",
    "SideEntry",
    "SkillEntry",
    "SocketEntry",
    "StreamErrorEntry",
    "ThinkingEntry",
    "TimelineEntry",
    "ToolEntry",
    "TurnEntry",
    "UsageEntry",
    "ValueEntry",
    "VaryEntry",
    "WhenEntry",
]
