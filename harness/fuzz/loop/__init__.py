"""The campaign ``loop``: whole runs, played by scripted models against a loop."""
