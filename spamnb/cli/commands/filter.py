"""`spamnb filter`: one mail in, the same mail with its verdict in the header out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.data_inputs import size_of
from spamnb.cli.exit_codes import TEMPORARY_FAILURE
from spamnb.cli.output import print_prompt, print_status, read_all, write_bytes
from spamnb.errors import ConfigError, DataError

if TYPE_CHECKING:
    from spamnb.model import Predictions, SpamModel


@click.command("filter", short_help="Pass one mail through, with its verdict in the header.")
@options.model_option
@click.option("--explain", is_flag=True, help="Add what spoke for and against.")
@click.option(
    "--tempfail",
    is_flag=True,
    help="On any failure exit with 75 and write nothing, so that the mail system tries again.",
)
@options.max_size_option
@options.decision_options
@click.pass_context
def filter(ctx: click.Context, /, model: str | None, explain: bool, tempfail: bool, **given: Any) -> None:
    """Pass one mail through, with its verdict in the header.

    Reads a mail from stdin and writes it to stdout with X-Spam-Flag, X-Spam-Status, X-Spam-Score and
    X-Spamnb at the end of its header. X-Spam-* and X-Spamnb fields that it came with are removed; its body is
    not touched. With --explain the strongest tokens stand in X-Spamnb; so does what of a large mail was not
    looked at. If anything goes wrong the mail passes
    unchanged (or see --tempfail), so no mail is lost. On a terminal control characters are shown as escapes.

    \b
    Example, in ~/.procmailrc:
      :0fw
      | spamnb filter
      :0:
      * ^X-Spam-Flag: YES
      Junk/
    """
    if sys.stdin is None:
        raise DataError("there is no standard input to read", hint="give a mail: spamnb filter < mail.eml")
    print_prompt("Type or paste one mail, header first; Ctrl-D ends.")
    raw = read_all(sys.stdin.buffer)
    try:
        most = size_of(given["max_size"], "--max-size")
        mail = judged(raw, _loaded(model, given), explain, most)
    except Exception as error:
        outcome = "is refused for now" if tempfail else "passes unchanged"
        what = " ".join(str(error).split()) or type(error).__name__
        print_status(f"spamnb filter: {what}; the mail {outcome}")
        if tempfail:
            ctx.exit(TEMPORARY_FAILURE)
        mail = raw
    write_bytes(_for_eyes(mail) if sys.stdout is not None and sys.stdout.isatty() else mail)


def _for_eyes(mail: bytes) -> bytes:
    """The mail for a terminal, which could be steered by it; all else gets it as it is."""
    from spamnb.core import visible_bytes

    return b"\n".join(visible_bytes(line.removesuffix(b"\r")) for line in mail.split(b"\n"))


def _loaded(model: str | None, given: dict[str, Any]) -> SpamModel:
    from dataclasses import replace

    from spamnb.cli.message_kind import note_mail
    from spamnb.cli.model_choice import find_model
    from spamnb.model import SpamModel

    loaded = SpamModel.load(find_model(model, lambda: "mail"))
    options.check_decision(given, loaded.labels)
    if loaded.positive not in loaded.labels:
        raise ConfigError(f"no class of the model is spam: {', '.join(loaded.labels)}")
    note_mail(loaded, quiet=False)
    return replace(loaded, decision=options.decision(given, loaded.decision))


def judged(raw: bytes, model: SpamModel, explain: bool = False, max_size: int | None = None) -> bytes:
    """The mail with the verdict of the model in its header."""
    from spamnb.mail import DEFAULT, Limits, annotate, as_texts, parse_mail

    mail = parse_mail(raw, DEFAULT if max_size is None else Limits(message=max_size))
    texts = as_texts([mail])
    found = model.score(texts)
    return annotate(raw, _fields(model, found, mail.notes, model.explain(texts) if explain else None))


def _fields(model: SpamModel, found: Predictions, notes: tuple[str, ...], told: Any) -> list[tuple[str, str]]:
    """The header fields, in the words that mail programs and sieve scripts look for."""
    from spamnb._version import __version__
    from spamnb.model import probability_text

    label, p = found.labels[0], float(found.probability[0])
    spam = label == model.positive
    required = model.decision.threshold
    digits = max(3, len(probability_text(required)) - 2)  # a line close to 1 needs more of them
    status = f"{'Yes' if spam else 'No'}, score={p:.{digits}f} required={required:.{digits}f}"
    detail = f"{label}, p={p:.4f}, log_odds={float(found.log_odds[0]):.2f}, version={__version__}"
    detail += "".join(f"; {note}" for note in notes)
    if told is not None:
        from spamnb.report import evidence_text

        detail += f"; {evidence_text(told)}"
    return [
        ("X-Spam-Flag", "YES" if spam else "NO"),
        ("X-Spam-Status", f"{status} tests=spamnb version={__version__}"),
        ("X-Spam-Score", f"{p:.4f}"),
        ("X-Spamnb", detail),
    ]
