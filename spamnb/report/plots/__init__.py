"""Draws the plots of an evaluation as lines, boxes, dots and text, and writes them as SVG."""
