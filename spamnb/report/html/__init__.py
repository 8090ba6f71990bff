"""Renders an evaluation as one self-contained HTML page: nothing is fetched, foreign text is escaped."""
