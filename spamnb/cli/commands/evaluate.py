"""`spamnb evaluate`: measures how good a model is, on data or by cross-validation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import external_predictions, options, protocol_options, report_options, stored_metrics
from spamnb.cli.data_inputs import chunks, inputs, read_options
from spamnb.cli.decision_rule import apply_decision_options, check_decision, check_max_fpr, stated_max_fpr
from spamnb.cli.message_kind import check_classes, kind_of_inputs, note_mail, peek_is_mail
from spamnb.cli.option_groups import command, option
from spamnb.cli.options import Params
from spamnb.cli.output import console, print_status, write_json
from spamnb.cli.stored_metrics import class_names
from spamnb.cli.text_messages import refuse_model_names
from spamnb.cli.training_setup import TrainingSetup
from spamnb.errors import ConfigError
from spamnb.settings import training_settings

if TYPE_CHECKING:
    from spamnb.evaluation import Evaluation, EvaluationSummary, Mistake
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel
    from spamnb.training import OperatingPoint

_MAX_FOLDS = 100  # refinement takes every pair of them
_READING = ("label_column", "spam_label", "text_column", "encoding", "input_format")
_WITH_DATA = (*_READING, *options.DECISIONS, "max_fpr", "plots")


@command()
@click.argument("data", nargs=-1, type=options.PATH, metavar="[DATA]...")
@options.model_option
@options.folds_option
@protocol_options.protocol_options
@options.json_option
@report_options.report_options
@external_predictions.prediction_options
@options.data_options
@options.advanced(options.training_options)
@options.decision_options
@options.advanced(options.max_fpr_option)
@option(
    "--mistakes",
    type=click.IntRange(1),
    metavar="N",
    help="List the N worst mistakes of each kind, with their strongest tokens.",
)
@options.quiet_option
@click.pass_context
def evaluate(ctx: click.Context, /, **params: Any) -> None:
    """Measure a model: precision, recall, F1 and more.

    With DATA (labelled messages that the model was not trained on) the model is tested on them. With
    --folds K, run K-fold cross-validation on DATA instead of using a saved model. --holdout,
    --learning-curve and --online train on DATA too. All of these take the settings of `spamnb train`.
    Without DATA: the metrics that training stored in the model. The first lines are precision, recall and F1
    of each class; accuracy is compared with that of always predicting the most
    frequent class.

    --report FILE writes one page for the browser, with curves, a slider for the threshold and the worst
    mistakes. --predictions FILE scores another filter's output. FILE needs a true-label column, or pass the
    labelled DATA in the same order.

    \b
    Examples:
      spamnb evaluate test.csv
      spamnb evaluate test.csv --mistakes 5
      spamnb evaluate test.csv --report report.html
      spamnb evaluate --predictions scores.csv --report report.html
      spamnb evaluate data.csv --folds 10 --scorer bernoulli
      spamnb evaluate data.csv --holdout 30% --seed 7
      spamnb evaluate stream.csv --online
      spamnb evaluate --json metrics.json
    """
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    protocol = _check(ctx)
    refuse_model_names(params["data"])
    if params["predictions"]:
        external_predictions.evaluate_file(params)
    elif not protocol and not _has_data(params):
        stored_metrics.show(params)
    else:
        _publish(_measure(protocol, params), params)


def _has_data(params: Params) -> bool:
    return bool(params["data"] or params["labelled"] or params["files_from"])


def _check(ctx: click.Context) -> str:
    """Refuses options that cannot be combined, before anything is read; returns the protocol."""
    params = ctx.params
    protocol = protocol_options.chosen_protocol(ctx)
    external_predictions.check_prediction_options(params)
    if not protocol:
        _check_combination(ctx)
    _check_mistakes(protocol, params)
    report_options.check_outputs(params["report"], params["json_file"], params["plots"])
    stated_max_fpr(params)
    return protocol


def _check_mistakes(protocol: str, params: Params) -> None:
    """Refuses --mistakes where no messages are at hand."""
    without = protocol not in ("", "--holdout") or params["predictions"] or not _has_data(params)
    if params["mistakes"] and without:
        raise click.UsageError("--mistakes needs DATA, with a model, --folds or --holdout.")


def _check_combination(ctx: click.Context) -> None:
    """Refuses settings that would have no effect, such as those for training with a trained model."""
    folds, data = ctx.params["folds"], _has_data(ctx.params) or bool(ctx.params["predictions"])
    if folds is None:
        if flag := _stated_flag(ctx, [setting.name for setting in training_settings()]):
            raise click.UsageError(
                f"{flag} is a setting for training: use it with --folds K, or train a model with it."
            )
    elif not data:
        raise click.UsageError("--folds needs DATA to split.")
    elif flag := _stated_flag(ctx, ["model"]):
        raise click.UsageError(
            f"{flag} cannot be combined with --folds: cross-validation trains its own models."
        )
    elif not 2 <= folds <= _MAX_FOLDS:
        limit = "at least 2" if folds < 2 else f"at most {_MAX_FOLDS}"
        raise ConfigError(f"--folds must be {limit}, got {folds}", hint="5 and 10 are common")
    if not data and (flag := _stated_flag(ctx, _WITH_DATA)):
        raise click.UsageError(f"{flag} needs DATA: without it the metrics stored in the model are shown.")


def _stated_flag(ctx: click.Context, names: list[str] | tuple[str, ...]) -> str:
    """Returns the flag of the first of these options that stands on the command line."""
    from click.core import ParameterSource

    stated = (
        option
        for option in ctx.command.params
        if option.name in names and ctx.get_parameter_source(option.name) == ParameterSource.COMMANDLINE
    )
    return next((max(option.opts, key=len) for option in stated), "")


@dataclass
class _Measured:
    """An evaluation with its title and what a report shows beside its metrics."""

    title: str
    result: Evaluation
    sources: list[str] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)
    path: str = ""

    def summary(self) -> EvaluationSummary:
        from spamnb.evaluation import data_facts, summarize

        result = self.result
        facts = data_facts(result.scores, result.model.classes, self.sources, result.seen)
        size = os.path.getsize(self.path) if self.path else 0
        return summarize(result, self.title, self.mistakes, facts, self.path, size)


def _measure(protocol: str, params: Params) -> _Measured:
    if protocol:
        sources: list[str] = []
        result, mistakes = protocol_options.run_protocol(protocol, params, sources, _most_mistakes(params))
        return _Measured(protocol_options.TITLES[protocol], result, sources, mistakes)
    return _test_model(params) if params["folds"] is None else _cross_validate(params)


def _test_model(params: Params) -> _Measured:
    """Tests a saved model on DATA."""
    from spamnb.cli.model_option import find_model_aloud, load_model
    from spamnb.evaluation import MistakeCollector, evaluate_chunks
    from spamnb.model import TrainingOverlap, is_name, name_of

    data, quiet, sources = params["data"], params["quiet"], list[str]()
    path = find_model_aloud(params["model"], partial(kind_of_inputs, data, params), quiet)
    model = load_model(path)
    model = apply_decision_options(model, params)
    columns = {"categorical": model.features.categorical, "numeric": model.features.numeric}
    reading = read_options(params, classes=model.labels, default_format="csv", **columns)
    most = _most_mistakes(params)
    worst = MistakeCollector(model, most) if most else None
    messages = _note_mail(chunks(data, params, reading, quiet, sources), model, quiet)
    observe = None if worst is None else worst.observe
    result = evaluate_chunks(model, messages, observe, TrainingOverlap.of(model, path))
    if result.warning:
        print_status(f"warning: {result.warning}", quiet)
        print_status("Hint: --folds 10 or --holdout 30% tests on messages that were not trained on", quiet)
    paths = (*data, *params["labelled"], *filter(None, [params["files_from"]]))
    mistakes = [] if worst is None else worst.worst()
    name = name_of(path) if is_name(name_of(path)) else os.path.basename(path)
    return _Measured(f"{name} on {', '.join(paths)}", result, sources, mistakes, path)


def _most_mistakes(params: Params) -> int:
    """Returns how many mistakes of each kind are shown, in the terminal or on a page; 0 for none."""
    from spamnb.evaluation import WORST_MISTAKES

    return max(params["mistakes"] or 0, WORST_MISTAKES if params["report"] else 0)


def _note_mail(messages: Iterator[Chunk], model: SpamModel, quiet: bool) -> Iterator[Chunk]:
    """Yields the same chunks; prints a note if the first one is of another kind than the model."""
    for number, chunk in enumerate(messages):
        if not number and chunk.sources:
            note_mail(model, quiet)
        yield chunk


def _cross_validate(params: Params) -> _Measured:
    """Cross-validates on DATA with the settings of the options."""
    from spamnb.evaluation import cross_validate, out_of_fold_mistakes

    data, quiet, sources = params["data"], params["quiet"], list[str]()
    reading = read_options(params, default_format="csv")
    setup = TrainingSetup.of(params, partial(inputs, data, params, reading), quiet)
    setup.refuse_undersampling("--folds")
    mail, messages = peek_is_mail(chunks(data, params, reading, quiet, sources))
    most = _most_mistakes(params)
    trainer = setup.trainer(mail, keep_texts=bool(most))
    for chunk in messages:
        trainer.add_chunk(chunk)
    check_classes(trainer)
    result = cross_validate(trainer)
    check_decision(params, result.model.labels)
    folds = setup.training.folds
    mistakes = out_of_fold_mistakes(result, folds, most) if most else []
    return _Measured(f"{folds}-fold cross-validation", result, sources, mistakes)


def _publish(measured: _Measured, params: Params) -> None:
    """Writes and shows an evaluation in the ways that were asked for."""
    result = measured.result
    point = _operating_point(result, stated_max_fpr(params))
    notes = result.notes if point is None else (*result.notes, _point_text(point, *class_names(result.model)))
    if params["json_file"]:
        more = {"training_overlap": result.overlap()}
        more |= {} if point is None else {"operating_point": point.to_dict()}
        more |= _mistake_rows(measured, params["mistakes"])
        metrics = {**result.scores.to_dict(), **protocol_options.steps_of(result), **more}
        write_json({"title": measured.title, "notes": list(notes), **metrics}, params["json_file"])
    if params["report"] or params["plots"]:
        report_options.leave(measured.summary(), params["report"], params["plots"], params["quiet"])
    if "-" not in (params["json_file"], params["report"]):
        _show(result, measured.title, notes)
        protocol_options.print_steps(result)
        if params["mistakes"]:
            from spamnb.report import show_mistakes

            show_mistakes(console(), measured.summary(), params["mistakes"])


def _mistake_rows(measured: _Measured, most: int | None) -> dict[str, Any]:
    if most is None:
        return {}
    from spamnb.report import mistake_rows

    return {"mistakes": mistake_rows(measured.summary(), most)}


def _operating_point(result: Evaluation, rate: float | None) -> OperatingPoint | None:
    """Returns the threshold that would keep to the rate on this data, if one was asked for."""
    from spamnb.training import operating_point

    check_max_fpr(rate, result.model.labels)
    if rate is None:
        return None
    held_out = result.held_out
    lacking = None if held_out is None else result.model.lacks_evidence(held_out.known)
    return operating_point(result.truth, result.log_odds, rate, lacking)


def _point_text(point: OperatingPoint, positive: str, other: str) -> str:
    where = f"P = {point.threshold!r} (log-odds {point.log_odds:+.2f})"
    wrong = f"{point.false_positives:,} of {point.ham:,} {other} misclassified"
    rate = f"for at most {100 * point.max_fpr:.3g}% of {other} misclassified"
    rule = f"{rate}, the threshold on this data is {where}"
    caught = f"{point.recall:.1%} of {positive} caught, {wrong}"
    return f"{rule}: {caught}. The metrics below are for the model's own threshold"


def _show(result: Evaluation, title: str, notes: tuple[str, ...]) -> None:
    from spamnb.metrics import MultiScores
    from spamnb.report import Curves, terminal

    scores, out = result.scores, console()
    if isinstance(scores, MultiScores):
        terminal.show_multi_evaluation(out, scores, title, notes)
        return
    both = 0 < result.truth.sum() < len(result.truth)
    drawn = Curves.of(result.truth > 0, result.log_odds) if out.is_terminal and both else None
    terminal.show_evaluation(out, scores, title, notes, drawn, class_names(result.model))
