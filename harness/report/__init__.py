"""Reports the result of a run: terminal, JSON, JUnit."""
