"""`spamnb compare`: evaluates all scorers and other settings on the same folds, in one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from spamnb.cli import options
from spamnb.cli.command_base import command
from spamnb.cli.data_inputs import chunks, missing_data, read_options
from spamnb.cli.decision_rule import check_decision, decision
from spamnb.cli.message_kind import peek_is_mail
from spamnb.cli.option_groups import option
from spamnb.cli.options import Params
from spamnb.cli.output import console, steps, write_json
from spamnb.cli.train_command import train_command
from spamnb.scorers import REGISTRY
from spamnb.settings import FeatureConfig, ScorerConfig, TrainingConfig, settings_of

if TYPE_CHECKING:
    from spamnb.tuning import Candidate, CandidateResult, Objective, Row, SettingGrid

objective_option = option(
    "--objective",
    metavar="NAME",
    group="Model",
    help="auc, recall@P%, f1, accuracy, log-loss or cost. [default: auc; f1 for 3 classes or more]",
)


@command()
@click.argument("data", nargs=-1, type=options.PATH, metavar="DATA...")
@option(
    "--with",
    "more",
    multiple=True,
    metavar="SETTINGS",
    group="Model",
    help="Compare these settings with the defaults, for example alpha=1,tokens=plain. Repeatable. "
    "[default: all scorers]",
)
@objective_option
@options.folds_option
@options.json_option
@options.data_options
@options.feature_options
@options.advanced(options.decision_options)
@options.quiet_option
@click.pass_context
def compare(ctx: click.Context, /, data: tuple[str, ...], **params: Any) -> None:
    """Try all scorers and other settings on the same folds.

    Without --with all scorers are compared, with it the defaults and these settings. Each fold of DATA is
    tested with models trained on the other folds; duplicates of a text are in the same fold. The best comes
    first. p is from a paired test against the best: from 0.05 on, the difference may be chance. The data is
    read and counted once, whatever the number of candidates. The last line is the command
    that trains the best.

    \b
    Examples:
      spamnb compare data.csv
      spamnb compare data.csv --with ngrams=1 --with alpha=1,counts=all
      spamnb compare data.csv --objective recall@0.1% --json table.json
    """
    from spamnb.cli.setting_text import candidate, every_scorer
    from spamnb.core import keep_freed_memory

    keep_freed_memory()
    check_request(data, params, least_folds=2)
    base = {setting.name: params[setting.name] for _, setting in settings_of(FeatureConfig)}

    def candidates(mail: bool) -> list[Candidate]:
        wanted = {ScorerConfig().name} if params["more"] else set(REGISTRY)
        scorers = [c for c in every_scorer(base, mail) if c.name in wanted]
        return scorers + [candidate(text, base, mail) for text in params["more"]]

    candidates(mail=False)  # refuses wrong settings before anything is read
    grid, results = _evaluate_all(data, candidates, params)
    objective, rows = _rank(grid, results, params)
    best = rows[0].result.candidate
    command = "" if best is None else train_command(ctx, best)
    _publish(grid, objective, rows, command, params["json_file"])


def check_request(data: tuple[str, ...], params: Params, least_folds: int) -> None:
    """Refuses a request without data, with too few folds or with an unknown objective."""
    from spamnb.errors import ConfigError
    from spamnb.tuning import objective

    if not (data or params["labelled"] or params["files_from"]):
        raise missing_data()
    folds = folds_of(params)
    if folds < least_folds:
        wanted = "at least 2" if least_folds == 2 else f"at least {least_folds} to tune"
        raise ConfigError(f"--folds must be {wanted}, got {folds}", hint="5 and 10 are common")
    if params["objective"] is not None:
        objective(params["objective"])


def folds_of(params: Params) -> int:
    return TrainingConfig().folds if params["folds"] is None else int(params["folds"])


def _evaluate_all(
    data: tuple[str, ...], candidates_for: Callable[[bool], list[Candidate]], params: Params
) -> tuple[SettingGrid, list[CandidateResult]]:
    """Reads the data and evaluates every candidate on the same folds."""
    from spamnb.tuning import SettingGrid, SharedCounts, evaluate_candidate

    quiet = params["quiet"]
    mail, messages = peek_is_mail(chunks(data, params, read_options(params, default_format="csv"), quiet))
    candidates = candidates_for(mail)
    counts = SharedCounts(candidates, decision(params), folds_of(params))
    for chunk in messages:
        counts.add_chunk(chunk)
    grid = SettingGrid(counts, candidates[0].features)
    check_decision(params, grid.labels)
    results: dict[str, CandidateResult] = {}
    with steps("candidates", len(candidates), quiet) as bar:
        for c in sorted(candidates, key=lambda c: str(c.features)):  # equal features one after the other
            results[c.name] = evaluate_candidate(grid, c)
            bar.at(len(results))
    return grid, [results[name] for name in dict.fromkeys(c.name for c in candidates)]


def _rank(grid: SettingGrid, results: list[CandidateResult], params: Params) -> tuple[Objective, list[Row]]:
    from spamnb.tuning import DRAWS, objective_for, rank

    objective = objective_for(params["objective"], len(grid.labels))
    with steps("paired test", DRAWS, params["quiet"]) as bar:
        return objective, rank(results, objective, grid.digests, DRAWS, bar.at)


def _publish(
    grid: SettingGrid, objective: Objective, rows: list[Row], command: str, json_file: str | None
) -> None:
    """Writes and shows the comparison."""
    from spamnb.training import count_duplicates
    from spamnb.tuning import DRAWS

    title = f"{len(rows)} candidates, {grid.folds}-fold cross-validation"
    notes = [*grid.notes(), f"p: paired bootstrap against the best, {DRAWS:,} draws of texts"]
    if json_file:
        result = {
            "title": title,
            "notes": notes,
            "objective": objective.name,
            "folds": grid.folds,
            "messages": len(grid.truth),
            "duplicates": count_duplicates(grid.digests),
            "draws": DRAWS,
            "best": rows[0].result.name,
            "command": command,
            "candidates": [row.to_dict() for row in rows],
        }
        write_json(result, json_file)
    if json_file != "-":
        from spamnb.report import show_comparison

        show_comparison(console(), rows, objective, title, notes, command)
