"""Holds what the user states about an input; everything else is detected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from spamnb.errors import ConfigError
from spamnb.mail import SenderLists
from spamnb.readers.formats import FORMATS

_COLUMN_FLAGS = {"text_column": "text", "label_column": "label", "categorical": "categorical"}
_COLUMN_FLAGS |= {"numeric": "numeric"}
_MAIL_FLAGS = ("max_size", "authserv_ids", "lists", "jobs", "may_be_empty")


@dataclass(frozen=True)
class ColumnOptions:
    """The columns of a table, each by its name or its number from 1; None leaves the choice to detection."""

    text: str | None = None
    label: str | None = None
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()

    @property
    def beside_text(self) -> tuple[str, ...]:
        """The categorical and numeric columns."""
        return self.categorical + self.numeric

    @property
    def stated(self) -> tuple[str, ...]:
        """All columns that are stated."""
        return (*filter(None, (self.text, self.label)), *self.beside_text)


@dataclass(frozen=True)
class MailOptions:
    """How to read mail.

    Of each mail `max_size` bytes are read. The servers `authserv_ids` are trusted, see mail/authentication.
    `lists` are those of allowed and blocked senders.
    `jobs` processes parse mails; None: to be chosen by the size of all inputs, see `choose_jobs`.
    With `may_be_empty` an input without mails is no error.
    """

    max_size: int = 1 << 19
    authserv_ids: tuple[bytes, ...] = ()
    lists: SenderLists = field(default_factory=SenderLists)
    jobs: int | None = 1
    may_be_empty: bool = False


@dataclass(frozen=True)
class ReadOptions:
    """How to read one input; every field has a working default.

    `label` is the label of all messages of the input, `classes` are those of the model that they are for.
    With `keep_columns` the chunks of a table have all its columns.
    `chunk_bytes` was measured: `predict` is as fast with 512 KiB as with 1 MiB, and takes 40 MB less.

    >>> ReadOptions(format="csv").format
    'csv'
    """

    format: str = "auto"
    default_format: str = "lines"
    encoding: str = "auto"
    columns: ColumnOptions = field(default_factory=ColumnOptions)
    mail: MailOptions = field(default_factory=MailOptions)
    label: str | None = None
    spam_label: str | None = None
    classes: tuple[str, ...] = ()
    keep_columns: bool = False
    chunk_bytes: int = 1 << 19

    @classmethod
    def from_flags(cls, **flags: Any) -> ReadOptions:
        """Builds the options from one flat list of names, as the command line has them.

        >>> ReadOptions.from_flags(text_column="v2", jobs=2).columns.text
        'v2'
        """
        columns = {field: flags.pop(flag) for flag, field in _COLUMN_FLAGS.items() if flag in flags}
        mail = {flag: flags.pop(flag) for flag in _MAIL_FLAGS if flag in flags}
        return cls(columns=ColumnOptions(**columns), mail=MailOptions(**mail), **flags)

    @property
    def says_nothing(self) -> bool:
        """Whether neither a format nor columns are stated, so that an input may be plain lines."""
        return self.format == "auto" and not self.columns.text and not self.columns.beside_text

    def with_mail(self, **changes: Any) -> ReadOptions:
        """Returns the options with some of `mail` changed."""
        return replace(self, mail=replace(self.mail, **changes))

    def __post_init__(self) -> None:
        for name in (self.format, self.default_format):
            if name != "auto" and name not in FORMATS:
                raise ConfigError(f'unknown format "{name}"', hint=f"formats: auto, {', '.join(FORMATS)}")
        if self.encoding != "auto":
            _check_encoding(self.encoding)
        sizes = {"chunk_bytes": self.chunk_bytes, "max_size": self.mail.max_size, "jobs": self.mail.jobs}
        for name, size in sizes.items():
            if size is not None and size < 1:
                raise ConfigError(f"{name} must be at least 1, got {size}")
        if self.label is not None and not self.label.strip():
            raise ConfigError("a label must not be empty", hint="for example spam or ham")


def _check_encoding(name: str) -> None:
    try:
        b"x".decode(name, "ignore")  # also refuses codecs that are no text encodings, such as base64
    except (LookupError, ValueError):
        raise ConfigError(
            f'unknown encoding "{name}"', hint="common ones: utf-8, utf-16, latin-1, cp1252; or auto"
        ) from None
