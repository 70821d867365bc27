"""The file that a recorded run began with. The golden form does not have it: the recorder put it there by hand."""

from __future__ import annotations

from fnmatch import fnmatchcase

__all__ = ["first_page"]

_PAGE = '<html><body><p id="a">one</p><p>two</p><p>two</p></body></html>'

_BEGAN_WITH_THE_PAGE = (
    "args_*",
    "edit_count_*",
    "edit_edits_*",
    "edit_multi_second_fails.*",
    "edit_noop.*",
    "edit_to_empty.*",
    "final_html_with_initial_file.*",
    "length_in_edit_args_*",
)


def first_page(name: str) -> str | None:
    """The page that was there before the run called ``name``; None where it began with nothing."""
    return _PAGE if any(fnmatchcase(name, pattern) for pattern in _BEGAN_WITH_THE_PAGE) else None
