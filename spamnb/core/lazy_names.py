"""Loads the public names of a package when they are first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module


def lazy_names(
    package: str, names: Mapping[str, Sequence[str]], modules: Sequence[str] = ()
) -> tuple[list[str], Callable[[str], object]]:
    """Returns `__all__` and `__getattr__` for a package whose `names` are listed by module.

    `modules` are public as a whole.
    """
    home = {name: module for module, listed in names.items() for name in listed}

    def load(name: str) -> object:
        if name in home:
            value: object = getattr(import_module(f"{package}.{home[name]}"), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return sorted([*home, *modules]), load
