"""Provides the style of the report for other pages: its colours and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

from spamnb.report.plots.palette import PAGE_DARK, PAGE_LIGHT


def page_style() -> str:
    """Returns the style sheet of the report, light or dark as the system prefers."""
    rules = files(__package__).joinpath("report.css").read_text("utf-8")
    dark = f"@media (prefers-color-scheme: dark) {{ {_colours(PAGE_DARK)} }}"
    return f"{_colours(PAGE_LIGHT)}\n{dark}\n{rules}"


def _colours(palette: Mapping[str, str]) -> str:
    """Defines a variable for each colour.

    >>> _colours({"spam": "#b04500"})
    ':root { --spam: #b04500; }'
    """
    return f":root {{ {' '.join(f'--{name}: {colour};' for name, colour in palette.items())} }}"
