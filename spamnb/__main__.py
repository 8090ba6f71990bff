"""`python -m spamnb` is the command line."""

from spamnb.cli import main

main()
