"""Slow, obvious twins of the vectorised core: plain Python, no arrays, one message at a time."""
