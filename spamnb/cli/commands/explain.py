"""`spamnb explain`: shows the evidence for and against the verdict on one message."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.decision_rule import apply_decision_options
from spamnb.cli.message_kind import note_mail
from spamnb.cli.option_groups import option
from spamnb.cli.output import console, print_prompt, print_status, print_step, write_json
from spamnb.cli.text_messages import looks_like_file, shell_quote
from spamnb.errors import DataError

if TYPE_CHECKING:
    from spamnb.messages import Texts
    from spamnb.model import SpamModel
    from spamnb.readers import DecodedInput


@command()
@click.argument("text", nargs=-1, type=options.PATH, metavar="[TEXT | FILE]")
@options.model_option
@option(
    "--verify", is_flag=True, help="Print all numbers and the formula, and recompute the score from them."
)
@options.top_option
@options.advanced(options.decision_options)
@options.json_option
@options.quiet_option
def explain(text: tuple[str, ...], model: str | None, quiet: bool, **params: Any) -> None:
    """Show the evidence for and against one verdict.

    The message is TEXT, or the content of FILE, such as an email, or comes from stdin. Each row has a token,
    how much it adds to the log-odds, and how often each class has it; the rows sum to the log-odds.

    \b
    Examples:
      spamnb explain "WIN a FREE prize"
      spamnb explain mail.eml
      spamnb explain < mail.eml
      spamnb explain "WIN a FREE prize" --verify
    """
    from spamnb.cli.model_option import find_model, load_model
    from spamnb.model import MAIL, kind_by_length

    message = _message(text, quiet)
    kind = MAIL if message.tags else kind_by_length(len(message[0]))
    loaded = apply_decision_options(load_model(find_model(model, lambda: kind)), params)
    if kind == MAIL:
        note_mail(loaded, quiet)
    _show(loaded, message, params["verify"], params["top"], params["json_file"])


def _message(words: tuple[str, ...], quiet: bool) -> Texts:
    """Reads the message as a reader would; a file or stdin that begins like a mail is one."""
    from spamnb.mail import Limits, StoredLists, mail_texts, parse_mail
    from spamnb.messages import Texts
    from spamnb.readers import as_utf8

    _refuse_paths(words)
    if words in ((), ("-",)):
        raw, is_mail = _from_stdin()
    elif len(words) == 1 and _is_file(words[0]):
        raw, is_mail = _read(words[0])
        print_step("message", f"the content of {words[0]}", quiet)
    else:
        if len(words) == 1 and looks_like_file(words[0]):
            print_status(f"note: no such file: {words[0]}; explained as text", quiet)
        raw, is_mail = as_utf8(_not_empty(os.fsencode(" ".join(words)))), False
    if not is_mail:
        return Texts.of([raw.rstrip(b"\r\n")])
    return mail_texts([parse_mail(raw, Limits(lists=StoredLists().newest()))])


def _is_file(word: str) -> bool:
    """Tells whether a word is a path that exists, or can only be meant as one."""
    return os.path.isfile(word) or (word.endswith(".eml") and " " not in word)


def _refuse_paths(words: tuple[str, ...]) -> None:
    """Refuses several files, tables and folders. Of other words some may be files."""
    from spamnb.readers import format_by_suffix, table_formats

    if len(words) == 1 and os.path.isdir(words[0]):
        raise _several(f"{words[0]} is a folder", words)
    if len(words) == 1 and os.path.isfile(words[0]) and format_by_suffix(words[0]) in table_formats():
        raise _several(f"{words[0]} is a table", words)
    if len(words) < 2 or not all(os.path.exists(word) or looks_like_file(word) for word in words):
        return
    missing = next((word for word in words if not os.path.exists(word)), None)
    if missing is not None:
        hint = f"if this is a text, quote it: spamnb explain {shell_quote(' '.join(words))}"
        raise DataError(f"no such file: {missing}", hint=hint)
    raise _several(f"got {len(words):,} files", words)


def _several(problem: str, words: tuple[str, ...]) -> DataError:
    files = " ".join(map(shell_quote, words))
    return DataError(
        f"explain takes one message: {problem}", hint=f"for several: spamnb predict --explain {files}"
    )


def _not_empty(raw: bytes) -> bytes:
    if not raw.strip():
        raise DataError("the message is empty", hint='give a text: spamnb explain "WIN a FREE prize"')
    return raw


def _from_stdin() -> tuple[bytes, bool]:
    if sys.stdin is None:
        raise DataError(
            "there is no standard input to read", hint="give the message itself: spamnb explain TEXT"
        )
    print_prompt("Type the message; Ctrl-D ends.")
    return _read("-")


def _read(path: str) -> tuple[bytes, bool]:
    """Reads the one message of a file or stdin, text as UTF-8; tells whether it is a mail."""
    from contextlib import closing

    from spamnb.readers import (
        LONGEST_RECORD,
        DecodedInput,
        certain_mail,
        many_messages,
        open_bytes,
        too_long,
    )

    with closing(open_bytes(path, live=False)) as stream:
        decoded = DecodedInput(stream)
        is_mail = bool(certain_mail(decoded.raw_head, ended=True))
        raw = _content(decoded, is_mail, LONGEST_RECORD + 1)
    if many := many_messages(raw):
        raise _several(f"{stream.name} is {many}", (path,))
    if len(raw) > LONGEST_RECORD:
        raise too_long(stream.name, 0)
    return _not_empty(raw), is_mail


def _content(decoded: DecodedInput, is_mail: bool, limit: int) -> bytes:
    """Returns at most so many bytes: a mail as it is, text as UTF-8; refuses what is no text."""
    from spamnb.readers import refuse_binary

    if is_mail:
        return decoded.raw_head + decoded.stream.read(limit - len(decoded.raw_head))
    refuse_binary(decoded, "auto")
    decoded.decode("auto")
    return decoded.read(limit)


def _show(model: SpamModel, message: Texts, verify: bool, top: int, json_file: str | None) -> None:
    from dataclasses import asdict

    import numpy as np

    from spamnb.model import verify as verify_score
    from spamnb.report import explanation_row, message_text, model_card, prediction_rows, token_tables

    explanation = model.explain(message)
    numbers, verification = verify_score(model, message) if verify else (None, None)
    if json_file:
        row = {"message": message_text(message, 0), **explanation_row(explanation)}
        if verification is not None:
            row |= {"numbers": numbers, "verification": asdict(verification)}
        write_json(next(prediction_rows(model.score(message), np.arange(1), lambda _: row)), json_file)
    if json_file == "-":
        return
    model_card.show_explanation(out := console(), explanation, model.labels, top)
    if numbers is not None and verification is not None:
        token_tables.show_verification(out, numbers, verification)
