"""`spamnb filter`: passes one mail through with its verdict in the header."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from spamnb.cli import options
from spamnb.cli.command_base import Command
from spamnb.cli.decision_rule import apply_decision_options
from spamnb.cli.exit_codes import TEMPORARY_FAILURE
from spamnb.cli.option_groups import option
from spamnb.cli.options import Params
from spamnb.cli.output import print_prompt, print_status, read_all, write_bytes
from spamnb.cli.text_messages import shell_quote
from spamnb.errors import DataError, SpamnbError
from spamnb.settings import MailConfig

if TYPE_CHECKING:
    from spamnb.model import SpamModel

_CONFIG_ERROR = "spamnb.config_error"  # key in the context
_LONGEST_LOOK = 1 << 20  # bytes of a file in which a second mail is looked for
_SEVERAL = (
    "stdin holds several emails, and only the first one was classified; "
    "formail -s spamnb filter < FILE classifies each, spamnb predict FILE lists the verdicts"
)


class _FilterCommand(Command):
    """Keeps an error in a configuration file until the mail is read: it passes all the same."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words = args.copy()
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            files = self.make_parser(ctx).parse_args(words)[1] if "extra argument" in error.message else []
            if not files:
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}. {_advice(files[0])}", ctx) from None

    def configured(self, ctx: click.Context) -> dict[str, Any]:
        try:
            values = super().configured(ctx)
            for one in self.keys.values():
                if one.name in values:
                    one.type_cast_value(ctx, values[one.name])
        except (SpamnbError, click.BadParameter) as error:
            ctx.meta[_CONFIG_ERROR] = error
            return {}
        return values


def _advice(path: str) -> str:
    """Returns the command for a file or folder that was named: filter reads one email, from stdin."""
    name = shell_quote(path)
    if os.path.isdir(path):
        return f"It takes one email from stdin; for a folder: spamnb predict {name}"
    if _holds_several(_beginning(path)):
        return f"It takes one email; for several: spamnb predict {name}, or formail -s spamnb filter < {name}"
    return f"The mail comes from stdin: spamnb filter < {name}"


def _beginning(path: str) -> bytes:
    """Returns the first bytes of a file; nothing of what is no plain file or cannot be read."""
    if not os.path.isfile(path):  # a pipe would wait
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(_LONGEST_LOOK)
    except OSError:
        return b""


def _holds_several(raw: bytes) -> bool:
    """Returns whether data is an mbox of several mails; loads its reader only for what may be one."""
    if not raw.startswith(b"From ") or b"\nFrom " not in raw:
        return False
    from spamnb.readers import many_messages

    return bool(many_messages(raw))


@click.command("filter", cls=_FilterCommand)
@options.model_option
@options.explain_option
@option(
    "--tempfail",
    is_flag=True,
    group="Output",
    help="On any failure exit with 75 and write nothing, so that the mail system tries again.",
)
@options.one_mail_options
@options.decision_options
@click.pass_context
def filter(ctx: click.Context, /, **params: Any) -> None:
    """Pass one email through, with its verdict in the header.

    Reads an email from stdin and writes it to stdout with X-Spam-Flag, X-Spam-Status, X-Spam-Score,
    X-Spam-Level and X-Spamnb at the top of its header. Scores are on SpamAssassin's scale: spam has 5.0
    or more. X-Spam-* and X-Spamnb fields that it came with are removed; its body is not changed. X-Spamnb
    has the probability of spam, the three strongest reasons (with --explain the six strongest tokens, for
    and against), and what of a large email was not read. If anything goes wrong, or no class of the model
    is spam, the email passes with "X-Spamnb: no verdict" (or see --tempfail), so no email is lost. Only a
    wrong option ends with 2, before the email is read. On a terminal, control characters are shown as
    escapes.

    \b
    Example, in ~/.procmailrc:
      :0fw
      | spamnb filter
      :0:
      * ^X-Spam-Flag: YES
      Junk/
    """
    _check_options(ctx)
    if sys.stdin is None:
        raise DataError("there is no standard input to read", hint="give an email: spamnb filter < mail.eml")
    print_prompt("Type or paste one email, header first; Ctrl-D ends.")
    raw = read_all(sys.stdin.buffer)
    try:
        if _CONFIG_ERROR in ctx.meta:
            raise ctx.meta[_CONFIG_ERROR]
        mail = _with_verdict(raw, params)
        if _holds_several(raw):
            print_status(f"warning: {_SEVERAL}")
    except Exception as error:
        result = "is refused for now" if params["tempfail"] else "passes without a verdict"
        message = " ".join(str(error).split()) or type(error).__name__
        print_status(f"spamnb filter: {message}; the email {result}")
        if params["tempfail"]:
            ctx.exit(TEMPORARY_FAILURE)
        mail = _without_verdict(raw)
    write_bytes(_for_terminal(mail) if sys.stdout is not None and sys.stdout.isatty() else mail)


def _check_options(ctx: click.Context) -> None:
    """Refuses wrong values on the command line; with those of a configuration the mail passes."""
    stated = {
        name: value
        for name, value in ctx.params.items()
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if rule := {name: stated[name] for name in options.DECISIONS if name in stated}:
        from spamnb.model import Decision

        Decision.from_options(**rule)
    MailConfig.from_options(stated)


def _for_terminal(mail: bytes) -> bytes:
    """Escapes the control characters of a mail, which could steer a terminal."""
    from spamnb.core import visible_bytes

    return b"\n".join(visible_bytes(line.removesuffix(b"\r")) for line in mail.split(b"\n"))


def _with_verdict(raw: bytes, params: Params) -> bytes:
    from spamnb.mail import Limits, StoredLists
    from spamnb.model import with_verdict
    from spamnb.report import evidence_text, header_reasons

    config = MailConfig.from_options(params)
    lists = StoredLists().newest()
    limits = Limits(config.max_size, authserv_ids=config.trusted_servers, lists=lists)
    return with_verdict(raw, _load(params), limits, evidence_text if params["explain"] else header_reasons)


def _without_verdict(raw: bytes) -> bytes:
    """Removes the verdicts that a mail came with; returns it unchanged if even that fails."""
    try:
        from spamnb.mail import NO_VERDICT, annotate

        return annotate(raw, NO_VERDICT)
    except Exception:
        return raw


def _load(params: Params) -> SpamModel:

    from spamnb.cli.message_kind import note_mail
    from spamnb.cli.model_option import find_model, load_model

    model = load_model(find_model(params["model"], lambda: "mail"))
    note_mail(model, quiet=False)
    return apply_decision_options(model, params)
