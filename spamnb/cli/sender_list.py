"""Checks the entries of a command about lists, and names the file that it changes."""

from __future__ import annotations

from spamnb.errors import ConfigError


def checked_entries(entries: tuple[str, ...]) -> list[str]:
    """Returns the entries in lower case, each once; refuses what is no entry."""
    from spamnb.mail import is_entry

    values = [one.strip().lower() for one in entries]
    wrong = next((one for one, value in zip(entries, values, strict=True) if not is_entry(value)), None)
    if wrong is not None:
        raise ConfigError(
            f"expected an address, a domain or list: and a List-Id, got {wrong!r}",
            hint="for example ann@example.org, example.net or list:news.example.com",
        )
    return list(dict.fromkeys(values))


def own_file() -> str:
    """Returns the path of the user's own file."""
    from spamnb.mail import own_lists

    path = own_lists()
    if path is None:
        raise ConfigError("there is no home folder for lists: HOME is not set", hint="set HOME")
    return path
