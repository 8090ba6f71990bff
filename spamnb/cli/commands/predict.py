"""`spamnb predict`: messages in, one verdict a message out, in order and as they come."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import exit_codes, options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.output import print_prompt, print_status, progress, report_skipped, write_bytes, writing
from spamnb.readers import FORMATS as INPUT_FORMATS, any_of

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import Explanation, Predictions, SpamModel
    from spamnb.readers import ReadOptions

FORMATS = ("tsv", "jsonl", "csv", "table", "terse")


@click.command(short_help="Say spam, ham or unsure for each message.")
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
@click.option("--only", metavar="LABEL", help="Print only messages judged so: spam, ham, unsure or a label.")
@click.option("--explain", is_flag=True, help="Add what spoke for and against.")
@click.option("-0", "--null", is_flag=True, help="Messages end with a NUL byte, not with a line.")
@click.option(
    "--input-format",
    metavar="FORMAT",
    type=click.Choice(["auto", *INPUT_FORMATS]),
    default=None,
    help=f"{any_of([*INPUT_FORMATS])} (default: detect; stdin is one message a line).",
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
def predict(files: tuple[str, ...], exit_code: str, **given: Any) -> None:
    """Say spam, ham or unsure for each message.

    Messages come from stdin, one a line, or from FILES: text files with a message a line, CSV, TSV, JSONL
    and Parquet files with a text column, mails (.eml, mbox) and folders of mail. Output is label,
    probability of spam and message (for mail its file), separated by tabs.

    \b
    Examples:
      echo "WIN a FREE prize" | spamnb predict
      spamnb predict inbox.csv --format jsonl --explain
      spamnb predict Maildir --only spam
      tail -f sms.log | spamnb predict --only spam
    """
    said, unread = _predict(files, given)
    click.get_current_context().exit(exit_codes.of_verdicts(exit_code, said, unread))


def _predict(files: tuple[str, ...], given: dict[str, Any]) -> tuple[set[str], int]:
    """Read, score and write; gives the verdicts that occurred, with the positive class called spam, and how
    many files could not be read."""
    from dataclasses import replace
    from functools import partial

    from spamnb.cli.message_kind import kind_of
    from spamnb.cli.model_choice import find_model
    from spamnb.core import keep_freed_memory
    from spamnb.model import SpamModel
    from spamnb.training import Scoring, with_work

    keep_freed_memory()
    null = given["null"] and not given["files_from"]
    _check_combination(given["output_format"], given["explain"], null, given["input_format"])
    kind = partial(kind_of, files, given | {"input_format": _input_format(given)}, given["quiet"])
    loaded = SpamModel.load(find_model(given["model"], kind))
    options.check_decision(given, loaded.labels)
    loaded = replace(loaded, decision=options.decision(given, loaded.decision))
    chosen = _chosen(loaded, given["only"])
    sources = _sources(files, loaded, given)
    writer = _writer(loaded, given["output_format"], given["explain"], given["csv_safe"])
    if any(path == "-" for path, _ in sources):
        print_prompt("Type messages, one a line; Ctrl-D ends.", given["quiet"])
    if writer.header:
        write_bytes(writer.header)
    said, unread = set[str](), 0
    work = Scoring(loaded, wanted=given["explain"])
    for path, how in sources:
        codes, lost = _answer(path, with_work(how, work), loaded, writer, chosen, given["quiet"])
        names = (*loaded.labels, "unsure")
        said |= {"spam" if names[code] == loaded.positive else names[code] for code in codes}
        unread += lost
    if hasattr(writer, "end"):
        write_bytes(writer.end())
    return said, unread


def _sources(files: tuple[str, ...], model: SpamModel, given: dict[str, Any]) -> list[Any]:
    """What to read and how; stdin is one message a line unless something else is said."""
    from dataclasses import replace

    features = model.features
    reading = read_options(
        given | {"input_format": _input_format(given)},
        categorical=features.categorical,
        numeric=features.numeric,
    )
    paths = files if files or given["files_from"] else ("-",)
    lines = reading.format == "auto" and not _columns_wanted(model, reading)
    found = inputs(paths, given, reading)
    return [(path, replace(how, format="lines") if path == "-" and lines else how) for path, how in found]


def _input_format(given: dict[str, Any]) -> str:
    """As stated; -0 is about the messages, or with --files-from about the list of their paths."""
    if given["null"] and not given["files_from"]:
        return "null"
    return given["input_format"] or "auto"


def _answer(
    path: str | tuple[str, ...],
    reading: ReadOptions,
    model: SpamModel,
    writer: Any,
    chosen: int | None,
    quiet: bool,
) -> tuple[set[int], int]:
    """Score one input as it comes; gives the verdicts that occurred and how many files could not be read."""
    from spamnb.readers import open_source

    codes: set[int] = set()
    with open_source(path, reading, labelled=False) as source:
        if path != "-":
            print_status(source.description, quiet)
        with progress(source.name, source.size, quiet or path == "-" or _is_seen()) as bar:
            for number, chunk in enumerate(source):
                if not number:
                    _note_kind(path == "-" and reading.format == "lines", chunk, model, quiet)
                found = chunk.made or model.score(chunk.texts, chunk.categories, chunk.numbers)
                codes.update(found.codes.tolist())
                _write(writer, chunk, found, chosen)
                bar.at(chunk.position)
        report_skipped(source, quiet)
    return codes, source.skipped.unread


def _is_seen() -> bool:
    """Does the output itself show how far it is?"""
    return sys.stdout is not None and sys.stdout.isatty()


def _note_kind(lines: bool, chunk: Chunk, model: SpamModel, quiet: bool) -> None:
    """Say so if mail meets a model that knows none, or if lines on stdin are those of a mail or a table."""
    if chunk.sources:
        from spamnb.cli.message_kind import note_mail

        note_mail(model, quiet)
    elif lines:
        from spamnb.readers import by_first_lines, looks_like

        first, second = chunk.texts[0], chunk.texts[1] if len(chunk) > 1 else b""
        if len(chunk) > 1 and by_first_lines(first + b"\n" + second):
            print_status(
                "note: this looks like mail, and each line is judged; --input-format eml reads mail", quiet
            )
        elif table := looks_like(first, second):
            seen = f"this looks like {table.upper()}, and each line is judged"
            print_status(f"note: {seen}; --input-format {table} reads columns", quiet)


def _check_combination(output_format: str, explain: bool, null: bool, input_format: str | None) -> None:
    """Two wishes that cannot both be met are refused: neither is dropped without a word."""
    if explain and output_format == "terse":
        raise click.UsageError("--explain does not go with --format terse: use tsv, jsonl, csv or table.")
    if null and input_format not in (None, "null"):
        raise click.UsageError(f"-0 does not go with --input-format {input_format}: leave out one of them.")


def _columns_wanted(model: SpamModel, reading: ReadOptions) -> bool:
    """Does the input have to be a table?"""
    return bool(model.features.categorical or model.features.numeric or reading.columns.text)


def _write(writer: Any, chunk: Chunk, found: Predictions, chosen: int | None) -> None:
    import numpy as np

    rows = np.arange(len(chunk)) if chosen is None else np.flatnonzero(found.codes == chosen)
    some = getattr(writer, "at_once", 0) or max(len(rows), 1)
    for start in range(0, len(rows), some):
        with writing():  # rich looks at stdout while it lays a table out
            lines = writer.lines(chunk, found, rows[start : start + some])
        write_bytes(lines)


def _chosen(model: SpamModel, only: str | None) -> int | None:
    if only is None:
        return None
    names = (*model.labels, "unsure")
    if only not in names:
        raise click.BadParameter(f"the model knows {', '.join(names)}, not {only!r}", param_hint="--only")
    return names.index(only)


def _writer(model: SpamModel, output_format: str, explain: bool, guard: bool) -> Any:
    import numpy as np

    from spamnb.report import prediction_lines as rows

    def why_row(chunk: Chunk, row: int) -> Explanation:
        categories = {name: values[row : row + 1] for name, values in chunk.categories.items()}
        numbers = {name: values[row : row + 1] for name, values in chunk.numbers.items()}
        return model.explain(chunk.texts.select(np.array([row])), categories, numbers)

    names = (*model.labels, "unsure")
    why = why_row if explain else None
    if output_format == "tsv":
        return rows.Tsv(names, why)
    if output_format == "jsonl":
        return rows.Jsonl(why)
    if output_format == "csv":
        return rows.Csv(names, guard, why, escape=sys.stdout is not None and sys.stdout.isatty())
    if output_format == "terse":
        return rows.Terse(names)
    from spamnb.cli.output import console
    from spamnb.report import TableWriter

    return TableWriter(console(), names, model.positive, why)
