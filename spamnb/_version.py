"""Defines the version of spamnb, alone in its file: `--version` and the build import nothing else."""

__version__ = "0.2.0"
