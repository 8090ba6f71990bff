"""`spamnb train`: labelled messages in, a model file out."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import max_fpr_option, options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.message_kind import check_classes, classes_text
from spamnb.cli.output import print_prompt, print_status, progress, report_skipped

if TYPE_CHECKING:
    from spamnb.cli.training_setup import TrainingSetup
    from spamnb.model import SpamModel
    from spamnb.readers import Source
    from spamnb.training import Trainer

_CHUNK = 1 << 20  # bytes counted at once: with 512 KiB or 2 MiB training takes 5 % longer


@click.command(short_help="Learn from labelled messages and write a model.")
@click.argument("data", nargs=-1, type=options.PATH, metavar="DATA...")
@options.new_model_option
@options.force_option
@options.data_options
@options.feature_options
@options.scorer_options
@options.decision_options
@max_fpr_option.max_fpr_option
@click.option("--folds", type=int, default=5, metavar="K", show_default=True, help="Cross-validation folds.")
@click.option("--no-cv", is_flag=True, help="Skip cross-validation: no figures, no calibration, faster.")
@click.option("--no-digests", is_flag=True, help="Do not remember which messages were learned.")
@click.option("--dask", metavar="ADDRESS", help="Count on the dask cluster at tcp://HOST:PORT.")
@options.quiet_option
def train(data: tuple[str, ...], output: str | None, force: bool, **given: Any) -> None:
    """Learn from labelled messages and write a model.

    DATA are CSV, TSV, JSONL or Parquet files with a text and a label column ('-' reads stdin), or folders
    of mail: DIR with DIR/spam and DIR/ham, or an index file. gz, bz2 and xz are unpacked. Format, encoding
    and columns are detected and told on stderr.

    \b
    Examples:
      spamnb train data.csv
      spamnb train jan.csv.gz feb.jsonl -o office.spamnb
      spamnb train --label spam=Maildir/.Junk --label ham=Maildir/.Archive
      spamnb train few.csv --prior ready-made
      spamnb train data.tsv --scorer bernoulli --tokens plain --alpha 1
    """
    from spamnb.cli.model_choice import output_path
    from spamnb.cli.model_saving import check_target, save
    from spamnb.cli.training_setup import TrainingSetup
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    quiet = given["quiet"]
    started = time.perf_counter()
    target = output_path(output)
    check_target(target, force)
    sources = _sources(data, given)
    folds = 0 if given["no_cv"] else given["folds"]
    limit = max_fpr_option.max_fpr(given)
    max_fpr_option.check_folds(limit, folds)
    setup = TrainingSetup.of(given, folds, lambda: sources, quiet)
    keep = _shares(sources) if setup.scoring.balance == "undersample" else None
    trainer = _count_all(setup, sources, keep)
    check_classes(trainer)
    model = trainer.finish()
    _check(model, given, limit)
    size = save(model, target, quiet)
    _summary(model, target, size, time.perf_counter() - started, quiet)


def _sources(data: tuple[str, ...], given: dict[str, Any]) -> list[Any]:
    """Lists what to read, and how."""
    reading = read_options(given, default_format="csv", chunk_bytes=_CHUNK)
    if not (data or given["labelled"] or given["files_from"]):
        raise click.UsageError("Missing argument 'DATA...'.")
    sources = inputs(data, given, reading)
    if "-" in data:
        print_prompt("Reading labelled messages from the terminal; Ctrl-D ends.", given["quiet"])
    return sources


def _check(model: SpamModel, given: dict[str, Any], limit: float | None) -> None:
    """Refuse what does not go with the classes that the data turned out to have."""
    options.check_decision(given, model.labels)
    max_fpr_option.check_labels(limit, model.labels)
    max_fpr_option.check_found(limit, model.decision.max_fpr)
    options.check_prior(model.scoring.prior, model.labels)


def _count_all(setup: TrainingSetup, sources: list[Any], keep: dict[str, float] | None) -> Trainer:
    """Counts every input, here or elsewhere; the first one decides whether the messages are mail."""
    given = setup.given
    if given["dask"]:
        trainer = setup.trainer(mail=os.path.isdir(str(sources[0][0])), keep=keep)
        _count_on_cluster(trainer, sources, given)
        return trainer
    opened = _opened(sources, given["quiet"])
    first = next(opened, None)
    trainer = setup.trainer(mail=first is not None and first.mail, keep=keep)
    every = enumerate(chain([] if first is None else [first], opened))
    if given["jobs"] > 1 and (keep is None or not (given["categorical"] or given["numeric"])):
        _count_in_processes(trainer, every, given)
        return trainer
    for number, source in every:
        _count_here(trainer, source, number, given["quiet"])
    return trainer


def _opened(sources: list[Any], quiet: bool) -> Iterator[Source]:
    """Opens one input after the other."""
    from spamnb.readers import open_source

    for path, how in sources:
        with open_source(path, how, labelled=True) as source:
            print_status(source.description, quiet)
            yield source


def _count_here(trainer: Trainer, source: Source, number: int, quiet: bool) -> None:
    with progress(source.name, source.size, quiet) as bar:
        for i, chunk in enumerate(source):
            if chunk.made is None:
                trainer.add_chunk(chunk, (number, i))
            bar.at(chunk.position)
    report_skipped(source, quiet)


def _count_in_processes(
    trainer: Trainer, sources: Iterable[tuple[int, Source]], given: dict[str, Any]
) -> None:
    """Counts tables and mails in worker processes, other inputs here."""
    from spamnb.storage import model_writer
    from spamnb.training import BlockCounter, CountInWorker

    quiet = given["quiet"]
    with BlockCounter(trainer, given["jobs"]) as counter:
        for number, source in sources:
            if source.blocks is None:
                source.work = CountInWorker(trainer, number)
                _count_here(trainer, source, number, quiet)
                continue
            counter.start()  # before the progress bar has a thread
            done = 0
            with progress(source.name, source.size, quiet) as bar:
                for size in counter.feed(source, number):
                    done += size
                    bar.at(done)
        model_writer.prepare()  # while the workers count what they have
        for source in counter.finish():
            report_skipped(source, quiet)


def _count_on_cluster(trainer: Trainer, sources: list[Any], given: dict[str, Any]) -> None:
    from functools import partial

    from spamnb.training import dask_cluster

    run = partial(dask_cluster.on_dask, address=given["dask"])
    for line in dask_cluster.count_on_cluster(trainer, sources, run):
        print_status(line, given["quiet"])


def _shares(sources: list[Any]) -> dict[str, float]:
    """For under-sampling: which share of each label's messages makes all classes as small as the smallest."""
    from collections import Counter

    from spamnb.errors import ConfigError
    from spamnb.readers import open_source

    names = [path for path, _ in sources if isinstance(path, str)]
    once = next((path for path in names if not (os.path.isfile(path) or os.path.isdir(path))), None)
    if once is not None:
        raise ConfigError(
            f"--balance undersample reads the data twice, which {'stdin' if once == '-' else once} cannot do",
            hint="give a file, or use --balance weight",
        )
    seen: Counter[str] = Counter()
    for path, how in sources:
        with open_source(path, how, labelled=True) as source:
            for chunk in source:
                seen.update(chunk.labels or [])
    return {label: min(seen.values()) / n for label, n in seen.items()}


_MORE = "give more messages, start from another model (--prior ready-made), or state a line (--threshold 0.9)"


def _summary(model: SpamModel, target: str, size: int, seconds: float, quiet: bool) -> None:
    from spamnb.model import Decision, in_words, knows_mail

    store = model.store
    total = int(store.message_totals.sum())
    print_status(f"learned   {total:,} messages ({classes_text(store)}) in {seconds:.2f} s", quiet)
    columns = [*model.features.categorical, *model.features.numeric]
    beside = f" and the columns {', '.join(columns)}" if columns else ""
    scorer = f"scorer {model.scoring.name}, alpha {model.scoring.alpha:g}"
    print_status(f"knows     {store.vocabulary:,} tokens{beside}; {scorer}", quiet)
    if model.base is not None or (model.metrics or {}).get("started"):
        print_status(f"started   {_started(model)}", quiet)
    if model.metrics is not None and "refined" in model.metrics:
        print_status(f"refined   {model.metrics['refined']}", quiet)
    print_status(f"expect    {_expected(model)}", quiet)
    if model.decision.max_fpr is not None or (model.base is not None and model.decision != Decision()):
        other = next(label for label in model.labels if label != model.positive)
        print_status(f"decides   {in_words(model.decision.to_dict(), model.positive, other)}", quiet)
    if (model.metrics or {}).get("recall") == 0.0:
        print_status(f"note      this line catches no {model.positive}: {_MORE}", quiet)
    print_status(f"saved     {target} ({size / 1e3:,.0f} kB)", quiet)
    ask = 'echo "your message" | spamnb predict'
    if columns or knows_mail(model):
        ask = f"spamnb predict {'DATA' if columns else 'MAILBOX'}"
    print_status(f"next      {ask}{_model_flag(target)}", quiet)


def _started(model: SpamModel) -> str:
    if model.metrics is not None or model.base is None:
        return str((model.metrics or {})["started"])
    return f"from the {model.base.name}, weight {model.base.weight:g}"


def _expected(model: SpamModel) -> str:
    figures = model.metrics
    if figures is None and model.base is not None:
        return f"no figures: {_too_few(model)}; probabilities are scaled like those of the {model.base.name}"
    if figures is None:
        return f"no figures: {_too_few(model)}; probabilities are not calibrated"
    folds = f"{figures['folds']}-fold cross-validation on {figures['sample']:,} messages"
    if "recall" not in figures:
        return f"accuracy {figures['accuracy']:.1%}, macro F1 {figures['macro_f1']:.3f} ({folds})"
    other = next(label for label in model.labels if label != model.positive)
    mistakes = f"{figures['false_positives']:,} of {figures['ham']:,} {other} misjudged"
    caught = f"{figures['recall'] or 0:.1%} of {model.positive} caught"
    if model.decision.max_fpr is not None:
        return f"{caught}, {mistakes}, {figures['unsure']:,} unsure ({folds})"
    return f"{caught}, {mistakes}, accuracy {figures['accuracy']:.2%} ({folds})"


def _too_few(model: SpamModel) -> str:
    from spamnb.training import FEWEST

    least = int(model.store.message_totals.min())
    few = f"folds need {FEWEST} messages of each class, got {least:,}" if least < FEWEST else ""
    return few or "there was no cross-validation"


def _model_flag(target: str) -> str:
    from shlex import quote

    from spamnb.cli.model_choice import find_model

    try:
        found = find_model(None)
    except Exception:
        found = ""
    return "" if found == target else f" -m {quote(target)}"
