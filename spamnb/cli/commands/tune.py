"""`spamnb tune`: searches settings by cross-validation and measures what the choice gains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.commands.compare import check_request, folds_of, objective_option
from spamnb.cli.data_inputs import chunks, read_options
from spamnb.cli.decision_rule import check_decision, decision
from spamnb.cli.message_kind import peek_is_mail
from spamnb.cli.option_groups import option
from spamnb.cli.options import Params, force_option
from spamnb.cli.output import console, print_step, steps, write_json
from spamnb.cli.train_command import train_command
from spamnb.errors import ConfigError
from spamnb.settings import TrainingConfig, flags

if TYPE_CHECKING:
    from spamnb.tuning import Candidate, Objective, Row, Tuned

tuned_model_option = option(
    "-o",
    "--output",
    type=options.PATH,
    metavar="MODEL",
    help="Train with the choice and write this name or file.",
)


@command()
@click.argument("data", nargs=-1, type=options.PATH, metavar="DATA...")
@option(
    "--time", "budget", default="30s", metavar="TIME", group="Model", help="Time to search. [default: 30s]"
)
@objective_option
@options.folds_option
@tuned_model_option
@force_option
@options.json_option
@options.data_options
@options.column_options
@options.advanced(options.decision_options)
@options.quiet_option
@click.pass_context
def tune(ctx: click.Context, /, data: tuple[str, ...], **params: Any) -> None:
    """Search for better settings and measure the gain.

    Scorers, smoothing, n-grams, shapes, counts and damping are tried by cross-validation; the data is read
    and counted once. To measure the gain, the search is repeated without each fold, and its choice is tested
    on that fold. The search does not refine weights. At its end, the settings that it found and the defaults
    are refined as in `train`, and the better ones are chosen. The last line is the command that trains with
    them; -o trains at once.

    \b
    Examples:
      spamnb tune data.csv
      spamnb tune data.csv --time 2m --objective recall@0.1% -o tuned
    """
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    seconds = _seconds(params["budget"])
    check_request(data, params, least_folds=3)
    target = _target(data, params)
    outcome = _search(data, params, seconds)
    command = train_command(ctx, outcome.tuned.choice, target)
    if params["json_file"]:
        write_json(_as_json(outcome, command), params["json_file"])
    if params["json_file"] != "-":
        from spamnb.report import show_tuning

        show_tuning(console(), outcome.tuned, outcome.rows, outcome.objective, outcome.notes, command)
    if target:
        _save(data, params, outcome.tuned.choice, target)


def _seconds(text: str) -> float:
    """Reads a time with s, m or h behind it, seconds without."""
    factor = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    try:
        seconds = float(text[:-1] if factor else text) * (factor or 1)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise ConfigError(f"--time must be a time, got {text!r}", hint="for example 60s or 2m")
    return seconds


def _target(data: tuple[str, ...], params: Params) -> str | None:
    """Returns where to write the model, None if it is not asked for."""
    from spamnb.cli.model_option import output_path
    from spamnb.cli.model_saving import check_target

    if not params["output"]:
        return None
    target = output_path(params["output"], lambda: "text")  # it is stated
    check_target(target, params["force"])
    if "-" in data:
        raise click.UsageError("-o reads DATA twice, which stdin cannot do.")
    return target


@dataclass(frozen=True)
class _Outcome:
    """The result of a search, with what a report on it needs."""

    objective: Objective
    tuned: Tuned
    rows: list[Row]
    notes: list[str]


def _search(data: tuple[str, ...], params: Params, seconds: float) -> _Outcome:
    from spamnb.tuning import (
        SettingGrid,
        SharedCounts,
        objective_for,
        rank,
        start_candidates,
        tune,
        widest_candidates,
    )

    options.feature_config(params)  # refuses wrong settings before anything is read
    quiet = params["quiet"]
    mail, messages = peek_is_mail(chunks(data, params, read_options(params, default_format="csv"), quiet))
    base = options.feature_config(params, mail)
    counts = SharedCounts(widest_candidates(base, mail), decision(params), folds_of(params))
    for chunk in messages:
        counts.add_chunk(chunk)
    grid = SettingGrid(counts, base)
    check_decision(params, grid.labels)
    objective = objective_for(params["objective"], len(grid.labels))
    with steps("searching", int(seconds), quiet) as bar:
        tuned = tune(grid, objective, start_candidates(base, mail), seconds, lambda took: bar.at(int(took)))
    rows = rank([tuned.nested, tuned.defaults], objective, grid.digests)
    return _Outcome(objective, tuned, rows, grid.notes())


def _as_json(outcome: _Outcome, command: str) -> dict[str, Any]:
    tuned, sign = outcome.tuned, outcome.objective.sign
    order = sorted(tuned.tried.items(), key=lambda item: -item[1].merit)
    choice, winner = (" ".join(flags(c.features, c.scoring, c.mail)) for c in (tuned.choice, tuned.winner))
    return {
        "notes": outcome.notes,
        "objective": outcome.objective.name,
        "choice": choice,
        "winner": winner,
        "trained": dict(zip(("winner", "defaults"), tuned.trained, strict=True)),
        "command": command,
        "finished": tuned.finished,
        "seconds": tuned.seconds,
        "nested": [row.to_dict() for row in outcome.rows],
        "tried": [{"name": c.name, "value": sign * trial.merit, **trial.metrics} for c, trial in order],
    }


def _save(data: tuple[str, ...], params: Params, choice: Candidate, target: str) -> None:
    """Trains on the data once more, as `spamnb train` would."""
    from spamnb.cli.model_saving import save
    from spamnb.cli.training_setup import TrainingSetup

    training = TrainingConfig.from_options({"folds": params["folds"]})
    setup = TrainingSetup(params, choice.features, choice.scoring, training, decision(params))
    messages = chunks(data, params, read_options(params, default_format="csv"), quiet=True)
    trainer = setup.trainer(choice.mail)
    for chunk in messages:
        trainer.add_chunk(chunk)
    size = save(trainer.finish(), target, params["quiet"])
    print_step("saved", f"{target} ({size / 1e3:,.0f} kB)", params["quiet"])
