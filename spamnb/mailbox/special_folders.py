"""Finds the folders for junk, trash, archive and sent mail: by SPECIAL-USE, else by their usual names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spamnb.errors import MailboxError

_USUAL_NAMES = {
    "\\Junk": ("junk", "spam", "junk e-mail", "junk email", "bulk mail", "unerwünscht"),
    "\\Trash": ("trash", "deleted items", "deleted messages", "bin", "papierkorb"),
    "\\Archive": ("archive", "archives", "archiv"),
    "\\Sent": ("sent", "sent items", "sent messages", "sent mail", "gesendet"),
}
_NOT_SELECTABLE = {"\\noselect", "\\nonexistent"}


class Folder(NamedTuple):
    """A folder as the server lists it."""

    name: str
    flags: frozenset[str] = frozenset()
    separator: str = "/"


@dataclass(frozen=True, slots=True)
class SpecialFolders:
    """The folders of an account by their use."""

    junk: str | None
    trash: str | None
    archive: str | None
    sent: str | None
    names: tuple[str, ...]

    @property
    def others(self) -> tuple[str, ...]:
        """All folders but Junk."""
        return tuple(name for name in self.names if name != self.junk)

    def require_junk(self) -> str:
        """Returns the folder for spam; refuses an account that has none."""
        if self.junk is None:
            raise MailboxError(
                "the account has no folder for junk mail",
                hint="create a folder Junk in your mail program, then try again",
            )
        return self.junk


def find_special_folders(folders: Sequence[Folder]) -> SpecialFolders:
    r"""Tells the use of each folder.

    >>> found = find_special_folders([Folder("INBOX"), Folder("INBOX.Spam", separator="."), Folder("Bin")])
    >>> found.junk, found.trash, found.others
    ('INBOX.Spam', 'Bin', ('INBOX', 'Bin'))
    """
    usable = [one for one in folders if not _NOT_SELECTABLE & {flag.lower() for flag in one.flags}]
    uses = {use: _by_flag(usable, use) or _by_name(usable, names) for use, names in _USUAL_NAMES.items()}
    junk, trash, archive, sent = uses.values()
    return SpecialFolders(junk, trash, archive, sent, tuple(one.name for one in usable))


def _by_flag(folders: Iterable[Folder], use: str) -> str | None:
    return next((one.name for one in folders if use.lower() in map(str.lower, one.flags)), None)


def _by_name(folders: Sequence[Folder], names: Iterable[str]) -> str | None:
    own = {_last_part(one): one.name for one in reversed(folders)}
    return next((own[name] for name in names if name in own), None)


def _last_part(folder: Folder) -> str:
    """Returns `spam` for `INBOX.Spam`; a folder deeper than that is a user's own."""
    parts = folder.name.lower().split(folder.separator or "/")
    return parts[-1] if len(parts) == 1 or parts[:-1] in (["inbox"], ["[gmail]"]) else folder.name
