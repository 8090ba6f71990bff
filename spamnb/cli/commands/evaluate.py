"""`spamnb evaluate`: measures how good a model is, on data or by cross-validation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import external_predictions, options, protocol_options, report_options, stored_metrics
from spamnb.cli.command_base import command
from spamnb.cli.data_inputs import chunks, inputs, read_options
from spamnb.cli.decision_rule import apply_decision_options, check_decision, stated_max_fpr
from spamnb.cli.evaluated_messages import EvaluatedMessages, check_messages_option, messages_option
from spamnb.cli.evaluation_output import Measured, publish
from spamnb.cli.message_kind import check_classes, kind_of_inputs, note_mail, peek_is_mail
from spamnb.cli.option_groups import option
from spamnb.cli.options import Params
from spamnb.cli.output import print_status
from spamnb.cli.text_messages import refuse_model_names
from spamnb.cli.training_setup import TrainingSetup
from spamnb.errors import ConfigError
from spamnb.settings import training_settings

if TYPE_CHECKING:
    from spamnb.messages import Chunk
    from spamnb.model import SpamModel

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
@messages_option
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
        messages = EvaluatedMessages() if params["output"] else None
        measured = _measure(protocol, params, messages)
        if messages is not None:
            messages.write(params["output"], measured.result, params["quiet"])
        publish(measured, params)


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
    has_messages = _has_data(params) and not params["predictions"]
    check_messages_option(params["output"], protocol, has_messages)
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


def _measure(protocol: str, params: Params, messages: EvaluatedMessages | None) -> Measured:
    """Evaluates; `messages` gets those that were classified."""
    if protocol:
        sources: list[str] = []
        observe, most = None if messages is None else messages.observe, _most_mistakes(params)
        result, mistakes = protocol_options.run_protocol(protocol, params, sources, most, observe)
        return Measured(protocol_options.TITLES[protocol], result, sources, mistakes)
    measure = _test_model if params["folds"] is None else _cross_validate
    return measure(params, messages)


def _test_model(params: Params, evaluated: EvaluatedMessages | None) -> Measured:
    """Tests a saved model on DATA."""
    from spamnb.cli.model_option import find_model_aloud, load_model
    from spamnb.evaluation import MistakeCollector, evaluate_chunks, observe_all
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
    observers = [one.observe for one in (worst, evaluated) if one is not None]
    result = evaluate_chunks(model, messages, observe_all(*observers), TrainingOverlap.of(model, path))
    if result.warning:
        print_status(f"warning: {result.warning}", quiet)
        print_status("Hint: --folds 10 or --holdout 30% tests on messages that were not trained on", quiet)
    paths = (*data, *params["labelled"], *filter(None, [params["files_from"]]))
    mistakes = [] if worst is None else worst.worst()
    name = name_of(path) if is_name(name_of(path)) else os.path.basename(path)
    return Measured(f"{name} on {', '.join(paths)}", result, sources, mistakes, path)


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


def _cross_validate(params: Params, evaluated: EvaluatedMessages | None) -> Measured:
    """Cross-validates on DATA with the settings of the options."""
    from spamnb.evaluation import cross_validate, out_of_fold_mistakes

    data, quiet, sources = params["data"], params["quiet"], list[str]()
    reading = read_options(params, default_format="csv")
    setup = TrainingSetup.of(params, partial(inputs, data, params, reading), quiet)
    setup.refuse_undersampling("--folds")
    mail, messages = peek_is_mail(chunks(data, params, reading, quiet, sources))
    most = _most_mistakes(params)
    trainer = setup.trainer(mail, keep_texts=bool(most or evaluated is not None))
    for chunk in messages:
        trainer.add_chunk(chunk)
    check_classes(trainer)
    result = cross_validate(trainer)
    check_decision(params, result.model.labels)
    if evaluated is not None:
        evaluated.take(result.sample)
    folds = setup.training.folds
    mistakes = out_of_fold_mistakes(result, folds, most) if most else []
    return Measured(f"{folds}-fold cross-validation", result, sources, mistakes)
