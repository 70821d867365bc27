"""The campaign ``text-tags``: parsers of tool calls that models write as text."""
