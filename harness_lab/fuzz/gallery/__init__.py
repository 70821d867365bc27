"""Known-bad subjects, written by us from mistakes that were published: each campaign must find those of its own."""
