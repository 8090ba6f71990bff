"""`spamnb tune`: searches settings by cross-validation and says what the choice is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.commands.compare import objective_option
from spamnb.cli.data_inputs import read_options
from spamnb.cli.message_kind import peek_is_mail
from spamnb.cli.options import force_option, new_model_option
from spamnb.cli.output import console, print_status, steps, write_json

if TYPE_CHECKING:
    from spamnb.tuning import Objective, Row, Tuned
from collections.abc import Sequence

from click.core import ParameterSource

_COLUMNS = ("chars", "patterns", "categorical", "numeric")


@click.command(short_help="Search settings that suit the data, and say what they are worth.")
@click.argument("data", nargs=-1, type=options.PATH, metavar="DATA...")
@click.option("--time", "budget", default="30s", metavar="TIME", help="Time to search (default 30s).")
@objective_option
@click.option("--folds", type=int, default=5, metavar="K", show_default=True, help="Cross-validation folds.")
@click.option("--save", is_flag=True, help="Train with the choice and write the model.")
@new_model_option
@force_option
@options.json_option
@options.data_options
@options.column_options
@options.decision_options
@options.quiet_option
def tune(
    data: tuple[str, ...],
    budget: str,
    objective: str | None,
    folds: int,
    save: bool,
    output: str | None,
    force: bool,
    json_file: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Search settings that suit the data, and say what they are worth.

    Scorers, smoothing, n-grams, shapes, counts and damping are tried by cross-validation; the data are
    read and counted once. The same search runs on parts of the folds and is judged on the others, so the
    figure told is of messages that had no say in the choice. The search leaves weights unrefined; what it
    found and the defaults are then refined as `train` does it, and the better one is the choice. Ends with
    the command that trains with it; --save or -o trains at once.

    \b
    Examples:
      spamnb tune data.csv
      spamnb tune data.csv --time 2m --objective recall@0.1% -o tuned.spamnb
    """
    from spamnb.cli.model_choice import output_path
    from spamnb.cli.model_saving import check_target
    from spamnb.core import keep_freed_memory
    from spamnb.errors import ConfigError
    from spamnb.tuning import objective as objective_of

    keep_freed_memory()
    seconds = _seconds(budget)
    if not (data or given["labelled"] or given["files_from"]):
        raise click.UsageError("Missing argument 'DATA...'.")
    if folds < 3:
        raise ConfigError(f"--folds must be at least 3 to tune, got {folds}", hint="5 and 10 are common")
    if objective is not None:
        objective_of(objective)
    target = output_path(output) if save or output else None
    if target:
        check_target(target, force)
        if "-" in data:
            raise click.UsageError("--save and -o read DATA twice, which stdin cannot do.")
    chosen, tuned, rows, notes = _search(data, given, objective, folds, seconds, quiet)
    command = _command(data, tuned, target)
    if json_file:
        write_json(_as_json(chosen, tuned, rows, notes, command), json_file)
    if json_file != "-":
        from spamnb.report import show_tuning

        show_tuning(console(), tuned, rows, chosen, notes, command)
    if target:
        _save(data, given, tuned, folds, target, quiet)


def _seconds(text: str) -> float:
    """A time with s, m or h behind it, seconds without."""
    from spamnb.errors import ConfigError

    factor = {"s": 1, "m": 60, "h": 3600}.get(text[-1:], 0)
    try:
        seconds = float(text[:-1] if factor else text) * (factor or 1)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:
        raise ConfigError(f"--time must be a time, got {text!r}", hint="for example 60s or 2m")
    return seconds


def _search(
    data: tuple[str, ...], given: dict[str, Any], name: str | None, folds: int, seconds: float, quiet: bool
) -> tuple[Objective, Tuned, list[Row], list[str]]:
    from spamnb.cli.data_inputs import chunks
    from spamnb.tuning import Passes, SettingGrid, beginnings, everything, objective_for, ranked, tune

    shaped = {**given, "tokens": "shaped", "ngrams": None, "scorer": "", "order": None}
    options.feature_config(shaped)  # refuses what is wrong before anything is read
    mail, read = peek_is_mail(chunks(data, given, read_options(given, default_format="csv"), quiet))
    base = options.feature_config(shaped, mail)
    passes = Passes(everything(base, mail), options.decision(given), folds)
    for chunk in read:
        passes.add(chunk.texts, chunk.labels or [], chunk.categories, chunk.numbers)
    bench = SettingGrid(passes, base)
    options.check_decision(given, bench.labels)
    objective = objective_for(name, len(bench.labels))
    with steps("searching", int(seconds), quiet) as bar:
        tuned = tune(bench, objective, beginnings(base, mail), seconds, lambda took: bar.at(int(took)))
    rows = ranked([tuned.nested, tuned.defaults], objective, bench.digests)
    return objective, tuned, rows, bench.notes()


def _command(data: tuple[str, ...], tuned: Tuned, target: str | None) -> str:
    """The call of `spamnb train` that makes the model of the choice."""
    import shlex

    from spamnb.settings import flags

    settings = flags(tuned.choice.features, tuned.choice.scoring, tuned.choice.mail)
    reading = stated(click.get_current_context(), leave_out=("output", *_COLUMNS))
    where = ["-o", target] if target else []
    return shlex.join(["spamnb", "train", *data, *reading, *settings, *where])


def _as_json(
    objective: Objective, tuned: Tuned, rows: list[Row], notes: list[str], command: str
) -> dict[str, Any]:
    from spamnb.settings import flags

    order = sorted(tuned.tried.items(), key=lambda item: -item[1].merit)
    return {
        "notes": notes,
        "objective": objective.name,
        "choice": " ".join(flags(tuned.choice.features, tuned.choice.scoring, tuned.choice.mail)),
        "found": " ".join(flags(tuned.found.features, tuned.found.scoring, tuned.found.mail)),
        "trained": dict(zip(("found", "defaults"), tuned.trained, strict=True)),
        "command": command,
        "finished": tuned.finished,
        "seconds": tuned.seconds,
        "nested": [row.to_dict() for row in rows],
        "tried": [
            {"name": s.name, "value": objective.sign * trial.merit, **trial.figures} for s, trial in order
        ],
    }


def _save(
    data: tuple[str, ...], given: dict[str, Any], tuned: Tuned, folds: int, target: str, quiet: bool
) -> None:
    """Train on the data once more, as `spamnb train` would."""
    from spamnb.cli.data_inputs import chunks
    from spamnb.cli.message_kind import peek_is_mail
    from spamnb.cli.model_saving import save
    from spamnb.cli.training_setup import training_config
    from spamnb.training import Trainer

    mail, read = peek_is_mail(chunks(data, given, read_options(given, default_format="csv"), quiet=True))
    training, choice = training_config(given, mail, folds), tuned.choice
    trainer = Trainer(choice.features, choice.scoring, training, options.decision(given))
    for chunk in read:
        trainer.add_chunk(chunk)
    size = save(trainer.finish(), target, quiet)
    print_status(f"saved     {target} ({size / 1e3:,.0f} kB)", quiet)


def stated(ctx: click.Context, leave_out: Sequence[str] = ()) -> list[str]:
    """The options given that `spamnb train` has too, as they would be written there."""
    from spamnb.cli.commands.train import train

    known = {p.name for p in train.params if isinstance(p, click.Option)}
    words: list[str] = []
    for p in ctx.command.params:
        if not isinstance(p, click.Option) or p.name not in known or p.name in leave_out:
            continue
        if ctx.get_parameter_source(p.name or "") == ParameterSource.COMMANDLINE:
            words += _written(p, ctx.params[p.name or ""])
    return [word for word in words if word not in ("-q", "--quiet")]


def _written(option: click.Option, value: object) -> list[str]:
    flag = max(option.opts, key=len)
    if option.is_flag:
        return [flag]
    each = value if option.multiple and isinstance(value, tuple) else (value,)
    return [w for v in each for w in (flag, *(map(_word, v) if isinstance(v, tuple) else (_word(v),)))]


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
