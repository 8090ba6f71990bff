"""What the user may say about an input instead of leaving it to detection."""

from __future__ import annotations

from dataclasses import dataclass

from spamnb.errors import ConfigError

MAIL_FORMATS = ("eml", "mbox", "maildir", "folder", "index")
FORMATS = ("auto", "csv", "tsv", "jsonl", "parquet", "lines", "null", *MAIL_FORMATS)


@dataclass(frozen=True)
class ReadOptions:
    """How to read one input; every field has a working default.

    `chunk_bytes` was measured: `predict` is as fast with 512 KiB as with 1 MiB, and takes 40 MB less.
    `label` is what all messages of the input are, `classes` are those of a model that they are for. For mail:
    with `may_be_empty` it is no error if there is none, `max_size` is how many bytes of one are read, `jobs`
    in how many processes mails are parsed.

    >>> ReadOptions(format="xls")
    Traceback (most recent call last):
    spamnb.errors.ConfigError: unknown format "xls"
    """

    format: str = "auto"
    encoding: str = "auto"
    text_column: str | None = None
    label_column: str | None = None
    spam_label: str | None = None
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    chunk_bytes: int = 1 << 19
    default_format: str = "lines"
    label: str | None = None
    classes: tuple[str, ...] = ()
    may_be_empty: bool = False
    max_size: int = 1 << 19
    jobs: int = 1

    def __post_init__(self) -> None:
        for name in (self.format, self.default_format):
            if name not in FORMATS:
                raise ConfigError(f'unknown format "{name}"', hint=f"formats: {', '.join(FORMATS)}")
        if self.encoding != "auto":
            _check_encoding(self.encoding)
        for name in ("chunk_bytes", "max_size", "jobs"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.label is not None and not self.label.strip():
            raise ConfigError("a label must not be empty", hint="for example spam or ham")

    @property
    def columns(self) -> tuple[str, ...]:
        """The categorical and numeric columns asked for."""
        return self.categorical + self.numeric


def _check_encoding(name: str) -> None:
    try:
        b"x".decode(name, "ignore")  # also refuses codecs that are no text encodings, such as base64
    except (LookupError, ValueError):
        raise ConfigError(
            f'unknown encoding "{name}"', hint="common ones: utf-8, utf-16, latin-1, cp1252; or auto"
        ) from None
