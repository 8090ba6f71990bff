"""`spamnb evaluate`: how good a model is, on data or by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import (
    base_options,
    external_predictions,
    max_fpr_option,
    options,
    protocol_options,
    report_options,
    stored_metrics,
)
from spamnb.cli.data_inputs import chunks, inputs as sources, read_options
from spamnb.cli.message_kind import apply_mail_defaults, note_mail
from spamnb.cli.output import console, print_status, write_json
from spamnb.cli.stored_metrics import names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spamnb.evaluation import Evaluation, EvaluationSummary, Mistake
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel
    from spamnb.training import OperatingPoint


_TRAINING = (
    *("tokens", "ngrams", "chars", "patterns", "categorical", "numeric"),
    *("scorer", "alpha", "counts", "damping", "prior", "prior_weight", "balance", "order", "ddof", "refine"),
)
FEW_SEEN = 0.05  # the share of messages that may be in the training data by chance: "ok", "see you"
MOST_FOLDS = 100  # refinement takes every pair of them
_READING = ("label_column", "spam_label", "text_column", "encoding", "input_format")
_WITH_DATA = (*_READING, *options.DECISIONS, "max_fpr", "no_curves", "plots")


@click.command(short_help="Measure a model: precision, recall, F1 and more.")
@click.argument("data", nargs=-1, type=options.PATH, metavar="[DATA]...")
@options.model_option
@click.option(
    "--cv", type=int, metavar="K", help="Cross-validate on DATA in K folds instead of using a model."
)
@protocol_options.protocol_options
@options.json_option
@report_options.report_options
@external_predictions.prediction_options
@options.data_options
@options.feature_options
@options.scorer_options
@options.decision_options
@max_fpr_option.max_fpr_option
@click.option("--no-curves", is_flag=True, help="Do not draw the ROC and precision-recall curves.")
@options.quiet_option
def evaluate(
    data: tuple[str, ...],
    model: str | None,
    cv: int | None,
    json_file: str | None,
    report: str | None,
    open_it: bool,
    plots: str | None,
    no_curves: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Measure a model: precision, recall, F1 and more.

    With DATA (labelled messages that the model was not trained on) the model is tried on them. With --cv K
    it is DATA itself that is split: each fold is judged by what the others teach, with the settings
    given (--scorer, --alpha, --ngrams ...). --holdout, --learning-curve and --online train on DATA too, each
    in its own way. Without DATA: the figures that training stored in the model.

    --report FILE writes all of it as one page for the browser, with curves, a slider for the threshold and
    the worst mistakes. With --predictions FILE nothing is predicted: FILE has the scores or verdicts of any
    filter, and the truth in a column, or else from DATA, message by message in the same order.

    \b
    Examples:
      spamnb evaluate test.csv
      spamnb evaluate test.csv --report report.html --open
      spamnb evaluate --predictions scores.csv --report report.html
      spamnb evaluate data.csv --cv 10 --scorer bernoulli
      spamnb evaluate data.csv --holdout 30% --seed 7
      spamnb evaluate stream.csv --online
      spamnb evaluate --json figures.json
    """
    from spamnb.core import keep_freed_memory
    from spamnb.errors import ConfigError

    keep_freed_memory()
    protocol = protocol_options.chosen(click.get_current_context(), cv)
    any_data = bool(data or given["labelled"] or given["files_from"])
    external_predictions.check(given, model, cv, any_data)
    if not protocol:
        _check_combination(click.get_current_context(), any_data or bool(given["predictions"]), cv)
    inputs = (*data, *given["labelled"], *filter(None, [given["files_from"]]))
    report_options.check(report, open_it, json_file, plots)
    if given["predictions"]:
        output = {"json_file": json_file, "report": report, "open_it": open_it, "plots": plots}
        external_predictions.evaluate_file(data, given, output | {"no_curves": no_curves}, quiet)
        return
    if not inputs and not protocol:
        stored_metrics.show(model, json_file, report, open_it, quiet)
        return
    if cv is not None and cv < 2:
        raise ConfigError(f"--cv must be at least 2, got {cv}", hint="5 and 10 are common")
    if cv is not None and cv > MOST_FOLDS:
        raise ConfigError(f"--cv must be at most {MOST_FOLDS}, got {cv}", hint="5 and 10 are common")
    limit, about = max_fpr_option.max_fpr(given), _About(worst=bool(report))
    if protocol:
        result, title = (
            protocol_options.run(protocol, data, given, quiet, about.sources),
            protocol_options.TITLES[protocol],
        )
    elif cv:
        result, title = _cross_validate(data, cv, given, quiet, about), f"{cv}-fold cross-validation"
    else:
        result, title = _try_model(data, model, given, quiet, about), "model on " + ", ".join(inputs)
    point = _point(result, limit)
    notes = result.notes if point is None else (*result.notes, _point_text(point, *names(result.model)))
    if json_file:
        more = {} if point is None else {"operating_point": point.to_dict()}
        figures = {**result.scores.to_dict(), **protocol_options.steps_of(result), **more}
        write_json({"title": title, "notes": list(notes), **figures}, json_file)
    if report or plots:
        report_options.leave(_findings(result, title, about), report, open_it, plots, quiet)
    if "-" not in (json_file, report):
        _show(result, title, notes, not no_curves)
        protocol_options.show_steps(result)


@dataclass
class _About:
    """What a report wants to know beside the figures."""

    worst: bool
    sources: list[str] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    path: str = ""


def _findings(result: Evaluation, title: str, about: _About) -> EvaluationSummary:
    import os

    from spamnb.evaluation import data_facts, summarize

    facts = data_facts(result.scores, result.model.labels, result.model.positive, about.sources)
    size = os.path.getsize(about.path) if about.path else 0
    return summarize(result, title, about.mistakes, facts, about.path, size)


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


def _try_model(
    data: tuple[str, ...], model: str | None, given: dict[str, Any], quiet: bool, about: _About
) -> Evaluation:
    from dataclasses import replace
    from functools import partial

    from spamnb.cli.message_kind import kind_of
    from spamnb.cli.model_choice import find_model
    from spamnb.evaluation import MistakeCollector, evaluate_chunks
    from spamnb.model import SpamModel

    about.path = find_model(model, partial(kind_of, data, given, quiet))
    loaded = SpamModel.load(about.path)
    options.check_decision(given, loaded.labels)
    loaded = replace(loaded, decision=options.decision(given, loaded.decision))
    columns = {"categorical": loaded.features.categorical, "numeric": loaded.features.numeric}
    reading = read_options(given, classes=loaded.labels, default_format="csv", **columns)
    worst = MistakeCollector(loaded) if about.worst else None
    read = _note_mail(chunks(data, given, reading, quiet, about.sources), loaded, quiet)
    result = evaluate_chunks(loaded, read, None if worst is None else worst.observe)
    _warn_about_training_data(result, quiet)
    about.mistakes = [] if worst is None else worst.worst()
    return result


def _note_mail(read: Iterator[Chunk], model: SpamModel, quiet: bool) -> Iterator[Chunk]:
    """Yields the same chunks; prints a note if the first one is of another kind than the model."""
    for number, chunk in enumerate(read):
        if not number and chunk.sources:
            note_mail(model, quiet)
        yield chunk


def _warn_about_training_data(result: Evaluation, quiet: bool) -> None:
    total = result.scores.messages
    if result.seen > total * FEW_SEEN:
        seen = f"{result.seen:,} of {total:,} test messages ({result.seen / total:.0%})"
        print_status(f"warning: {seen} were in the training data; results are optimistic", quiet)


def _cross_validate(
    data: tuple[str, ...], cv: int, given: dict[str, Any], quiet: bool, about: _About
) -> Evaluation:
    from functools import partial

    from spamnb.cli.message_kind import check_classes
    from spamnb.errors import ConfigError
    from spamnb.evaluation import cross_validate, out_of_fold_mistakes
    from spamnb.training import Trainer

    features, scoring = options.feature_config(given), options.scorer_config(given)
    if scoring.balance == "undersample":
        raise ConfigError("--balance undersample does not go together with --cv", hint="use --balance weight")
    reading = read_options(given, default_format="csv")
    features, start = base_options.start_of(
        given, partial(sources, data, given, reading), features, scoring, quiet
    )
    trainer = Trainer(
        features,
        scoring,
        options.decision(given),
        folds=cv,
        keep_texts=about.worst,
        refine=given["refine"],
        **start,
    )
    for chunk in chunks(data, given, reading, quiet, about.sources):
        if not trainer.messages:
            apply_mail_defaults(trainer, given, mail=bool(chunk.sources))
        trainer.add(chunk.texts, chunk.labels or [], dict(chunk.categories), dict(chunk.numbers))
    check_classes(trainer)
    result = cross_validate(trainer)
    options.check_decision(given, result.model.labels)
    about.mistakes = out_of_fold_mistakes(result, cv) if about.worst else []
    return result


def _point(result: Evaluation, limit: float | None) -> OperatingPoint | None:
    """Where the line would have to be on these very messages, if that was asked for."""
    from spamnb.training import operating_point

    max_fpr_option.check_labels(limit, result.model.labels)
    return None if limit is None else operating_point(result.truth, result.log_odds, limit)


def _point_text(point: OperatingPoint, positive: str, other: str) -> str:
    from spamnb.model import probability_text

    where = f"{positive} from P = {probability_text(point.threshold)} (log-odds {point.log_odds:+.2f})"
    wrong = f"{point.false_positives:,} of {point.ham:,} {other} misjudged"
    line = f"at most {100 * point.max_fpr:.3g}% of {other} of these very messages: {where}"
    return f"{line}, {point.recall:.1%} caught, {wrong} (all else here is for the line of the model)"


def _show(result: Evaluation, title: str, notes: tuple[str, ...], curves: bool) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import Curves, terminal

    scores = result.scores
    if isinstance(scores, MultiScores):
        terminal.show_multi_evaluation(console(), scores, title, notes)
        return
    both = 0 < result.truth.sum() < len(result.truth)
    drawn = Curves.of(result.truth > 0, result.log_odds) if curves and both else None
    terminal.show_evaluation(console(), scores, title, notes, drawn, names(result.model))
