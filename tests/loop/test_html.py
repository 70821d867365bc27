"""A complete HTML document in a text, or none."""

from __future__ import annotations

import pytest

from harness.loop.html import complete_html, page_of
from tests.case_tables import from_table

PAGE = "<html><body>Hi</body></html>"
DOCTYPE_PAGE = '<!DOCTYPE html>\n<html lang="en">\n<head></head><body>Hi</body>\n</html>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PAGE, PAGE),
        (DOCTYPE_PAGE, DOCTYPE_PAGE),
        (f"  {PAGE}\n", PAGE),
        (PAGE.upper(), PAGE.upper()),
        (f"Here you go:\n```html\n{DOCTYPE_PAGE}\n```\nEnjoy!", DOCTYPE_PAGE),
        (f"```\n{PAGE}\n```", PAGE),
        (f'Sure.\n<file path="index.html">\n{PAGE}\n</file>\nBye', PAGE),
        (f"{PAGE}\n{DOCTYPE_PAGE}", PAGE),
        ("<html><body></body></html >", "<html><body></body></html >"),
        # What only mentions the tags is prose.
        (f"The `<html>` tag opens a page. {PAGE}", PAGE),
        (f"Between `<html>` and `</html>`:\n```html\n{PAGE}\n```", PAGE),
        # An end tag that is not one.
        ("<html><script>s = '</html>'</script>x</html>", "<html><script>s = '</html>'</script>x</html>"),
        ("<html><!-- </html> -->x</html>", "<html><!-- </html> -->x</html>"),
        ("<html><title></html></title>x</html>", "<html><title></html></title>x</html>"),
        ("<html><textarea></html></textarea>x</html>", "<html><textarea></html></textarea>x</html>"),
        ("<html><pre>```\ncode\n```</pre></html>", "<html><pre>```\ncode\n```</pre></html>"),
        # A page that breaks off and begins again.
        (f"<!doctype html><html><body>Hal\nAgain:\n{DOCTYPE_PAGE}", DOCTYPE_PAGE),
    ],
)
def test_a_complete_document_is_found(text: str, expected: str) -> None:
    assert complete_html(text) == expected


@from_table(__file__, "test_prose_and_broken_pages_are_no_document")
def test_prose_and_broken_pages_are_no_document(text: str) -> None:
    assert complete_html(text) is None


# --- the page of a file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "page"),
    [
        (PAGE, PAGE),
        (f"{DOCTYPE_PAGE}\n", DOCTYPE_PAGE),
        (f"<!-- note -->\n{PAGE}<script>tail()</script>", PAGE),
        (f"{PAGE}\n{DOCTYPE_PAGE}", PAGE),
        # Its doctype is the page's, though a comment may be in between.
        (f"note <!doctype html>\n<!-- saved -->{PAGE}", f"<!doctype html>\n<!-- saved -->{PAGE}"),
        (f"<!doctype html> of a page: {PAGE}", PAGE),
        # What is in the page stays there, whatever it looks like.
        ("<html><pre>\n```html\n<html>\n```\n</pre></html>", "<html><pre>\n```html\n<html>\n```\n</pre></html>"),
        ("<html><script>s = '</html>'</script></html>", "<html><script>s = '</html>'</script></html>"),
        # What is no page does not begin one.
        (f"<!-- <html> --> `<html>` {PAGE}", PAGE),
        (f"</html> {PAGE}", PAGE),
    ],
)
def test_the_page_of_a_file_is_whole(content: str, page: str) -> None:
    assert page_of(content) == page


@pytest.mark.parametrize("content", ["", "All done.", "<html>", "</html>", "<htmlish></html>", f"<!-- {PAGE}"])
def test_a_file_without_a_whole_page_has_none(content: str) -> None:
    assert page_of(content) is None


def test_a_page_is_looked_for_once_only() -> None:
    content = "<!doctype html><!--" * 20_000 + "-->" + "<html>" * 20_000
    assert page_of(content) is None
