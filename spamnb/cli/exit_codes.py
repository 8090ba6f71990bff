"""Chooses the exit code of `predict --exit-code` for verdicts and errors, as other mail filters do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

STYLES = ("plain", "bogofilter", "spamc")
TEMPORARY_FAILURE = 75  # EX_TEMPFAIL of sysexits.h: the mail system keeps the mail and tries again
_USAGE = 2  # of click and of ConfigError


def spam_verdicts(style: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Returns the classes that count as spam; refuses a model without one, unless all exit codes are 0."""
    from spamnb.model import require_spam

    return () if style == "plain" else require_spam(labels, f"--exit-code {style}")


def of_verdicts(style: str, verdicts: set[str], unread: int = 0, missing: int = 0) -> int:
    """Returns the exit code for the verdicts that occurred.

    One spam among the messages is enough; without one, a file that could not be read is an error, and so are
    no messages at all. In the plain style only files that are `missing` are an error, as if they were
    arguments.

    >>> of_verdicts("bogofilter", {"ham", "unsure"}), of_verdicts("spamc", {"ham", "spam"})
    (2, 1)
    >>> of_verdicts("bogofilter", {"ham"}, unread=1), of_verdicts("bogofilter", set())
    (3, 3)
    >>> of_verdicts("plain", {"ham"}, missing=1)
    1
    """
    if style == "plain":
        return int(missing > 0)
    if style == "bogofilter":
        if "spam" not in verdicts and (unread or missing or not verdicts):
            return 3
        return 0 if "spam" in verdicts else 2 if "unsure" in verdicts else 1
    return int("spam" in verdicts)


def of_error(arguments: Sequence[str], code: int) -> int:
    """Returns the exit code of an error, in the style of the command line, which may itself be wrong.

    bogofilter ends with 3. spamc ends with 0, as if the message were ham, but with 64 (EX_USAGE) after wrong
    usage. `filter --tempfail` ends with 75 after any error: for other codes a mail system returns the mail to
    its sender.

    >>> of_error(["filter", "--tempfail", "--wrong"], 2)
    75
    >>> of_error(["predict", "--exit-code", "bogofilter", "--wrong"], 2), of_error(["train"], 2)
    (3, 2)
    """
    config, arguments = _without_group_options(arguments)
    if arguments[:1] == ["filter"] and ("--tempfail" in arguments or _is_set(config, "filter", "tempfail")):
        return TEMPORARY_FAILURE
    style = _style(config, arguments)
    if style == "bogofilter":
        return 3
    if style == "spamc":
        return 64 if code == _USAGE else 0
    return code


def _without_group_options(arguments: Sequence[str]) -> tuple[str | None, list[str]]:
    """Returns the file of --config, and the command with what follows it.

    >>> _without_group_options(["--config", "c.toml", "predict", "-q"])
    ('c.toml', ['predict', '-q'])
    """
    rest, config = list(arguments), None
    while rest and rest[0].startswith("-"):
        flag, equals, value = rest.pop(0).partition("=")
        if flag == "--config":
            config = value if equals else rest.pop(0) if rest else None
    return config, rest


def _is_set(config: str | None, command: str, key: str) -> bool:
    from spamnb.cli.configuration import configured

    return configured(config, command, key) in (True, "1", "true", "yes", "on")


def _style(config: str | None, arguments: Sequence[str]) -> str:
    """Returns the last style on the command line, read without the parser, which may have failed."""
    if arguments[:1] != ["predict"]:
        return "plain"
    flags = [*arguments[: arguments.index("--")]] if "--" in arguments else [*arguments]
    stated = [flag.partition("=")[2] for flag in flags if flag.startswith("--exit-code=")]
    stated += [after for flag, after in pairwise(flags) if flag == "--exit-code"]
    if stated:
        return stated[-1]
    from spamnb.cli.configuration import configured

    return str(configured(config, "predict", "exit-code") or "plain")
