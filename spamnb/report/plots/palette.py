"""The colours of plots and pages, for light and for dark ground; all text has a contrast of 4.5 or more."""

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
