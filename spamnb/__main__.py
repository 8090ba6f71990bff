"""Runs the command line as `python -m spamnb`."""

from spamnb.cli import main

main()
