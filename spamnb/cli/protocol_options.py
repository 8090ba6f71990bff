"""The options of `spamnb evaluate` that train on DATA itself and judge it: held-out part, stream, sizes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from spamnb.cli import base_options, options
from spamnb.cli.data_inputs import inputs, read_options
from spamnb.cli.message_kind import peek_is_mail
from spamnb.cli.output import console
from spamnb.errors import ConfigError

if TYPE_CHECKING:
    from spamnb.evaluation import Evaluation

F = TypeVar("F", bound=Any)
TITLES = {
    "--holdout": "held-out part",
    "--learning-curve": "learning curve",
    "--online": "in order, each message judged and then learned",
}
DEFAULT_SHARE = "30%"


def protocol_options(command: F) -> F:
    """--holdout, --learning-curve, --online and --seed."""
    for decorator in (
        click.option("--seed", type=int, metavar="N", help="Another split for --holdout (default 0)."),
        click.option("--online", is_flag=True, help="Judge each message of DATA, then learn it, in order."),
        click.option(
            "--learning-curve", is_flag=True, help="Train on 10 sizes, judge the same held-out part."
        ),
        click.option("--holdout", metavar="SHARE", help="Train on DATA but this share, for example 30%."),
    ):
        command = decorator(command)
    return command


def chosen(ctx: click.Context, cv: int | None) -> str:
    """Which protocol the command line asks for, "" for none; refuses what does not go together."""
    given = ctx.params
    asked = [flag for flag in TITLES if given[flag.strip("-").replace("-", "_")]]
    if asked == ["--holdout", "--learning-curve"]:
        asked = ["--learning-curve"]  # of which --holdout says the held-out share
    several = [*asked, *(["--cv"] if cv is not None else [])]
    if len(several) > 1:
        raise click.UsageError(f"{several[0]} and {several[1]} do not go together.")
    if given["seed"] is not None and asked not in (["--holdout"], ["--learning-curve"]):
        raise click.UsageError("--seed goes with --holdout or --learning-curve.")
    if not asked:
        return ""
    if not (given["data"] or given["labelled"] or given["files_from"]):
        raise click.UsageError(f"{asked[0]} needs DATA.")
    if ctx.get_parameter_source("model") == ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--model does not go with {asked[0]}, which trains its own models.")
    return asked[0]


def _share(text: str) -> float:
    """A share between 0 and 1, or a percentage."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1:
        raise ConfigError(
            f"--holdout must be a share of the messages, got {text!r}", "for example 30% or 0.3"
        )
    return value


def run(
    protocol: str, data: tuple[str, ...], given: dict[str, Any], quiet: bool, told: list[str]
) -> Evaluation:
    """Read everything, then train and judge as the protocol says."""
    from spamnb.cli.data_inputs import chunks
    from spamnb.evaluation import LabelledData, evaluate_holdout, evaluate_online, learning_curve
    from spamnb.training import Trainer

    share, seed = _share(given["holdout"] or DEFAULT_SHARE), given["seed"] or 0
    features, scoring = options.feature_config(given), options.scorer_config(given)
    if scoring.balance == "undersample":
        raise ConfigError(
            f"--balance undersample does not go together with {protocol}", hint="use --balance weight"
        )
    if protocol == "--online" and (features.categorical or features.numeric):
        raise ConfigError("--online reads texts only, got columns", hint="use --cv or --holdout with columns")

    if protocol == "--online":
        base_options.refuse(given, protocol)
    reading = read_options(given, default_format="csv")
    features, start = base_options.start_of(
        given, partial(inputs, data, given, reading), features, scoring, quiet
    )

    def trainer() -> Trainer:
        return Trainer(features, scoring, options.decision(given), refine=given["refine"], **start)

    trainer()  # refuses settings that do not go together before anything is read
    mail, read = peek_is_mail(chunks(data, given, reading, quiet, told))
    features = features if start else options.feature_config(given, mail)
    labelled = LabelledData.of(read)
    options.check_decision(given, labelled.labels)
    options.check_prior(scoring.prior, labelled.labels)
    if protocol == "--online":
        return evaluate_online(labelled, trainer())
    measure = evaluate_holdout if protocol == "--holdout" else learning_curve
    return measure(labelled, trainer, share, seed)


def steps_of(result: Evaluation) -> dict[str, Any]:
    """The figures on the way, for JSON."""
    return {"steps": [dict(step) for step in result.steps]} if result.steps else {}


def show_steps(result: Evaluation) -> None:
    """The figures on the way as a table."""
    if result.steps:
        from spamnb.report import show_steps as show_step_table

        show_step_table(console(), result.steps, result.caption)
