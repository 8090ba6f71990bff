"""`spamnb train`: turns labelled messages into a model file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.data_inputs import inputs, missing_data, read_options
from spamnb.cli.message_kind import check_classes, classes_text
from spamnb.cli.model_option import default_kinds, default_text
from spamnb.cli.option_groups import option
from spamnb.cli.options import Params
from spamnb.cli.output import print_prompt, print_status, print_step, progress, report_skipped
from spamnb.cli.set_option import SettingOption
from spamnb.cli.training_setup import TrainingSetup
from spamnb.cli.training_summary import metrics_text
from spamnb.settings import FEW_MESSAGES, TrainingConfig

if TYPE_CHECKING:
    from spamnb.model import SpamModel
    from spamnb.readers import Source
    from spamnb.training import Trainer

_CHUNK = 1 << 20  # bytes counted at once: with 512 KiB or 2 MiB training takes 5 % longer
_FEW_FROM_PIPE = (
    f"fewer than {FEW_MESSAGES} messages from a pipe: not starting from the ready-made model; "
    "--base ready-made does"
)


@command(show_set=True)
@click.argument("data", nargs=-1, type=options.PATH, metavar="DATA...")
@options.new_model_option
@options.force_option
@options.data_options
@options.training_options
@options.advanced(options.decision_options)
@options.max_fpr_option
@options.folds_option
@options.setting_options(TrainingConfig, "remember")
@option(
    "--dask",
    cls=SettingOption,
    metavar="ADDRESS",
    group="Input",
    help="Count on the dask cluster at tcp://HOST:PORT.",
)
@options.quiet_option
def train(data: tuple[str, ...], output: str | None, force: bool, **params: Any) -> None:
    """Learn from labelled messages and write a model.

    DATA are CSV, TSV, JSON, Parquet or Excel files with a text and a label column ('-' reads stdin), folders
    of them, or folders of mail: DIR with DIR/spam and DIR/ham, or an index file. gz, bz2, xz and zip are
    unpacked. Format, encoding and columns are detected automatically and printed on stderr.

    Cross-validation measures the model and calibrates its probabilities; --folds 0 skips it.

    \b
    Examples:
      spamnb train data.csv
      spamnb train jan.csv.gz feb.jsonl -o office
      spamnb train --label spam=Maildir/.Junk --label ham=Maildir/.Archive
      spamnb train few.csv --base none
      spamnb train data.tsv --scorer bernoulli --tokens plain --alpha 1
    """
    from spamnb.cli.message_kind import kind_of_messages
    from spamnb.cli.model_option import output_path
    from spamnb.cli.model_saving import check_target, save
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    started, quiet = time.perf_counter(), params["quiet"]
    sources = _sources(data, params)
    target = output_path(output, lambda: kind_of_messages(sources))
    check_target(target, force)
    setup = TrainingSetup.of(params, lambda: sources, quiet)
    keep = _under_sample(setup, sources) if setup.scoring.balance == "undersample" else None
    trainer = _count_all(setup, sources, keep)
    check_classes(trainer)
    trainer = _start_from_ready_made(setup, sources, trainer)
    model = trainer.finish()
    setup.check_model(model)
    size = save(model, target, quiet)
    _print_summary(model, target, size, time.perf_counter() - started, quiet)


def _sources(data: tuple[str, ...], params: Params) -> list[Any]:
    """Returns the inputs with how to read them."""
    if not (data or params["labelled"] or params["files_from"]):
        raise missing_data()
    sources = inputs(data, params, read_options(params, default_format="csv", chunk_bytes=_CHUNK))
    params["jobs"] = sources[0][1].mail.jobs if sources else 1
    if "-" in data:
        print_prompt("Reading labelled messages from the terminal; Ctrl-D ends.", params["quiet"])
    return sources


def _count_all(setup: TrainingSetup, sources: list[Any], keep: dict[str, int] | None) -> Trainer:
    """Counts every input, here or elsewhere; the first one decides whether the messages are mail."""
    from spamnb.readers import open_source

    params = setup.params
    if params["dask"]:
        with open_source(*sources[0], labelled=True) as source:
            trainer = setup.trainer(mail=source.mail, keep=keep)
        _count_on_cluster(trainer, sources, params)
        return trainer
    opened = _opened(sources, params["quiet"])
    first = next(opened, None)
    trainer = setup.trainer(mail=first is not None and first.mail, keep=keep)
    every = enumerate(chain([] if first is None else [first], opened))
    if params["jobs"] > 1 and (keep is None or not (params["categorical"] or params["numeric"])):
        _count_in_processes(trainer, every, params)
        return trainer
    for number, source in every:
        _count_here(trainer, source, number, params["quiet"])
    return trainer


def _opened(sources: list[Any], quiet: bool) -> Iterator[Source]:
    """Opens one input after the other."""
    from spamnb.readers import open_source

    for path, path_options in sources:
        with open_source(path, path_options, labelled=True) as source:
            print_status(source.description, quiet)
            yield source


def _count_here(trainer: Trainer, source: Source, number: int, quiet: bool) -> None:
    with progress(source.name, source.size, quiet) as bar:
        for i, chunk in enumerate(source):
            if chunk.worker_result is None:
                trainer.add_chunk(chunk, (number, i))
            bar.at(chunk.position)
    report_skipped(source, quiet)


def _count_in_processes(trainer: Trainer, sources: Iterable[tuple[int, Source]], params: Params) -> None:
    """Counts tables and mails in worker processes, other inputs here."""
    from spamnb.storage import model_writer
    from spamnb.training import BlockCounter, CountInWorker

    quiet = params["quiet"]
    with BlockCounter(trainer, params["jobs"]) as counter:
        for number, source in sources:
            if source.blocks is None:
                source.work = CountInWorker(trainer, number)
                _count_here(trainer, source, number, quiet)
                continue
            counter.start()
            done = 0
            with progress(source.name, source.size, quiet) as bar:
                for size in counter.feed(source, number):
                    done += size
                    bar.at(done)
        model_writer.prepare()  # while the workers count what they have
        for source in counter.finish():
            report_skipped(source, quiet)


def _count_on_cluster(trainer: Trainer, sources: list[Any], params: Params) -> None:
    from functools import partial

    from spamnb.training import dask_cluster

    run = partial(dask_cluster.on_dask, address=params["dask"])
    for line in dask_cluster.count_on_cluster(trainer, sources, run):
        print_status(line, params["quiet"])


def _start_from_ready_made(setup: TrainingSetup, sources: list[Any], trainer: Trainer) -> Trainer:
    """Counts few messages again as the ready-made model reads them; returns the trainer that starts from it.

    A pipe cannot be read again: its messages stay as they are.
    """
    if setup.params["dask"]:
        return trainer
    if _pipe_among(sources) is not None:
        if setup.is_default_base(trainer):
            print_status(_FEW_FROM_PIPE, setup.params["quiet"])
        return trainer
    based = setup.with_default_base(trainer, lambda: sources)
    if based is None:
        return trainer
    quietly = replace(based, params={**based.params, "quiet": True})
    return _count_all(quietly, sources, None)


def _pipe_among(sources: list[Any]) -> str | None:
    paths = [path for path, _ in sources if isinstance(path, str)]
    return next((path for path in paths if not (os.path.isfile(path) or os.path.isdir(path))), None)


def _under_sample(setup: TrainingSetup, sources: list[Any]) -> dict[str, int]:
    """Returns, for under-sampling, the digest below which the messages of each label are kept."""
    from spamnb.errors import ConfigError
    from spamnb.readers import open_source
    from spamnb.training import UnderSampling

    if (pipe := _pipe_among(sources)) is not None:
        raise ConfigError(
            f"--set balance=undersample reads DATA twice, got {'stdin' if pipe == '-' else pipe}",
            hint="give a file, or use --set balance=weight",
        )
    choice: UnderSampling | None = None
    for path, path_options in sources:
        with open_source(path, path_options, labelled=True) as source:
            choice = choice or UnderSampling(setup.trainer(mail=source.mail).features)
            for chunk in source:
                choice.add(chunk.texts, chunk.labels or [], chunk.categories, chunk.numbers)
    return {} if choice is None else choice.limits()


def _print_summary(model: SpamModel, target: str, size: int, seconds: float, quiet: bool) -> None:
    """Prints what was learned, how good it is, where it is saved, and what to try next."""
    from dataclasses import asdict

    from spamnb.model import Decision, describe

    store, metrics = model.store, model.metrics or {}
    total = f"{int(store.message_totals.sum()):,} messages"
    columns = [*model.features.categorical, *model.features.numeric]
    tokens = f"{store.vocabulary:,} tokens" + (f" and the columns {', '.join(columns)}" if columns else "")
    lines = [
        ("learned", f"{total} ({classes_text(store)}) in {seconds:.2f} s"),
        ("vocabulary", f"{tokens}; scorer {model.scoring.name}{_smoothing_text(model)}"),
        ("base model", _base_text(model)),
        ("refined", metrics.get("refined", "")),
        ("cross-validation", metrics_text(model)),
    ]
    if model.decision.max_fpr is not None or (model.base is not None and model.decision != Decision()):
        rule = describe(asdict(model.decision), model.positive, model.classes.negative)
        lines.append(("threshold", rule))
    if metrics.get("recall") == 0.0:
        larger = " or a larger --max-fpr" if model.decision.max_fpr is not None else ""
        lines.append(("note", f"no {model.positive} is caught: try more messages, --base ready-made{larger}"))
    lines += [
        ("saved", f"{target} ({size / 1e3:,.0f} kB)"),
        ("default", default_text(target)),
        ("try", _next_command(model, target)),
    ]
    for label, text in lines:
        if text:
            print_step(label, text, quiet)


def _smoothing_text(model: SpamModel) -> str:
    """Describes the smoothing, which normal densities alone have not."""
    textbook = ", as in the textbook" if model.scoring.is_textbook else ""
    if not model.store.vocabulary and not model.features.categorical and model.features.numeric:
        return textbook
    return f"{textbook}, {model.active_scoring.smoothing_text(ngrams=model.store.gram_vocabulary > 0)}"


def _base_text(model: SpamModel) -> str:
    if model.metrics is not None or model.base is None:
        return str((model.metrics or {}).get("started", ""))
    return f"from the {model.base.name}, weight {model.base.weight:.3g}"


def _next_command(model: SpamModel, target: str) -> str:
    """Returns the command that uses the model, with -m if it would not be used by default."""
    from shlex import quote

    from spamnb.model import knows_mail, name_of

    command = 'echo "your message" | spamnb predict'
    if model.features.categorical or model.features.numeric:
        command = "spamnb predict DATA"
    elif knows_mail(model):
        command = "spamnb predict MAILBOX"
    return command if default_kinds(target) else f"{command} -m {quote(name_of(target))}"
