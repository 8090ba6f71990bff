"""`spamnb model check`: tells whether a user can classify mail with a model."""

from __future__ import annotations

import os

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.errors import ConfigError

_STATES = {True: "ok", False: "FAILED", None: "skipped"}


@command("check")
@options.model_option
@click.argument("user", required=False, metavar="[USER]")
@click.pass_context
def model_check(ctx: click.Context, model: str | None, user: str | None) -> None:
    """Check whether a user can classify mail with a model.

    A mail system runs `spamnb filter` as a user of its own, and mail passes without a verdict if that user
    cannot read the model, its journal or the program. This prints a line for each of them, and the command
    that corrects what is wrong; run it as root. For another user it needs root to try what it checks. Without
    root it looks at the permissions only and says what it skipped.

    Ends with 0 if the user can use the model, else with 1.

    \b
    Examples:
      spamnb model check
      sudo spamnb model check -m /etc/spamnb/mail.spamnb postfix
    """
    from spamnb.cli.access_check import check_access
    from spamnb.cli.model_option import find_model
    from spamnb.core import find_account, visible

    if not hasattr(os, "geteuid"):  # pragma: no cover
        raise ConfigError("this system has no users that share files by permissions")
    account, path = find_account(user), find_model(model, lambda: "mail")
    failed = skipped = 0
    for one in check_access(path, account):
        failed, skipped = failed + (one.ok is False), skipped + (one.ok is None)
        click.echo(f"{one.label:<12} {_STATES[one.ok]:<8} {visible(one.text)}")
        if one.mend:
            click.echo(f"{'':<12} {'fix':<8} {visible(one.mend)}")
    click.echo(visible(_verdict(account.name, path, failed, skipped)))
    ctx.exit(1 if failed else 0)


def _verdict(user: str, path: str, failed: int, skipped: int) -> str:
    if failed:
        return f"{user} cannot use {path}: {failed} check{'' if failed == 1 else 's'} failed"
    if skipped:
        return f"{user} can read {path}, as far as the permissions show; run this as root to try it"
    return f"{user} can use {path}"
