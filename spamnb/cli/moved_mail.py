"""Learns what people have moved: in a Maildir, or as a mail server has queued it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from spamnb.cli.imap_accounts import mail_limits
from spamnb.cli.model_option import model_to_change
from spamnb.cli.output import print_status, write_json
from spamnb.settings import history_days

# The parameters of `learn` that go with it; the others are about messages that are read.
_USED = {"messages", "sync", "mode", "model", "authserv_ids", "history_days", "json_file", "quiet"}


def is_maildir_argument(messages: tuple[str, ...]) -> bool:
    """Tells whether the arguments of --sync are a Maildir, and not folders with their labels."""
    from spamnb.mailbox import is_live_maildir

    return len(messages) == 1 and is_live_maildir(messages[0])


def learn_moved(ctx: click.Context, messages: tuple[str, ...], flags: dict[str, Any]) -> None:
    """Learns the lessons of a Maildir, or of a queue, and prints how many."""
    from spamnb.core import keep_freed_memory
    from spamnb.mailbox import MailClassifier, drain_spool, sync_maildir, waiting_lessons

    spool = ctx.params["mode"] == "drain"
    from spamnb.model import MAIL
    from spamnb.training import own_model_started

    _check_flags(ctx, "--mode drain" if spool else "--sync of a Maildir")
    if spool and (ctx.params["sync"] or len(messages) != 1):
        raise click.UsageError("--mode drain takes one folder, with .spam and .ham in it, and no --sync.")
    keep_freed_memory()
    counts = Counter[str]()
    if not (spool and not waiting_lessons(messages[0])):  # without lessons no model is read
        with own_model_started(flags["model"], lambda: MAIL) as own:
            if own is not None:
                print_status(own.text, flags["quiet"])
            path = model_to_change(flags["model"], lambda: MAIL)
            classifier = MailClassifier(path, mail_limits(flags), history_days(flags))
            counts.update((drain_spool if spool else sync_maildir)(messages[0], classifier))
    if flags["json_file"]:
        write_json({"learned": dict(sorted(counts.items()))}, flags["json_file"])
    _print_counts(counts, flags["quiet"])


def _check_flags(ctx: click.Context, flag: str) -> None:
    """Refuses options that would do nothing."""
    from click.core import ParameterSource

    for param in ctx.command.params:
        name = param.name or ""
        allowed = name in _USED and not (name == "mode" and ctx.params["mode"] != "drain")
        if not allowed and ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{flag} cannot be combined with {param.opts[0]}: leave out one of them.")


def _print_counts(counts: Counter[str], quiet: bool) -> None:
    total = sum(counts.values())
    if not total:
        print_status("Nothing was changed.", quiet)
        return
    each = ", ".join(f"{n:,} {label}" for label, n in sorted(counts.items()))
    print_status(f"{'learned':<10} {total:,} email{'' if total == 1 else 's'} ({each})", quiet)
