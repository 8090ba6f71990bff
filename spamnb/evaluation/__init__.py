"""TODO evaluation."""
