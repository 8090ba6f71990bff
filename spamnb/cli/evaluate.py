"""`spamnb evaluate`: how good a model is, on data or by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.output import console, progress, report_skipped, say, write_json

if TYPE_CHECKING:
    from spamnb.evaluate import Evaluation
    from spamnb.message import Chunk
    from spamnb.readers import ReadOptions


_TRAINING = (
    *("tokens", "ngrams", "chars", "patterns", "categorical", "numeric"),
    *("scorer", "alpha", "counts", "damping", "prior", "balance", "order", "ddof"),
)
_READING = ("label_column", "spam_label", "text_column", "encoding", "input_format")
_WITH_DATA = (*_READING, *options.DECISIONS, "no_curves")


@click.command(short_help="Measure a model: precision, recall, F1 and more.")
@click.argument("data", nargs=-1, type=options.PATH, metavar="[DATA]...")
@options.model_option
@click.option(
    "--cv", type=int, metavar="K", help="Cross-validate on DATA in K folds instead of using a model."
)
@options.json_option
@options.labelled_mail_option
@options.label_options
@options.reading_options
@options.input_format_option
@options.mail_options
@options.feature_options
@options.scorer_options
@options.decision_options
@click.option("--no-curves", is_flag=True, help="Do not draw the ROC and precision-recall curves.")
@options.quiet_option
def evaluate(
    data: tuple[str, ...],
    model: str | None,
    cv: int | None,
    json_file: str | None,
    no_curves: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Measure a model: precision, recall, F1 and more.

    With DATA (labelled messages that the model was not trained on) the model is tried on them. With --cv K
    it is DATA itself that is split: each fold is judged by what the others teach, with the settings
    given (--scorer, --alpha, --ngrams ...). Without DATA: the figures that training stored in the model.

    \b
    Examples:
      spamnb evaluate test.csv
      spamnb evaluate data.csv --cv 10 --scorer bernoulli
      spamnb evaluate --json figures.json
    """
    from spamnb.errors import ConfigError
    from spamnb.memory import keep_freed_memory

    keep_freed_memory()
    _check_combination(
        click.get_current_context(), bool(data or given["labelled"] or given["files_from"]), cv
    )
    inputs = (*data, *given["labelled"], *filter(None, [given["files_from"]]))
    if not inputs:
        _stored(model, json_file)
        return
    if cv is not None and cv < 2:
        raise ConfigError(f"--cv must be at least 2, got {cv}", hint="5 and 10 are common")
    result = _cross_validate(data, cv, given, quiet) if cv else _try_model(data, model, given, quiet)
    title = f"{cv}-fold cross-validation" if cv else "model on " + ", ".join(inputs)
    if json_file:
        write_json({"title": title, "notes": list(result.notes), **result.scores.to_dict()}, json_file)
    if json_file != "-":
        _show(result, title, not no_curves)


def _check_combination(ctx: click.Context, data: bool, cv: int | None) -> None:
    """Settings for training mean nothing to a trained model: say so instead of ignoring them."""
    if cv is not None and not data:
        raise click.UsageError("--cv needs DATA to split.")
    if cv is not None and (flag := _given(ctx, ("model",))):
        raise click.UsageError(f"{flag} does not go with --cv: cross-validation trains its own models.")
    if cv is None and (flag := _given(ctx, _TRAINING)):
        raise click.UsageError(
            f"{flag} is a setting for training: use it with --cv K, or train a model with it."
        )
    if not data and (flag := _given(ctx, _WITH_DATA)):
        raise click.UsageError(f"{flag} needs DATA: without it the figures stored in the model are shown.")


def _given(ctx: click.Context, names: tuple[str, ...]) -> str:
    """The first of these settings that stands on the command line, as its flag."""
    from click.core import ParameterSource

    found = (p for p in ctx.command.params if p.name in names)
    stated = (p for p in found if ctx.get_parameter_source(p.name or "") == ParameterSource.COMMANDLINE)
    return next((max(p.opts, key=len) for p in stated), "")


def _chunks(
    paths: tuple[str, ...], given: dict[str, Any], reading: ReadOptions, quiet: bool
) -> Iterator[Chunk]:
    from spamnb.readers import open_source

    for path, how in options.inputs(paths, given, reading):
        with open_source(path, how, labelled=True) as source:
            say(source.description, quiet)
            with progress(source.name, source.size, quiet) as bar:
                for chunk in source:
                    yield chunk
                    bar.at(chunk.position)
            report_skipped(source, quiet)


def _try_model(data: tuple[str, ...], model: str | None, given: dict[str, Any], quiet: bool) -> Evaluation:
    from dataclasses import replace

    from spamnb.cli.paths import find_model
    from spamnb.evaluate import on_chunks
    from spamnb.model import SpamModel

    loaded = SpamModel.load(find_model(model))
    options.check_decision(given, loaded.labels)
    loaded = replace(loaded, decision=options.decision(given, loaded.decision))
    columns = {"categorical": loaded.features.categorical, "numeric": loaded.features.numeric}
    reading = options.read_options(given, default_format="csv", **columns)
    return on_chunks(loaded, _chunks(data, given, reading, quiet))


def _cross_validate(data: tuple[str, ...], cv: int, given: dict[str, Any], quiet: bool) -> Evaluation:
    from spamnb.errors import ConfigError
    from spamnb.evaluate import cross_validated
    from spamnb.training import Trainer

    features, scoring = options.feature_config(given), options.scorer_config(given)
    if scoring.balance == "undersample":
        raise ConfigError("--balance undersample does not go together with --cv", hint="use --balance weight")
    reading = options.read_options(given, default_format="csv")
    trainer = Trainer(features, scoring, options.decision(given), folds=cv)
    for chunk in _chunks(data, given, reading, quiet):
        trainer.add(chunk.texts, chunk.labels or [], dict(chunk.categories), dict(chunk.numbers))
    result = cross_validated(trainer)
    options.check_decision(given, result.model.labels)
    return result


def _show(result: Evaluation, title: str, curves: bool) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import terminal
    from spamnb.report.curves import Curves

    scores = result.scores
    if isinstance(scores, MultiScores):
        terminal.multi_evaluation(console(), scores, title, result.notes)
        return
    positive = result.model.positive
    negative = next(label for label in result.model.labels if label != positive)
    both = 0 < result.truth.sum() < len(result.truth)
    drawn = Curves.of(result.truth > 0, result.log_odds) if curves and both else None
    terminal.evaluation(console(), scores, title, result.notes, drawn, positive, negative)


def _stored(model: str | None, json_file: str | None) -> None:
    """The figures of training."""
    from spamnb.cli.paths import find_model
    from spamnb.errors import ModelError
    from spamnb.model import SpamModel

    path = find_model(model)
    loaded = SpamModel.load(path)
    if loaded.figures is None:
        raise ModelError(
            f"{path} holds no figures: it was trained with --no-cv or on very few messages",
            hint="evaluate it on labelled messages: spamnb evaluate DATA",
        )
    if json_file:
        write_json(dict(loaded.figures), json_file)
    if json_file != "-":
        _show_stored(loaded, path)


def _show_stored(loaded: Any, path: str) -> None:
    from spamnb.metrics import MultiScores, Scores
    from spamnb.report import terminal
    from spamnb.report.stored import multi_scores, scores

    figures = loaded.figures
    title = f"{path}, as measured when it was trained"
    notes: tuple[str, ...] = (
        f"{figures['folds']}-fold cross-validation on {figures['sample']:,} of {figures['of']:,} messages",
    )
    if figures.get("before"):
        notes += (f"measured before {', '.join(figures['before'])}: its counts are others now",)
    found: Scores | MultiScores = scores(figures) if "recall" in figures else multi_scores(figures)
    if isinstance(found, MultiScores):
        terminal.multi_evaluation(console(), found, title, notes)
        return
    negative = next(label for label in loaded.labels if label != loaded.positive)
    terminal.evaluation(console(), found, title, notes, None, loaded.positive, negative)
