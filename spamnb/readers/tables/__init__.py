"""Reads tables and plain lines: delimited text, JSON lines, Parquet, files of predictions."""
