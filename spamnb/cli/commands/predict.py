"""`spamnb predict`: classifies messages, one verdict each, in order and as they come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import exit_codes, options
from spamnb.cli.command_base import command
from spamnb.cli.data_inputs import inputs, missing_files, read_options
from spamnb.cli.decision_rule import apply_decision_options
from spamnb.cli.message_kind import as_typed, kind_of_inputs, note_stdin_is_mail
from spamnb.cli.option_groups import option
from spamnb.cli.options import Params
from spamnb.cli.output import is_typed, print_mark, print_status, show_error
from spamnb.cli.prediction_output import (
    FORMATS,
    KEEP_COLUMNS,
    SUFFIXES,
    checked_file,
    chosen_format,
    make_reply_writer,
    make_writer,
    on_terminal,
    opened_output,
    stated_format,
)
from spamnb.cli.prediction_run import OpenedInput, PredictionRun
from spamnb.cli.text_messages import check_alone, refuse_texts, text_source
from spamnb.errors import DataError
from spamnb.readers import FORMATS as INPUT_FORMATS, any_of

if TYPE_CHECKING:
    from spamnb.model import SpamModel


@command()
@click.argument("files", nargs=-1, type=options.PATH, metavar="[FILES]...")
@options.text_option
@options.model_option
@option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    help="Format of the output; terse (verdict and probability) never changes. "
    "[default: by the suffix of -o; a table on a terminal, else tsv]",
)
@option(
    "-o",
    "--output",
    type=options.PATH,
    metavar="FILE",
    callback=checked_file,
    help=f"Write to FILE, in the format of its suffix: {SUFFIXES} (as .tsv). "
    "Only you can read it (mode 0600).",
)
@option(
    "--only", metavar="LABEL", help="Print only messages with this verdict: spam, ham, unsure or a label."
)
@options.explain_option
@option(
    "--input-format",
    metavar="FORMAT",
    type=click.Choice(["auto", *INPUT_FORMATS]),
    default=None,
    group="Input",
    help=f"{any_of([*INPUT_FORMATS])}. [default: detected; stdin without columns is mail or lines]",
)
@option(
    "--exit-code",
    type=click.Choice(exit_codes.STYLES),
    default="plain",
    show_default=True,
    group="Output",
    help="plain: 0 if all went well. bogofilter: 0 spam, 1 ham, 2 unsure, 3 error. spamc: 1 spam, else 0.",
)
@options.reading_options
@options.mail_options
@options.decision_options
@options.quiet_option
def predict(files: tuple[str, ...], exit_code: str, **params: Any) -> None:
    """Classify each message as spam, ham or unsure.

    Messages come from -t, from stdin (one per line, or an email), or from FILES: text files with one message
    per line, CSV, TSV, JSON, Parquet and Excel files with a text column, emails (.eml, mbox) and folders of
    mail.
    Output is the verdict, the probability of spam (with more than two classes, that of the verdict) and the
    message (for mail its file and subject): a table on a terminal, in a pipe separated by tabs. The columns
    of CSV, TSV, JSON, Parquet and Excel files are kept, after the verdict and its probability.
    A running stream keeps the model it started with; `spamnb serve` picks up new lessons.

    \b
    Examples:
      spamnb predict -t "WIN a FREE prize"
      echo "WIN a FREE prize" | spamnb predict
      spamnb predict inbox.csv -o verdicts.csv
      spamnb predict inbox.csv --format jsonl --explain
      spamnb predict Maildir --only spam
      tail -f sms.log | spamnb predict --only spam
      if spamnb predict -q --exit-code bogofilter < mail.eml; then echo spam; fi
    """
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    params["output_format"] = stated_format(click.get_current_context())
    _check_combination(files, params)
    model = _load(files, params)
    spam = exit_codes.spam_verdicts(exit_code, model.labels)
    run = _predict(files, model, params)
    verdicts = {"spam" if verdict in spam else verdict for verdict in run.counts.verdicts}
    if exit_code == "bogofilter" and not (verdicts or run.counts.unread or missing_files()):
        show_error(DataError("there is no message to classify", "give one on stdin, in a file or with -t"))
    code = exit_codes.of_verdicts(exit_code, verdicts, run.counts.unread, missing_files())
    click.get_current_context().exit(code)


def _check_combination(files: tuple[str, ...], params: Params) -> None:
    """Refuses options that contradict each other, and texts in place of files."""
    if params["explain"] and params["output_format"] == "terse":
        raise click.UsageError(
            "--explain cannot be combined with --format terse: use tsv, jsonl, csv or table."
        )
    check_alone(params["texts"], files or params["files_from"])
    chosen_format(params["output_format"], params["output"])
    refuse_texts(files, "classify a text", "spamnb predict", params["model"])


def _load(files: tuple[str, ...], params: Params) -> SpamModel:
    """Loads the model to use, with the decision rule of the options."""
    from functools import partial

    from spamnb.cli.model_option import find_model_aloud, load_model

    read = params | {"input_format": params["input_format"] or "auto"}
    path = find_model_aloud(params["model"], partial(kind_of_inputs, files, read), params["quiet"])
    return apply_decision_options(load_model(path), params)


def _predict(files: tuple[str, ...], model: SpamModel, params: Params) -> PredictionRun:
    """Reads, scores and writes."""
    only = _only((*model.labels, "unsure"), params["only"])
    file, stated, explain = params["output"], params["output_format"], params["explain"]
    output_format = chosen_format(stated, file)
    keep = output_format in KEEP_COLUMNS
    sources = [] if params["texts"] else _inputs(files, model, params, keep)
    if stated is None and file is None and on_terminal() and any(is_typed(path) for path, _ in sources):
        writer = make_reply_writer(model, explain)
    else:
        writer = make_writer(model, output_format, explain, file is not None)
    with opened_output(file) as write:
        run = PredictionRun(model, writer, write, only, file, params["quiet"])
        for opened in _open(sources, run, params):
            run.answer(opened)
        run.finish()
    run.report_file()
    return run


def _inputs(files: tuple[str, ...], model: SpamModel, params: Params, keep: bool) -> list[Any]:
    """Returns the inputs with how to read them; `keep`: with all columns of a table."""
    from spamnb.mail import StoredLists

    features = model.features
    reading = read_options(
        params | {"input_format": params["input_format"] or "auto"},
        categorical=features.categorical,
        numeric=features.numeric,
        keep_columns=keep,
        lists=StoredLists().newest(),
    )
    paths = files if files or params["files_from"] else ("-",)
    return inputs(paths, params, reading)


def _open(inputs: list[Any], run: PredictionRun, params: Params) -> Iterator[OpenedInput]:
    """Opens the texts of the command line, or one input after the other."""
    from spamnb.readers import open_source

    if params["texts"]:
        yield OpenedInput("", text_source(params["texts"], run.model.features))
    for path, path_options in inputs:
        reading = as_typed(path, path_options)
        if path == "-" and reading.format in ("lines", "null"):
            run.begin("stdin", None)  # a reader of the output has the header before the first message
        typed = is_typed(path) and not params["quiet"]
        if typed:  # before it is opened: that waits for the first message
            print_status("Type a message and press Enter; Ctrl-D ends.")
            print_mark()
        with open_source(path, reading, labelled=False) as source:
            if path == "-" and reading.format == "auto":
                note_stdin_is_mail(source.format, params["quiet"])
            if (reading.mail.jobs or 1) > 1:
                from spamnb.training import ScoreInWorker

                source.work = ScoreInWorker(run.model, keep_texts=params["explain"])
            yield OpenedInput(path, source, typed)


def _only(names: tuple[str, ...], label: str | None) -> int | None:
    """Returns the code of the verdict that --only names."""
    if label is None:
        return None
    if label not in names:
        raise click.BadParameter(f"the model knows {', '.join(names)}, not {label!r}", param_hint="--only")
    return names.index(label)
