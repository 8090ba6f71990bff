"""Runs the protocols of `spamnb evaluate` that train on DATA: held-out part, learning curve, stream."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from spamnb.cli.base_options import refuse_base
from spamnb.cli.data_inputs import chunks, inputs, read_options
from spamnb.cli.message_kind import peek_is_mail
from spamnb.cli.option_groups import all_of, option
from spamnb.cli.options import Params
from spamnb.cli.output import console
from spamnb.cli.training_setup import TrainingSetup
from spamnb.errors import ConfigError
from spamnb.settings import parse_share

if TYPE_CHECKING:
    from spamnb.evaluation import Evaluation, LabelledData, Mistake, Observer, TrainerMaker
    from spamnb.model import SpamModel

TITLES = {
    "--holdout": "held-out part",
    "--learning-curve": "learning curve",
    "--online": "in order, each message classified and then learned",
}
_DEFAULT_SHARE = "30%"
_RARE: dict[str, Any] = {"group": "Model", "advanced": True}

protocol_options = all_of(
    option(
        "--holdout",
        metavar="SHARE",
        group="Model",
        help="Test on this share of DATA, for example 30%, train on the rest.",
    ),
    option(
        "--learning-curve", is_flag=True, **_RARE, help="Train on 10 sizes, test on the same held-out part."
    ),
    option("--online", is_flag=True, **_RARE, help="Classify each message of DATA, then learn it, in order."),
    option("--seed", type=int, metavar="N", **_RARE, help="Seed for random choices. [default: 0]"),
)


def chosen_protocol(ctx: click.Context) -> str:
    """Returns the protocol that the command line asks for, "" for none; refuses what does not go together."""
    params = ctx.params
    protocols = [flag for flag in TITLES if params[flag.strip("-").replace("-", "_")]]
    if protocols == ["--holdout", "--learning-curve"]:
        protocols = ["--learning-curve"]  # --holdout is the share that it holds out
    several = [*protocols, *(["--folds"] if params["folds"] is not None else [])]
    if len(several) > 1:
        raise click.UsageError(f"{several[0]} and {several[1]} cannot be combined.")
    if params["seed"] is not None and protocols not in (["--holdout"], ["--learning-curve"]):
        raise click.UsageError("--seed needs --holdout or --learning-curve.")
    if not protocols:
        return ""
    if not (params["data"] or params["labelled"] or params["files_from"]):
        raise click.UsageError(f"{protocols[0]} needs DATA.")
    if ctx.get_parameter_source("model") == ParameterSource.COMMANDLINE:
        raise click.UsageError(
            f"--model cannot be combined with {protocols[0]}, which trains its own models."
        )
    return protocols[0]


def run_protocol(
    protocol: str,
    params: Params,
    descriptions: list[str],
    most: int,
    observe: Observer | None = None,
) -> tuple[Evaluation, list[Mistake]]:
    """Reads everything, then trains and evaluates; `descriptions` gets those of the sources.

    Of a held-out part the worst mistakes are returned too, at most `most` of each kind; `observe` sees it.
    """
    from spamnb.evaluation import LabelledData, evaluate_online, learning_curve

    data, quiet = params["data"], params["quiet"]
    share = parse_share(params["holdout"] or _DEFAULT_SHARE, "--holdout", "30% or 0.3")
    if protocol == "--online":
        _check_online(params)
    reading = read_options(params, default_format="csv")
    setup = TrainingSetup.of(params, partial(inputs, data, params, reading), quiet)
    setup.refuse_undersampling(protocol)
    mail, messages = peek_is_mail(chunks(data, params, reading, quiet, descriptions))
    labelled = LabelledData.of(messages)
    setup.check_classes(labelled.labels)
    trainer, seed = partial(setup.trainer, mail), params["seed"] or 0
    mistakes: list[Mistake] = []
    if protocol == "--online":
        result = evaluate_online(labelled, trainer())
    elif protocol == "--learning-curve":
        result = learning_curve(labelled, trainer, share, seed)
    else:
        result, mistakes = _evaluate_holdout(labelled, trainer, share, seed, most, observe)
    setup.check_model(result.model)
    return result, mistakes


def _evaluate_holdout(
    data: LabelledData, trainer: TrainerMaker, share: float, seed: int, most: int, observe: Observer | None
) -> tuple[Evaluation, list[Mistake]]:
    from spamnb.evaluation import MistakeCollector, evaluate_holdout, observe_all

    collectors: list[MistakeCollector] = []

    def observer(model: SpamModel) -> Observer:
        collectors.extend([MistakeCollector(model, most)] if most else [])
        observers = [collector.observe for collector in collectors]
        return observe_all(*observers, *([] if observe is None else [observe]))

    result = evaluate_holdout(data, trainer, share, seed, observer)
    return result, [mistake for collector in collectors for mistake in collector.worst()]


def _check_online(params: Params) -> None:
    if params["categorical"] or params["numeric"]:
        raise ConfigError(
            "--online reads texts only, got columns", hint="use --folds or --holdout with columns"
        )
    refuse_base(params, "--online", "use --folds or `spamnb train`")


def steps_of(result: Evaluation) -> dict[str, Any]:
    """Returns the metrics after each step, for JSON."""
    return {"steps": [dict(step) for step in result.steps]} if result.steps else {}


def print_steps(result: Evaluation) -> None:
    """Prints the metrics after each step as a table."""
    if result.steps:
        from spamnb.report import show_steps

        show_steps(console(), result.steps, result.caption)
