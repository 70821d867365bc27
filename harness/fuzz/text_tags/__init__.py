"""The campaign ``text-tags``: parsers of tool calls that models write as text."""

from harness.fuzz.text_tags.campaign import TextTagsCampaign

__all__ = ["TextTagsCampaign"]
