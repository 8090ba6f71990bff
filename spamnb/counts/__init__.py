"""TODO counts."""
