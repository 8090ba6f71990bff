"""Finds the user's folders for data and configuration, where there is a home folder that is the user's."""

from __future__ import annotations

import os


def user_data_folder() -> str | None:
    """Returns the platform's data folder of the user for spamnb, None without a home folder."""
    from platformdirs import user_data_dir

    try:
        return _reachable(user_data_dir("spamnb", appauthor=False))
    except RuntimeError:  # no home folder; earlier versions of platformdirs return a path that begins with ~
        return None


def user_config_folder() -> str | None:
    """Returns the platform's configuration folder of the user for spamnb, None without a home folder."""
    from platformdirs import user_config_dir

    try:
        return _reachable(user_config_dir("spamnb", appauthor=False))
    except RuntimeError:
        return None


def _reachable(folder: str) -> str | None:
    """Returns the folder, None if it is in the closed home folder of another user, or below a file.

    In containers, and where root becomes another user, HOME can still be that of root; for users of mail
    systems it is often /dev/null.
    """
    if not os.path.isabs(folder) or _is_below_file(folder):
        return None
    home = os.path.expanduser("~")
    return None if folder.startswith(os.path.join(home, "")) and _is_closed(home) else folder


def _is_below_file(folder: str) -> bool:
    parent = os.path.dirname(folder)
    while not os.path.exists(parent) and parent != os.path.dirname(parent):
        parent = os.path.dirname(parent)
    return not os.path.isdir(parent)


def _is_closed(home: str) -> bool:
    try:
        owner = os.stat(home).st_uid
    except OSError:
        return False
    return hasattr(os, "geteuid") and owner != os.geteuid() and not os.access(home, os.X_OK)
