"""Every property test runs the same examples each time, and none is timed."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "spamnb", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("spamnb")
