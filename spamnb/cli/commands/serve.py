"""`spamnb serve`: answers clients over HTTP, the spamd protocol and the milter protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.option_groups import option
from spamnb.cli.output import outlive_lost_connections
from spamnb.service import LOG_FORMATS, PORT, SPAMD_ADDRESS
from spamnb.settings import MailConfig, parse_size

if TYPE_CHECKING:
    from spamnb.service import ServeOptions


@command()
@options.model_option
@option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    group="Input",
    help="Listen on this address; one that other machines can reach needs --token-file.",
)
@option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    group="Input",
    help="Port for HTTP; 0 chooses a free one.",
)
@option(
    "--spamd",
    metavar="[HOST:PORT|unix:PATH]",
    is_flag=False,
    flag_value=SPAMD_ADDRESS,
    group="Input",
    help=f"Answer spamc too, on this address; without one on {SPAMD_ADDRESS}.",
)
@option(
    "--milter",
    metavar="HOST:PORT|unix:PATH",
    group="Input",
    help="Filter mail for Postfix or Sendmail too, as a milter on this address.",
)
@option(
    "--milter-tempfail",
    is_flag=True,
    group="Output",
    advanced=True,
    help="Refuse an email for now if it cannot be classified, instead of passing it without a verdict.",
)
@option(
    "--allow-tell",
    is_flag=True,
    group="Input",
    help="Let spamc teach the model (spamc -L spam).",
)
@option(
    "--token-file",
    type=options.PATH,
    metavar="FILE",
    group="Input",
    help="Require the token in FILE from HTTP clients.",
)
@option(
    "--max-request",
    metavar="SIZE",
    default="16M",
    show_default=True,
    group="Input",
    advanced=True,
    help="Refuse larger requests.",
)
@option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Number of processes; one that dies is replaced.",
)
@option(
    "--history",
    metavar="N",
    type=click.IntRange(0, 1_000_000),
    default=0,
    show_default=True,
    help="Keep the text of the last N messages, for 30 days at most, to review them on the page.",
)
@option(
    "--log-format",
    type=click.Choice(LOG_FORMATS),
    default="text",
    show_default=True,
    help="Format of the lines on stderr, one for each request.",
)
@options.setting_options(MailConfig, "authserv_ids")
def serve(host: str, port: int, spamd: str | None, milter: str | None, **params: Any) -> None:
    """Answer clients over HTTP, spamd and milter protocols.

    The models stay in memory, so a verdict takes about a millisecond. They are those that `spamnb predict`
    uses: your own, or the ready-made ones for SMS and mail. A model that `spamnb learn` or `train` changes is
    picked up within a second; lessons of clients change it as `spamnb learn` does. Ctrl-C or SIGTERM stops
    the server when it has answered all requests. The log has no text of messages.

    The page at http://127.0.0.1:7726/ shows the evidence in a message and takes corrections. With --history
    it lists recent messages too.

    Routes: POST /predict, /explain, /learn, /forget, /undo; GET /healthz, /metrics and /openapi.json, which
    describes them all.

    \b
    Examples:
      spamnb serve
      spamnb serve --history 1000
      spamnb serve --spamd unix:/run/spamnb/spamd.sock --allow-tell
      spamnb serve --milter unix:/run/spamnb/milter.sock
      spamnb serve --host 0.0.0.0 --token-file token
      curl 127.0.0.1:7726/predict --json '{"text": "WIN a FREE prize"}'
    """
    from spamnb.service import Address, parse_address, serve

    settings = _options_of(params)
    if settings.tempfail and not milter:
        raise click.UsageError("--milter-tempfail belongs to --milter")
    for_spamd = parse_address(spamd, "--spamd") if spamd else None
    for_milter = parse_address(milter, "--milter") if milter else None
    outlive_lost_connections()
    click.get_current_context().exit(serve(Address(host, port), for_spamd, for_milter, settings))


def _options_of(params: dict[str, Any]) -> ServeOptions:
    from spamnb.cli.imap_accounts import mail_limits
    from spamnb.service import ServeOptions, read_token

    return ServeOptions(
        params["model"],
        parse_size(params["max_request"], "--max-request"),
        params["allow_tell"],
        read_token(params["token_file"]) if params["token_file"] else "",
        params["log_format"],
        params["workers"],
        params["history"],
        params["milter_tempfail"],
        mail_limits(params),
    )
