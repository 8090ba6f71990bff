"""Which ready-made model fits what comes in: SMS and other short texts, or mail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spamnb.cli.inputs import inputs, read_options
from spamnb.cli.output import say

if TYPE_CHECKING:
    from spamnb.message import Chunk

MAILS = ("eml", "mbox", "maildir", "folder", "index")
LONG = 400  # bytes of a text on average from which on it is no SMS; those of SMS corpora have 80 to 110


def kind_of(paths: tuple[str, ...], given: dict[str, Any], quiet: bool) -> str:
    """The kind of the first input, told on stderr: nobody shall wonder which model is used."""
    kind = "mail" if given["input_format"] in MAILS or _mail_first(paths, given) else "sms"
    say(f"no model of your own yet: using the ready-made one for {kind}", quiet)
    return kind


def kind_of_data(sources: list[Any], given: dict[str, Any]) -> str:
    """The kind of the first input of labelled messages; a pipe, which is read once, is taken for SMS."""
    import os

    from spamnb.readers import open_source

    path, how = sources[0]
    if given["input_format"] in MAILS or not isinstance(path, str) or os.path.isdir(path):
        return "mail"
    if not os.path.isfile(path):
        return "sms"
    with open_source(path, how, labelled=True) as source:
        return "mail" if any(_is_mail(chunk) for chunk, _ in zip(source, range(1), strict=False)) else "sms"


def _mail_first(paths: tuple[str, ...], given: dict[str, Any]) -> bool:
    """Look at the first messages; what comes from a pipe cannot be looked at twice."""
    from spamnb.readers import open_source

    path, how = inputs(paths or ("-",), given, read_options(given))[0]
    if path == "-" or given["files_from"] == "-":
        return False
    with open_source(path, how, labelled=False) as source:
        return any(_is_mail(chunk) for chunk, _ in zip(source, range(1), strict=False))


def _is_mail(chunk: Chunk) -> bool:
    texts = chunk.texts
    sizes = texts.ends - texts.starts
    return bool(chunk.sources) or (len(texts) > 0 and float(sizes.mean()) > LONG)
