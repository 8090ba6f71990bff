"""`spamnb predict`: classifies messages, one verdict each, in order and as they come."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import exit_codes, options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.decision_rule import with_decision
from spamnb.cli.message_kind import kind_of_inputs, note_mail, stdin_mail_format
from spamnb.cli.options import Params
from spamnb.cli.output import print_prompt, print_status, progress, report_skipped, write_bytes, writing
from spamnb.cli.progress_bar import may_reach_terminal
from spamnb.readers import FORMATS as INPUT_FORMATS, any_of

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import Explanation, Predictions, SpamModel
    from spamnb.readers import ReadOptions

FORMATS = ("tsv", "jsonl", "csv", "table", "terse")


@click.command(short_help="Classify each message as spam, ham or unsure.")
@click.argument("files", nargs=-1, type=options.PATH, metavar="[FILES]...")
@options.model_option
@click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default="tsv",
    show_default=True,
    help="Format of the output; terse (label and probability) never changes.",
)
@click.option(
    "--only", metavar="LABEL", help="Print only messages with this verdict: spam, ham, unsure or a label."
)
@options.explain_option
@click.option("-0", "--null", is_flag=True, help="Messages end with a NUL byte, not with a line.")
@click.option(
    "--input-format",
    metavar="FORMAT",
    type=click.Choice(["auto", *INPUT_FORMATS]),
    default=None,
    help=f"{any_of([*INPUT_FORMATS])}. [default: detected; stdin is mail or one message a line]",
)
@click.option(
    "--csv-safe/--no-csv-safe",
    default=True,
    show_default=True,
    help="Put ' before a CSV cell that a spreadsheet would run (= + - @).",
)
@click.option(
    "--exit-code",
    type=click.Choice(exit_codes.STYLES),
    default="plain",
    show_default=True,
    help="plain: 0 if all went well. bogofilter: 0 spam, 1 ham, 2 unsure, 3 error. spamc: 1 spam, else 0.",
)
@options.reading_options
@options.mail_options
@options.decision_options
@options.quiet_option
def predict(files: tuple[str, ...], exit_code: str, **params: Any) -> None:
    """Classify each message as spam, ham or unsure.

    Messages come from stdin, one a line or as mail, or from FILES: text files with a message a line, CSV,
    TSV, JSONL and Parquet files with a text column, mails (.eml, mbox) and folders of mail. Output is label,
    probability of spam and message (for mail its file), separated by tabs.

    \b
    Examples:
      echo "WIN a FREE prize" | spamnb predict
      spamnb predict inbox.csv --format jsonl --explain
      spamnb predict Maildir --only spam
      tail -f sms.log | spamnb predict --only spam
    """
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    _check_combination(params)
    model = _load(files, params)
    spam = exit_codes.spam_verdicts(exit_code, model.labels)
    verdicts, unread = _predict(files, model, params)
    verdicts = {"spam" if verdict in spam else verdict for verdict in verdicts}
    click.get_current_context().exit(exit_codes.of_verdicts(exit_code, verdicts, unread))


def _check_combination(params: Params) -> None:
    """Refuses two options that contradict each other."""
    null, input_format = params["null"] and not params["files_from"], params["input_format"]
    if params["explain"] and params["output_format"] == "terse":
        raise click.UsageError("--explain does not go with --format terse: use tsv, jsonl, csv or table.")
    if null and input_format not in (None, "null"):
        raise click.UsageError(f"-0 does not go with --input-format {input_format}: leave out one of them.")


def _load(files: tuple[str, ...], params: Params) -> SpamModel:
    """The model to use, with the decision rule of the options."""
    from functools import partial

    from spamnb.cli.model_choice import find_model, load_model

    read = params | {"input_format": _input_format(params)}
    model = load_model(find_model(params["model"], partial(kind_of_inputs, files, read, params["quiet"])))
    return with_decision(model, params)


def _predict(files: tuple[str, ...], model: SpamModel, params: Params) -> tuple[set[str], int]:
    """Reads, scores and writes.

    Returns the verdicts that occurred, and how many files could not be read.
    """
    names = (*model.labels, "unsure")
    only = _only(names, params["only"])
    sources = _sources(files, model, params)
    writer = _writer(model, params["output_format"], params["explain"], params["csv_safe"])
    if any(path == "-" for path, _ in sources):
        print_prompt("Type messages, one a line; Ctrl-D ends.", params["quiet"])
    if writer.header:
        write_bytes(writer.header)
    verdicts, unread = set[str](), 0
    for path, how in sources:
        codes, lost = _answer(path, _as_it_arrives(path, how), model, writer, only, params)
        verdicts |= {names[code] for code in codes}
        unread += lost
    if hasattr(writer, "end"):
        write_bytes(writer.end())
    return verdicts, unread


def _sources(files: tuple[str, ...], model: SpamModel, params: Params) -> list[Any]:
    """The inputs with how to read them."""
    features = model.features
    reading = read_options(
        params | {"input_format": _input_format(params)},
        categorical=features.categorical,
        numeric=features.numeric,
    )
    paths = files if files or params["files_from"] else ("-",)
    return inputs(paths, params, reading)


def _as_it_arrives(path: str | tuple[str, ...], how: ReadOptions) -> ReadOptions:
    """How to read an input: stdin is mail or one message a line, unless options say otherwise."""
    from dataclasses import replace

    if path != "-" or how.format != "auto" or how.columns.text or how.columns.beside_text:
        return how
    return replace(how, format=stdin_mail_format(how) or "lines")


def _input_format(params: Params) -> str:
    """As stated; -0 is about the messages, or with --files-from about the list of their paths."""
    if params["null"] and not params["files_from"]:
        return "null"
    return params["input_format"] or "auto"


def _answer(
    path: str | tuple[str, ...],
    reading: ReadOptions,
    model: SpamModel,
    writer: Any,
    only: int | None,
    params: Params,
) -> tuple[set[int], int]:
    """Scores one input as it comes.

    Returns the codes of the verdicts that occurred, and how many files could not be read.
    """
    from spamnb.readers import open_source

    codes, quiet = set[int](), params["quiet"]
    # Verdicts that appear on the terminal show the progress, and a bar would run into them.
    visible_output = may_reach_terminal(sys.stdout)
    with open_source(path, reading, labelled=False) as source:
        if reading.mail.jobs > 1:
            from spamnb.training import ScoreInWorker

            source.work = ScoreInWorker(model, keep_texts=params["explain"])
        if path != "-":
            print_status(source.description, quiet)
        with progress(source.name, source.size, quiet or path == "-" or visible_output) as bar:
            for number, chunk in enumerate(source):
                if not number:
                    _note_kind(path == "-" and reading.format == "lines", chunk, model, quiet)
                predictions = chunk.worker_result or model.score(chunk.texts, chunk.categories, chunk.numbers)
                codes.update(predictions.codes.tolist())
                _write(writer, chunk, predictions, only)
                bar.at(chunk.position)
        report_skipped(source, quiet)
    return codes, source.skipped.unread


def _note_kind(lines: bool, chunk: Chunk, model: SpamModel, quiet: bool) -> None:
    """Prints a note on mail for a model that knows none, and on lines that look like a mail or a table."""
    if chunk.sources:
        note_mail(model, quiet)
    elif lines:
        from spamnb.readers import by_first_lines, looks_like

        first, second = chunk.texts[0], chunk.texts[1] if len(chunk) > 1 else b""
        if len(chunk) > 1 and by_first_lines(first + b"\n" + second):
            note = "this looks like mail, and each line is classified; --input-format eml reads mail"
            print_status(f"note: {note}", quiet)
        elif table := looks_like(first, second):
            note = f"this looks like {table.upper()}, and each line is classified"
            print_status(f"note: {note}; --input-format {table} reads columns", quiet)


def _write(writer: Any, chunk: Chunk, predictions: Predictions, only: int | None) -> None:
    import numpy as np

    rows = np.arange(len(chunk)) if only is None else np.flatnonzero(predictions.codes == only)
    block = getattr(writer, "at_once", 0) or max(len(rows), 1)
    for start in range(0, len(rows), block):
        with writing():  # rich looks at stdout while it lays a table out
            lines = writer.lines(chunk, predictions, rows[start : start + block])
        write_bytes(lines)


def _only(names: tuple[str, ...], label: str | None) -> int | None:
    """The code of the verdict that --only names."""
    if label is None:
        return None
    if label not in names:
        raise click.BadParameter(f"the model knows {', '.join(names)}, not {label!r}", param_hint="--only")
    return names.index(label)


def _writer(model: SpamModel, output_format: str, explain: bool, csv_safe: bool) -> Any:
    import numpy as np

    from spamnb.report import prediction_lines

    def explain_row(chunk: Chunk, row: int) -> Explanation:
        categories = {name: values[row : row + 1] for name, values in chunk.categories.items()}
        numbers = {name: values[row : row + 1] for name, values in chunk.numbers.items()}
        return model.explain(chunk.texts.select(np.array([row])), categories, numbers)

    names = (*model.labels, "unsure")
    why = explain_row if explain else None
    if output_format == "tsv":
        return prediction_lines.Tsv(names, why)
    if output_format == "jsonl":
        return prediction_lines.Jsonl(why, model.expected_costs)
    if output_format == "csv":
        terminal = sys.stdout is not None and sys.stdout.isatty()
        return prediction_lines.Csv(names, csv_safe, why, escape=terminal)
    if output_format == "terse":
        return prediction_lines.Terse(names)
    from spamnb.cli.output import console
    from spamnb.report import TableWriter

    return TableWriter(console(), names, model.positive, why)
