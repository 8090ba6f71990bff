"""Settings written in one word: `--with alpha=1,tokens=plain` is a filter with those flags."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from spamnb.cli import base_options, options
from spamnb.errors import ConfigError
from spamnb.scorers import REGISTRY
from spamnb.tuning import Setting

_KEYS = ("scorer", "alpha", "counts", "damping", "prior", "balance", "order", "tokens", "ngrams", "chars")


@click.command(add_help_option=False)
@options.feature_options
@options.scorer_options
def _flags(**given: Any) -> dict[str, Any]:
    """Only to read flags with: it knows their types and choices."""
    return given


def setting(text: str, base: dict[str, Any], flag: str = "--with", mail: bool = False) -> Setting:
    """The filter that a word like `alpha=1,ngrams=1` asks for; what it does not name is as in `base`."""
    stated = dict(_pair(part, text, flag) for part in re.split(r",(?=\s*[a-z]+=)", text))
    words = [word for name, value in stated.items() for word in (f"--{name}", value)]
    try:
        context = _flags.make_context("with", words)
    except click.ClickException as error:
        raise ConfigError(f"{flag} {text!r}: {error.format_message()}") from None
    asked = {
        name: value
        for name, value in context.params.items()
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE
    }
    given = {**context.params, **base, **asked}
    base_options.refuse(given, flag, "measure it with `spamnb evaluate DATA --cv 5 --prior ready-made`")
    return Setting(text, options.feature_config(given, mail), options.scorer_config(given), mail)


def _pair(part: str, text: str, flag: str) -> tuple[str, str]:
    name, equals, value = part.strip().partition("=")
    if not equals or name not in _KEYS:
        wrong = "no setting is called" if equals else "expected NAME=VALUE with commas between, got"
        raise ConfigError(
            f"{flag} {text!r}: {wrong} {name if equals else part.strip()!r}",
            hint=f"names are {', '.join(_KEYS)}; for example {flag} alpha=1,tokens=plain",
        )
    return name, value


def every_scorer(base: dict[str, Any], mail: bool = False) -> list[Setting]:
    """All scorers with their own defaults; one that needs more n-grams than `base` has takes them."""
    found = []
    for name in REGISTRY:
        more = {"ngrams": None} if name == "less-naive" and base["ngrams"] == 1 else {}
        made = setting(f"scorer={name}", {**base, **more}, mail=mail)
        found.append(replace(made, name=name))
    return found
