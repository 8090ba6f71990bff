"""`spamnb inspect`: shows what is in a model, and looks words up."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.option_groups import option
from spamnb.cli.output import console, print_status, write_bytes, write_json

if TYPE_CHECKING:
    from spamnb.model import SpamModel


@command()
@click.argument("words", nargs=-1, type=options.PATH, metavar="[FILE] [WORD]...")
@options.model_option
@options.top_option
@option(
    "--sample",
    type=(str, click.IntRange(1)),
    metavar="LABEL N",
    group="Model",
    advanced=True,
    help="Draw N pseudo messages of a class from the model.",
)
@option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    group="Model",
    advanced=True,
    help="Seed for random choices. [default: 0]",
)
@options.json_option
def inspect(words: tuple[str, ...], model: str | None, **params: Any) -> None:
    """Show what a model contains, look up words.

    Shows a summary of the model, the strongest tokens of each class with their counts, P(w|c) and weight, the
    columns, and the formula for the log-odds. FILE is a model file, read without executing anything in it; -m
    takes names too.

    \b
    Examples:
      spamnb inspect
      spamnb inspect -m office --top 30
      spamnb inspect prize "call now" shape:url=1+
      spamnb inspect --sample spam 3
    """
    from spamnb.cli.model_option import find_model_to_show, load_model

    if words and model is None and _is_file(words[0]):
        model, words = words[0], words[1:]
    _check(words, params)
    if model is None:
        _note_model_names(words)
    path = find_model_to_show(model)
    loaded, top, json_file = load_model(path), params["top"], params["json_file"]
    if params["sample"] is not None:
        label, number = params["sample"]
        _sample(loaded, label, number, params["seed"] or 0, json_file)
    elif words:
        _look_up(loaded, words, json_file)
    else:
        _overview(loaded, path, top, json_file)


def _check(words: tuple[str, ...], params: options.Params) -> None:
    """Refuses options that cannot be combined."""
    if params["sample"] is not None and words:
        raise click.UsageError("--sample takes no words: leave them out.")
    if params["seed"] is not None and params["sample"] is None:
        raise click.UsageError("--seed needs --sample.")


def _is_file(word: str) -> bool:
    """Tells whether the first word is a model file; the name of a model goes with -m."""
    from spamnb.model import is_name

    return not is_name(word) and (os.path.isfile(word) or word.endswith(".spamnb") or os.sep in word)


def _note_model_names(words: tuple[str, ...]) -> None:
    """Prints a note if a word to look up is the name of a model too."""
    from spamnb.cli.model_option import model_names

    for name in sorted(set(words) & set(model_names())):
        print_status(
            f"note: {name} is looked up as a word; to show the model: spamnb inspect -m {quote(name)}"
        )


def _overview(model: SpamModel, path: str, top: int, json_file: str | None) -> None:
    from dataclasses import asdict

    from spamnb.model import Inspector, card, columns_of, row_dict
    from spamnb.report import model_card, token_tables

    inspector = Inspector(model)
    facts, columns = card(model, path, os.path.getsize(path)), columns_of(model)
    tokens = {label: inspector.top(label, top) for label in model.labels}
    formula = inspector.formula if len(model.labels) > 1 else None
    if json_file:
        linear = None if formula is None else inspector.linear()
        write_json(
            {
                **facts,
                "top": {label: [row_dict(row) for row in listed] for label, listed in tokens.items()},
                "formula": None if formula is None else formula.to_dict(),
                "linear": None if linear is None else asdict(linear),
                "column_tables": columns,
            },
            json_file,
        )
    if json_file == "-":
        return
    out = console()
    model_card.show_card(out, facts)
    if formula is None:
        return
    for label, listed in tokens.items():
        if listed:
            token_tables.show_title(out, f"evidence for {label}")
            token_tables.show_tokens(out, formula, listed)
    token_tables.show_columns(out, columns, model.labels, top)
    token_tables.show_formula(out, formula)


def _look_up(model: SpamModel, words: tuple[str, ...], json_file: str | None) -> None:
    from spamnb.model import Inspector, row_dict
    from spamnb.report import token_tables

    inspector = Inspector(model)
    formula, rows = inspector.formula, inspector.look_up(words)
    if json_file:
        write_json({"tokens": [row_dict(row) for row in rows]}, json_file)
    if json_file != "-":
        out = console()
        token_tables.show_tokens(out, formula, rows)
        token_tables.show_meaning(out, formula)


def _sample(model: SpamModel, label: str, count: int, seed: int, json_file: str | None) -> None:
    """Prints a pseudo message a line, after tabs the values of its columns."""
    from spamnb.core import visible

    messages = model.sample(label, count, seed)
    if json_file:
        rows = [{"text": m.text, "columns": {**m.categories, **m.numbers}} for m in messages]
        write_json({"label": label, "seed": seed, "messages": rows}, json_file)
    if json_file == "-":
        return
    for m in messages:
        columns = *m.categories.items(), *((name, f"{x:.4g}") for name, x in m.numbers.items())
        fields = [m.text, *(f"{name}={value}" for name, value in columns)]
        write_bytes("\t".join(visible(field, tsv=True) for field in fields).encode() + b"\n")
