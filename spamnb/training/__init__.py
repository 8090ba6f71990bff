"""TODO training."""
