"""Defines the colours of plots and pages for light and dark mode; all text has a contrast of 4.5 or more."""

LIGHT = {
    "ground": "#ffffff",
    "text": "#1c2128",
    "muted": "#57606a",
    "grid": "#e4e8ed",
    "axis": "#8c959f",
    "spam": "#b04500",
    "ham": "#0a63c9",
    "cost": "#7a3fb8",
    "curve": "#0a63c9",
    "mark": "#1c2128",
}
DARK = {
    "ground": "#15191f",
    "text": "#e6eaf0",
    "muted": "#9aa5b1",
    "grid": "#2b323b",
    "axis": "#6b7681",
    "spam": "#f0883e",
    "ham": "#6cb2ff",
    "cost": "#c79bff",
    "curve": "#6cb2ff",
    "mark": "#f2f5f8",
}

# A page has three more: behind its sections, behind boxes inside a section, and the borders.
PAGE_LIGHT = LIGHT | {"page": "#f6f7f9", "soft": "#eef1f4", "line": "#d5dae0"}
PAGE_DARK = DARK | {"page": "#0e1116", "soft": "#1e242c", "line": "#323a44"}
