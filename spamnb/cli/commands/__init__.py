"""Implements the commands, one module each."""
