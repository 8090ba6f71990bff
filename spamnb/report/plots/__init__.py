"""Plots as plain shapes, written as SVG for pages and files, or as PNG."""
