"""Known-bad subjects, written by us after published mistakes. Each campaign must find its own."""
