"""Shows an evaluation in the terminal, and writes its JSON, report and plots."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spamnb.cli import protocol_options, report_options
from spamnb.cli.decision_rule import check_max_fpr, stated_max_fpr
from spamnb.cli.options import Params
from spamnb.cli.output import console, write_json
from spamnb.cli.stored_metrics import class_names

if TYPE_CHECKING:
    from spamnb.evaluation import Evaluation, EvaluationSummary, Mistake
    from spamnb.model import SpamModel
    from spamnb.training import OperatingPoint


@dataclass
class Measured:
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


def publish(measured: Measured, params: Params) -> None:
    """Writes and shows an evaluation in the ways that were asked for."""
    result = measured.result
    point = _operating_point(result, stated_max_fpr(params))
    notes = (*result.notes, *(() if point is None else _point_notes(point, result.model)))
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


def _mistake_rows(measured: Measured, most: int | None) -> dict[str, Any]:
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


def _point_notes(point: OperatingPoint, model: SpamModel) -> tuple[str, ...]:
    """Words the threshold that would keep to the rate, and which one the metrics use."""
    from spamnb.model import probability_text

    positive, other = class_names(model)
    where = f"P = {point.threshold!r} (log-odds {point.log_odds:+.2f})"
    wrong = f"{point.false_positives:,} of {point.ham:,} {other} misclassified"
    rate = f"for at most {100 * point.max_fpr:.3g}% of {other} misclassified"
    rule = f"{rate}, the threshold on this data is {where}"
    caught = f"{point.recall:.1%} of {positive} caught, {wrong}"
    own = f"the metrics below use the model's own threshold, P = {probability_text(model.decision.threshold)}"
    other_way = f"to use this one, write --threshold {point.threshold!r} in place of --max-fpr"
    return rule, f"with it: {caught}", f"{own}; {other_way}"


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
