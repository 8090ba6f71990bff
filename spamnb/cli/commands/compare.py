"""`spamnb compare`: all scorers and other settings on the same folds, in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.data_inputs import read_options
from spamnb.cli.message_kind import peek_is_mail
from spamnb.cli.output import console, steps, write_json

if TYPE_CHECKING:
    from spamnb.tuning import CandidateResult, Objective, Row, Setting, SettingGrid

objective_option = click.option(
    "--objective",
    metavar="NAME",
    help="auc, recall@P%, f1, accuracy, log-loss or cost (default auc; f1 for 3 classes or more).",
)


@click.command(short_help="Try all scorers and other settings on the same folds.")
@click.argument("data", nargs=-1, type=options.PATH, metavar="DATA...")
@click.option(
    "--with",
    "more",
    multiple=True,
    metavar="SETTINGS",
    help="One more contender, for example alpha=1,tokens=plain. Repeatable.",
)
@click.option("--no-scorers", is_flag=True, help="Not all scorers: just the defaults and --with.")
@click.option("--peers", is_flag=True, help="Add four filters of scikit-learn: slow, and needs it installed.")
@objective_option
@click.option("--folds", type=int, default=5, metavar="K", show_default=True, help="Cross-validation folds.")
@options.json_option
@options.data_options
@options.feature_options
@options.decision_options
@options.quiet_option
def compare(
    data: tuple[str, ...],
    more: tuple[str, ...],
    no_scorers: bool,
    peers: bool,
    objective: str | None,
    folds: int,
    json_file: str | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Try all scorers and other settings on the same folds.

    Every contender judges each fold of DATA by what the other folds teach; copies of a text are in the same
    fold. The table has the best first. p is of a paired test against the best: 0.05 and more says that the
    difference may be chance. The data are read and counted once, however many contenders there are.

    \b
    Examples:
      spamnb compare data.csv
      spamnb compare data.csv --with ngrams=1 --with alpha=1,tokens=plain
      spamnb compare data.csv --peers --objective recall@0.1% --json table.json
    """
    from spamnb.cli.setting_text import every_scorer, setting
    from spamnb.core import keep_freed_memory
    from spamnb.errors import ConfigError
    from spamnb.tuning import objective as objective_of

    keep_freed_memory()
    if not (data or given["labelled"] or given["files_from"]):
        raise click.UsageError("Missing argument 'DATA...'.")
    if folds < 2:
        raise ConfigError(f"--folds must be at least 2, got {folds}", hint="5 and 10 are common")
    if objective is not None:
        objective_of(objective)
    base = {name: given[name] for name in ("tokens", "ngrams", "chars", "patterns", "categorical", "numeric")}

    def settings(mail: bool) -> list[Setting]:
        scorers = [s for s in every_scorer(base, mail) if not no_scorers or s.name == "multinomial"]
        return scorers + [setting(text, base, mail=mail) for text in more]

    settings(mail=False)  # refuses what cannot be before anything is read
    if peers:
        _check_peers(given)
    bench, contenders = _judged(data, settings, given, peers, folds, quiet)
    chosen, rows = _ranked(bench, contenders, objective, quiet)
    _tell(bench, chosen, rows, folds, json_file)


def _judged(
    data: tuple[str, ...],
    settings_for: Callable[[bool], list[Setting]],
    given: dict[str, Any],
    peers: bool,
    folds: int,
    quiet: bool,
) -> tuple[SettingGrid, list[CandidateResult]]:
    from spamnb.cli.data_inputs import chunks
    from spamnb.tuning import Passes, Peers, SettingGrid, evaluate_setting

    mail, read = peek_is_mail(chunks(data, given, read_options(given, default_format="csv"), quiet))
    settings = settings_for(mail)
    passes = Passes(settings, options.decision(given), folds)
    others = Peers(settings[0].features) if peers else None
    for chunk in read:
        passes.add(chunk.texts, chunk.labels or [], chunk.categories, chunk.numbers)
        if others is not None:
            others.add(chunk.texts, chunk.labels or [])
    bench = SettingGrid(passes, settings[0].features)
    options.check_decision(given, bench.labels)
    found: dict[str, CandidateResult] = {}
    with steps("contenders", len(settings) + (len(others) if others else 0), quiet) as bar:
        for s in sorted(settings, key=lambda s: str(s.features)):  # the same folds one after the other
            found[s.name] = evaluate_setting(bench, s)
            bar.at(len(found))
        for judged in others.judge(bench) if others else ():
            found[judged.name] = judged
            bar.at(len(found))
    order = [s.name for s in settings]
    return bench, [found[name] for name in dict.fromkeys([*order, *found])]


def _check_peers(given: dict[str, Any]) -> None:
    from spamnb.errors import ConfigError

    if given["categorical"] or given["numeric"]:
        raise ConfigError("--peers reads texts only, got columns", hint="leave out --peers or the columns")


def _ranked(
    bench: SettingGrid, contenders: list[CandidateResult], name: str | None, quiet: bool
) -> tuple[Objective, list[Row]]:
    from spamnb.tuning import DRAWS, objective_for, ranked

    chosen = objective_for(name, len(bench.labels))
    with steps("paired test", DRAWS, quiet) as bar:
        return chosen, ranked(contenders, chosen, bench.digests, DRAWS, bar.at)


def _about_peers(rows: list[Row]) -> list[str]:
    names = [row.judged.name for row in rows if row.judged.setting is None]
    return [f"of scikit-learn, with its own settings: {', '.join(names)}"] if names else []


def _tell(
    bench: SettingGrid, objective: Objective, rows: list[Row], folds: int, json_file: str | None
) -> None:
    from spamnb.training import count_duplicates
    from spamnb.tuning import DRAWS

    title = f"{len(rows)} contenders, {folds}-fold cross-validation"
    notes = [
        *bench.notes(),
        *_about_peers(rows),
        f"p: paired bootstrap against the best, {DRAWS:,} draws of texts",
    ]
    if json_file:
        result = {
            "title": title,
            "notes": notes,
            "objective": objective.name,
            "folds": folds,
            "messages": len(bench.truth),
            "copies": count_duplicates(bench.digests),
            "draws": DRAWS,
            "best": rows[0].judged.name,
            "contenders": [row.to_dict() for row in rows],
        }
        write_json(result, json_file)
    if json_file != "-":
        from spamnb.report import show_comparison

        show_comparison(console(), rows, objective, title, notes)
